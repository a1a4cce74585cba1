import { type RawBuilder, sql } from 'kysely'

/** A time inside JSON that PostgreSQL makes, written as all other times are. */
export function wireTime(reference: string): RawBuilder<unknown> {
  return sql`to_char(${sql.ref(reference)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** Text that a person typed to search by, as a pattern: their own wildcards are letters. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (special) => `\\${special}`)}%`
}
