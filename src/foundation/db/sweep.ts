import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import type { DB } from './schema.generated.ts'

/**
 * Walks along the primary key of a table and removes dead rows. Each step looks at a limited number of
 * rows in a transaction of its own, so that no statement holds locks, or delays the vacuum, for long.
 */
export interface Sweep {
  /** What is removed, as reports call it. */
  readonly name: string
  step(db: Db, after: string | undefined, size: number): Promise<SweepStep>
}

export interface SweepStep {
  readonly removed: number
  /** Where the next step goes on; undefined at the end of the table. */
  readonly last: string | undefined
}

const LOWEST = { uuid: '00000000-0000-0000-0000-000000000000', text: '', bytea: '\\x' } as const

export interface SweepTarget {
  readonly table: keyof DB
  readonly key: { readonly column: string; readonly type: keyof typeof LOWEST }
  /** A condition on a row called `t`. */
  readonly dead: RawBuilder<unknown>
}

/**
 * Skips rows that another transaction has locked: several servers may sweep at once, and a sweep that
 * never waits cannot be part of a deadlock.
 */
export function sweepOf({ table, key, dead }: SweepTarget): Sweep {
  const rows = sql.table(table)
  const column = sql.ref(key.column)
  return {
    name: table,
    async step(db, after, size) {
      // Literal limits and arrays of keys keep the planner on the index: for an unknown limit, or for
      // a join whose size it guesses wrong, it would read the whole table at every step.
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
      if (row === undefined) return { removed: 0, last: undefined }
      const atTheEnd = row.looked < size || row.last === null
      return { removed: row.removed, last: atTheEnd ? undefined : (row.last ?? undefined) }
    },
  }
}
