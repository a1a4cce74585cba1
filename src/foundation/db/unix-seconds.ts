import { type RawBuilder, sql } from 'kysely'

/** The first second of PostgreSQL's timestamps: 4714-11-24T00:00:00Z BC. */
const FIRST_SECOND = -210_866_803_200
/** The last one: 294276-12-31T23:59:59Z. */
const LAST_SECOND = 9_224_318_015_999

/** Whole Unix seconds of a timestamp. As a float, which pg reads as a number. */
export function secondsInSql(timestamp: RawBuilder<unknown>): RawBuilder<number> {
  return sql`floor(date_part('epoch', ${timestamp}))`
}

/** Unix seconds as a bound of timestamps. No timestamp is beyond the range, so infinity means the same there. */
export function boundInSql(seconds: number): RawBuilder<Date> {
  const bound = seconds < FIRST_SECOND ? '-infinity' : seconds > LAST_SECOND ? 'infinity' : seconds
  return sql`to_timestamp(${bound}::float8)`
}
