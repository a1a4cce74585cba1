import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * Lists as PostgreSQL writes arrays, to be taken apart by `unnest`: it does so faster than with
 * objects, and no name is repeated in them.
 *
 * @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */

type Plain = string | number | boolean | null | undefined

/**
 * Ids, times, numbers and truth values, none of which has a character that means something in a
 * list.
 */
export function plainList(values: readonly Plain[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`
}

const SPECIAL = /["\\]/

export function textList(texts: readonly (string | null | undefined)[]): string {
  const quoted = texts.map((text) => {
    if (text == null) return 'NULL'
    return SPECIAL.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`
  })
  return `{${quoted.join()}}`
}

/** The first second of PostgreSQL's timestamps: 4714-11-24T00:00:00Z BC. */
const FIRST_SECOND = -210_866_803_200
/** The last one: 294276-12-31T23:59:59Z. */
const LAST_SECOND = 9_224_318_015_999

/** Whole Unix seconds of a timestamp. As a float, which pg reads as a number. */
export function secondsInSql(timestamp: RawBuilder<unknown>): RawBuilder<number> {
  return sql`floor(date_part('epoch', ${timestamp}))`
}

/**
 * Unix seconds as a bound of timestamps. No timestamp is beyond the range, so infinity means the
 * same there.
 */
export function boundInSql(seconds: number): RawBuilder<Date> {
  const bound = seconds < FIRST_SECOND ? '-infinity' : seconds > LAST_SECOND ? 'infinity' : seconds
  return sql`to_timestamp(${bound}::float8)`
}

/**
 * The database's clock, which every stored time comes from: the clocks of several servers may
 * differ.
 */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('The database did not tell the time.')
  return row.now
}
