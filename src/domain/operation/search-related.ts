import { type RawBuilder, sql } from 'kysely'
import {
  containsCode,
  containsText,
  plannedEachTime,
  readsCode,
  readsText,
} from '../../foundation/db/contains-words.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { keyOf, type Resource } from './resource.ts'

const MOST_ROWS = 20_000
/**
 * So many of the newest and of the oldest rows are compared one by one. A school that has no more
 * needs no index.
 */
const LOOKED_AT = 500
/**
 * A text that so many have at both ends is common everywhere. Numbers count up, so one end alone
 * says little about the other.
 */
const COMMON = LOOKED_AT / 10
/**
 * Of a text that more than `MOST_ROWS` have: if so many of the newest have it, the first page is
 * soon found.
 */
const SOON = 4

/** Ids that a search has found. */
export interface FoundIds {
  readonly count: number
  /** An array of them. */
  readonly array: RawBuilder<unknown>
}

/** Rows match that have one of these ids in this column. */
export interface Found {
  readonly by: string
  readonly ids: FoundIds
}

/**
 * Rows of a table that a search finds first, because an index answers only a condition on its own
 * table.
 */
export interface RelatedSearch {
  /** The column of the listed row that has the id of such a row. */
  readonly by: string
  /** Numbers count up, so the rows that match may all be old ones. */
  readonly countsUp?: true
  /**
   * Undefined for a text so common that the listed rows are compared one by one, in their order.
   */
  find(db: SchoolDb, text: string): Promise<FoundIds | undefined>
  /** The condition on one listed row `r`, for a text that is not searched first. */
  isFound(db: SchoolDb, text: string): RawBuilder<unknown>
}

export const foundIds = (ids: readonly string[]): FoundIds => ({
  count: ids.length,
  array: sql`${ids}::uuid[]`,
})

/** A text of another table of the school. */
export function textOf(by: string, table: string, column: string): RelatedSearch {
  return rowOf(by, table, { contains: containsText, reads: readsText, column })
}

/** A number of another table of the school. */
export function codeOf(by: string, table: string, column: string): RelatedSearch {
  return {
    ...rowOf(by, table, { contains: containsCode, reads: readsCode, column }),
    countsUp: true,
  }
}

/** A number of the listed rows themselves, in a table that grows with the school. */
export function ownCode(table: string, column: string): RelatedSearch {
  return {
    ...codeOf('id', table, column),
    isFound: (_, text) => readsCode(`r.${column}`, text),
  }
}

interface Compared {
  readonly column: string
  /** With the index. */
  contains(column: string, text: string): RawBuilder<boolean>
  /** Without. */
  reads(column: string, text: string): RawBuilder<boolean>
}

function rowOf(by: string, table: string, { column, contains, reads }: Compared): RelatedSearch {
  const rowsOf = (db: SchoolDb) =>
    sql`from ${sql.table(table)} t where t.school_id = ${db.schoolId}`
  return {
    by,
    async find(db, text) {
      const end = (direction: 'asc' | 'desc') => sql`
        select t.id, ${reads(`t.${column}`, text)} as found ${rowsOf(db)}
        order by t.created_at ${sql.raw(direction)} limit ${sql.lit(LOOKED_AT)}`
      const { rows: ends } = await db.run(sql<Ends>`
        with newest as materialized (${end('desc')}), oldest as materialized (${end('asc')})
        select (select count(*) from newest) as looked_at, array(select id from newest where found)::text[] as newest,
          (select count(*) from oldest where found) as oldest`)
      const { looked_at, newest, oldest } = ends[0] ?? { looked_at: 0, newest: [], oldest: 0 }
      if (looked_at < LOOKED_AT) return foundIds(newest)
      if (Math.min(newest.length, oldest) >= COMMON) return undefined
      const all = sql`select t.id ${rowsOf(db)} and ${contains(`t.${column}`, text)}`
      const { rows } = await db.run(
        sql<{ id: string }>`${all} limit ${sql.lit(MOST_ROWS + 1)} ${plannedEachTime}`,
      )
      if (rows.length <= MOST_ROWS) return foundIds(rows.map(({ id }) => id))
      return newest.length >= SOON ? undefined : { count: rows.length, array: sql`array(${all})` }
    },
    isFound: (db, text) => sql`coalesce((
      select true ${rowsOf(db)} and t.id = r.${sql.ref(by)} and ${reads(`t.${column}`, text)} limit 1), false)`,
  }
}

interface Ends {
  readonly looked_at: number
  readonly newest: readonly string[]
  readonly oldest: number
}

/**
 * The keys of all that match are found before a row is read. PostgreSQL cannot know that they are
 * rare among the newest: it would read the rows in their order until a page is full, and that may
 * be all rows. It does not guess either, because an array of a subquery is taken for a short one.
 */
export function keyIsAmong(
  db: SchoolDb,
  caller: Actor,
  resource: Resource,
  found: readonly Found[],
): RawBuilder<unknown> {
  const key = keyOf(resource)
  const keys = found
    .filter(({ ids }) => ids.count > 0)
    .map(({ by, ids }) =>
      by === (resource.key ?? 'id')
        ? sql`array(select unnest(${ids.array}))`
        : sql`array(select r.${key} from (${resource.rows(db, caller)}) r where r.${sql.ref(by)} = any(${ids.array}))`,
    )
  return keys.length === 0 ? sql`false` : sql`r.${key} = any(${sql.join(keys, sql` || `)})`
}
