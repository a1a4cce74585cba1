import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import type { DB } from './schema.generated.ts'

/**
 * Removes dead rows of a table. Each step looks at a limited number of rows in a transaction of its
 * own, so that no statement holds locks, or delays the vacuum, for long.
 */
export interface Sweep {
  /** What is removed, as reports call it. Several sweeps may have the same name. */
  readonly name: string
  /**
   * Under which name the database keeps how far it has come. Without it, each round begins at the
   * first row.
   */
  readonly position?: string
  /** Steps in one round, at most. */
  readonly steps?: number
  step(db: Db, progress: SweepProgress): Promise<SweepStep>
}

export interface SweepProgress {
  /** Where the step before ended. */
  readonly after: string | undefined
  /** Rows that the step looks at. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface SweepStep {
  readonly removed: number
  /** Rows of other tables that went with them. */
  readonly removedToo?: Readonly<Record<string, number>>
  /** Where the next step goes on; undefined if this sweep is to begin again at the first row. */
  readonly last: string | undefined
  /** Whether there is nothing more to do in this round. */
  readonly isDone: boolean
}

const LOWEST = { uuid: '00000000-0000-0000-0000-000000000000', text: '', bytea: '\\x' } as const

export interface SweepTarget {
  readonly table: keyof DB
  readonly key: { readonly column: string; readonly type: keyof typeof LOWEST }
  /** A condition on a row called `t`. */
  readonly dead: RawBuilder<unknown>
}

/**
 * Walks along the primary key, over all rows: for tables in which rows stay for a short time only.
 *
 * Skips rows that another transaction has locked: several servers may sweep at once, and a sweep
 * that never waits cannot be part of a deadlock.
 */
export function sweepOf({ table, key, dead }: SweepTarget): Sweep {
  const rows = sql.table(table)
  const column = sql.ref(key.column)
  return {
    name: table,
    async step(db, { after, size }) {
      // Literal limits and arrays of keys keep the planner on the index: for an unknown limit, or
      // for a join whose size it guesses wrong, it would read the whole table at every step.
      const statement = sql<{ looked: number; removed: number; last: string | null }>`
        with page as materialized (
          select ${column} as key from ${rows}
          where ${column} > ${after ?? LOWEST[key.type]}::${sql.raw(key.type)}
          order by ${column} limit ${sql.lit(size)}),
        dead as materialized (
          select t.${column} as key from ${rows} t
          where t.${column} = any (array(select key from page)) and (${dead})
          for update of t skip locked),
        gone as (
          delete from ${rows} where ${column} = any (array(select key from dead)) returning 1)
        select (select count(*) from page)::int as looked, (select count(*) from gone)::int as removed,
          (select page.key::text from page order by page.key desc limit 1) as last`
      const [row] = (await statement.execute(db)).rows
      return stepOf(size, row)
    },
  }
}

/**
 * What a step over a page of a table says of it; at the end of the table the sweep begins again.
 */
export function stepOf(
  size: number,
  row:
    | { readonly looked: number; readonly removed: number; readonly last: string | null }
    | undefined,
): SweepStep {
  if (row === undefined) return { removed: 0, last: undefined, isDone: true }
  const isDone = row.looked < size || row.last === null
  return { removed: row.removed, last: isDone ? undefined : (row.last ?? undefined), isDone }
}

export interface OldestFirst {
  readonly table: keyof DB
  readonly key: readonly string[]
  /** Indexed. Rows die about in this order. */
  readonly order: string
  /** The rows of a partial index, as its condition on a row called `t`. */
  readonly only?: RawBuilder<unknown>
  /** Rows that are passed over, as a condition on a row called `t`. */
  readonly waiting?: RawBuilder<boolean>
  /** A condition on a row called `t`. */
  readonly dead: RawBuilder<unknown>
}

/** Removes the oldest rows, until it finds some that stay: costs what died, however many live. */
export function oldestFirst(sweep: OldestFirst): Sweep {
  const { table, key, order, dead, only = sql`true`, waiting = sql.lit(false) } = sweep
  const rows = sql.table(table)
  const keyOf = (alias: string) =>
    sql`(${sql.join(key.map((column) => sql.ref(`${alias}.${column}`)))})`
  return {
    name: table,
    async step(db, { size }) {
      const { rows: found } = await sql<{ removed: number }>`
        with page as materialized (
          select (${dead}) as is_dead, ${sql.join(key.map((column) => sql.ref(`t.${column}`)))}
          from ${rows} t where ${only} and not ${waiting} order by t.${sql.ref(order)} limit ${sql.lit(size)} for update skip locked),
        gone as (
          delete from ${rows} t using page where page.is_dead and ${keyOf('t')} = ${keyOf('page')} returning 1)
        select count(*)::int as removed from gone`.execute(db)
      const removed = found[0]?.removed ?? 0
      return { removed, last: undefined, isDone: removed < size }
    },
  }
}
