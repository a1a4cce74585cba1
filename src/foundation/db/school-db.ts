import {
  type DeleteQueryBuilder,
  type DeleteResult,
  type InsertObject,
  type InsertQueryBuilder,
  type InsertResult,
  type QueryResult,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type Transaction,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely'
import type { Db } from './database.ts'
import { asWriter, viewOf } from './lanes.ts'
import type { Prepared } from './prepared.ts'
import type { DB } from './schema.generated.ts'
import type { Lane } from './time-outs.ts'

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
  /** A hand-written statement; it must name its school itself, with `db.schoolId`. */
  run<R>(statement: RawBuilder<R>): Promise<QueryResult<R>>
  /** A prepared statement: its text is written once, its school is the placeholder `schoolId`. */
  runPrepared<V extends object, R>(
    statement: Prepared<V & AtSchool, R>,
    values: V,
  ): Promise<{ readonly rows: readonly R[] }>
  /**
   * A write of one statement, without a transaction around it. It does nothing and returns no row
   * unless `callerHolds`. Without a row it runs once more in a transaction, which says why.
   */
  write<R>(statement: (callerHolds: RawBuilder<boolean>) => RawBuilder<R>): Promise<readonly R[]>
  /**
   * Commits what `work` wrote, unless `work` or the confirmation of the caller (`confirmedBy`)
   * throws.
   */
  transaction<R>(work: (tx: SchoolTx) => Promise<R>): Promise<R>
}

/** What every prepared statement of a school is given. */
export interface AtSchool {
  readonly schoolId: string
}

declare const insideTransaction: unique symbol

/** Rows of a school inside a transaction: functions that lock or write twice demand this type. */
export interface SchoolTx extends SchoolDb {
  readonly [insideTransaction]: true
  /**
   * Confirms the caller now instead of before the commit. For work that takes from the caller what
   * the confirmation asks for, such as a new password, which ends all sessions.
   */
  confirmCaller(): Promise<void>
}

/** Whether the caller of a request still has what the request was admitted with. */
export interface CallerCheck {
  /** Names the caller among those of the school. */
  readonly key: string
  /** True if so; the rows that say it are locked until the commit. */
  readonly holds: RawBuilder<boolean>
  /** Throws if not. */
  confirm(tx: SchoolTx): Promise<void>
}

export interface WorkClass {
  readonly lane?: Lane | undefined
  /** Aborted once the caller is gone; batch work is then cancelled. */
  readonly gone?: (() => AbortSignal) | undefined
  readonly caller?: CallerCheck | undefined
}

export function atSchool(db: Db, schoolId: string, work: WorkClass = {}): SchoolDb {
  return new FencedDb(db, schoolId, work)
}

export function atSchoolInTransaction(tx: Transaction<DB>, schoolId: string): SchoolTx {
  return new FencedDb(tx, schoolId, {}) as unknown as SchoolTx
}

/**
 * A view for a caller who may lose the right to write while the request runs: every transaction
 * checks the caller last.
 * The locks are then held for a moment only, so that what takes a right away does not wait for
 * writes that take long.
 */
export function confirmedBy(db: SchoolDb, caller: CallerCheck): SchoolDb {
  return FencedDb.confirmedBy(db as FencedDb, caller)
}

/** A view for work that commits nothing. */
export function unconfirmed(db: SchoolDb): SchoolDb {
  return FencedDb.confirmedBy(db as FencedDb, undefined)
}

/** A view for another class of work. Inside a transaction nothing changes. */
export function inLane(db: SchoolDb, lane: Lane): SchoolDb {
  return FencedDb.inLane(db as FencedDb, lane)
}

/**
 * The database without the fence, for the few functions that cross schools: people belong to none.
 * It still counts as work of this school.
 */
export function acrossSchools(db: SchoolTx): Transaction<DB>
export function acrossSchools(db: SchoolDb): Db
export function acrossSchools(db: SchoolDb): Db {
  return FencedDb.unfenced(db as FencedDb)
}

class FencedDb implements SchoolDb {
  static unfenced(fenced: FencedDb): Db {
    return fenced.#db
  }

  static inLane(fenced: FencedDb, lane: Lane): FencedDb {
    return new FencedDb(fenced.#root, fenced.schoolId, { ...fenced.#work, lane })
  }

  static confirmedBy(fenced: FencedDb, caller: CallerCheck | undefined): FencedDb {
    return new FencedDb(fenced.#root, fenced.schoolId, { ...fenced.#work, caller })
  }

  readonly schoolId: string
  readonly #root: Db
  readonly #work: WorkClass
  #view: Db | undefined
  #isConfirmed = false

  constructor(db: Db, schoolId: string, work: WorkClass) {
    this.#root = db
    this.schoolId = schoolId
    this.#work = work
  }

  /** Made at its first use: many requests run nothing but prepared statements. */
  get #db(): Db {
    if (this.#view !== undefined) return this.#view
    const { lane = 'interactive', gone } = this.#work
    const signal = lane === 'batch' ? gone?.() : undefined
    this.#view = viewOf(this.#root, { lane, tenant: this.schoolId, signal })
    return this.#view
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
    return statement.run(
      this.#root,
      Object.assign({}, values, { schoolId: this.schoolId }),
      this.schoolId,
    )
  }

  transaction<R>(work: (tx: SchoolTx) => Promise<R>): Promise<R> {
    const { caller } = this.#work
    const run = () =>
      this.#db.transaction().execute(async (tx) => {
        const inside = new FencedDb(tx, this.schoolId, { caller })
        const result = await work(inside as unknown as SchoolTx)
        await inside.confirmCaller()
        return result
      })
    // Batch work has connections of its own.
    const isApart = caller === undefined || this.#work.lane === 'batch'
    return isApart ? run() : asWriter(this.#root, this.schoolId, caller.key, run)
  }

  async confirmCaller(): Promise<void> {
    const { caller } = this.#work
    if (caller === undefined || this.#isConfirmed) return
    this.#isConfirmed = true
    await caller.confirm(this as unknown as SchoolTx)
  }

  async write<R>(
    statement: (callerHolds: RawBuilder<boolean>) => RawBuilder<R>,
  ): Promise<readonly R[]> {
    const { caller } = this.#work
    const { rows } = await this.run(statement(caller?.holds ?? sql.lit(true)))
    if (rows.length > 0 || caller === undefined || this.#db.isTransaction) return rows
    return await this.transaction(async (tx) => (await tx.run(statement(sql.lit(true)))).rows)
  }
}
