import { type RawBuilder, sql } from 'kysely'

/** A time inside JSON that PostgreSQL builds, in the same format as all other times. */
export function wireTime(reference: string): RawBuilder<unknown> {
  return sql`to_char(${sql.ref(reference)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
