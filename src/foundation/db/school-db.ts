import type {
  DeleteQueryBuilder,
  DeleteResult,
  InsertObject,
  InsertQueryBuilder,
  InsertResult,
  QueryResult,
  RawBuilder,
  SelectQueryBuilder,
  Transaction,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely'
import type { Db } from './database.ts'
import type { Prepared } from './prepared.ts'
import type { DB } from './schema.generated.ts'

/** Tables whose rows belong to exactly one school. */
export type TenantTable = {
  [T in keyof DB]: 'school_id' extends keyof DB[T] ? T : never
}[keyof DB]

type TenantRow<T extends TenantTable> = Omit<InsertObject<DB, T>, 'school_id'>

/**
 * The rows of one school, one autocommitted statement at a time. Every builder it hands out is
 * already fenced by school_id, so that a query without its school cannot be written by accident.
 */
export interface SchoolDb {
  readonly schoolId: string
  from<T extends TenantTable>(table: T): SelectQueryBuilder<DB, T, Record<never, never>>
  update<T extends TenantTable>(table: T): UpdateQueryBuilder<DB, T, T, UpdateResult>
  delete<T extends TenantTable>(table: T): DeleteQueryBuilder<DB, T, DeleteResult>
  insert<T extends TenantTable>(
    table: T,
    rows: TenantRow<T> | readonly TenantRow<T>[],
  ): InsertQueryBuilder<DB, T, InsertResult>
  /** A hand-written statement; it must name its school itself, with `at.schoolId`. */
  run<R>(statement: RawBuilder<R>): Promise<QueryResult<R>>
  /** The same for a statement whose text is written once; its school is the placeholder `schoolId`. */
  runPrepared<V extends object, R>(
    statement: Prepared<V & AtSchool, R>,
    values: V,
  ): Promise<{ readonly rows: readonly R[] }>
  transaction<R>(work: (tx: SchoolTx) => Promise<R>): Promise<R>
}

/** What every prepared statement of a school is given. */
export interface AtSchool {
  readonly schoolId: string
}

declare const insideTransaction: unique symbol

/** The same rows inside a transaction: functions that lock or write twice demand this type. */
export interface SchoolTx extends SchoolDb {
  readonly [insideTransaction]: true
}

export function atSchool(db: Db, schoolId: string): SchoolDb {
  return new FencedDb(db, schoolId)
}

export function atSchoolInTransaction(tx: Transaction<DB>, schoolId: string): SchoolTx {
  return new FencedDb(tx, schoolId) as unknown as SchoolTx
}

/** The transaction without the fence, for the few functions that cross schools: people belong to none. */
export function acrossSchools(tx: SchoolTx): Transaction<DB> {
  return FencedDb.unfenced(tx as unknown as FencedDb) as Transaction<DB>
}

class FencedDb implements SchoolDb {
  static unfenced(fenced: FencedDb): Db {
    return fenced.#db
  }

  readonly schoolId: string
  readonly #db: Db

  constructor(db: Db, schoolId: string) {
    this.#db = db
    this.schoolId = schoolId
  }

  // Kysely cannot follow a table name that is still a type parameter; the fence itself is the same
  // for every tenant table, so each cast below only restores what the signature above promises.
  from<T extends TenantTable>(table: T) {
    return this.#db
      .selectFrom(table as 'schools')
      .where(`${table}.school_id` as never, '=', this.schoolId as never) as never
  }

  update<T extends TenantTable>(table: T) {
    return this.#db
      .updateTable(table as 'schools')
      .where(`${table}.school_id` as never, '=', this.schoolId as never) as never
  }

  delete<T extends TenantTable>(table: T) {
    return this.#db
      .deleteFrom(table as 'schools')
      .where(`${table}.school_id` as never, '=', this.schoolId as never) as never
  }

  insert<T extends TenantTable>(table: T, rows: TenantRow<T> | readonly TenantRow<T>[]) {
    const list = (Array.isArray(rows) ? rows : [rows]) as readonly TenantRow<T>[]
    const fenced = list.map((row) => ({ ...row, school_id: this.schoolId }))
    return this.#db.insertInto(table as 'schools').values(fenced as never) as never
  }

  run<R>(statement: RawBuilder<R>): Promise<QueryResult<R>> {
    return statement.execute(this.#db)
  }

  runPrepared<V extends object, R>(
    statement: Prepared<V & AtSchool, R>,
    values: V,
  ): Promise<{ readonly rows: readonly R[] }> {
    return statement.run(this.#db, { ...values, schoolId: this.schoolId })
  }

  transaction<R>(work: (tx: SchoolTx) => Promise<R>): Promise<R> {
    return this.#db.transaction().execute((tx) => work(atSchoolInTransaction(tx, this.schoolId)))
  }
}
