import { type RawBuilder, sql } from 'kysely'

/** Further words only cost time; people do not type as many. */
const MAX_WORDS = 12

/**
 * Whether every word of a search occurs in the columns, in upper or lower case. Substrings and not
 * stems: some languages write no spaces. A search without words matches every row, so that a list and
 * a search of it share one statement.
 */
export function containsWords(columns: readonly string[], search: string): RawBuilder<boolean> {
  const text = sql.join(
    columns.map((column) => sql.ref(column)),
    sql` || ' ' || `,
  )
  return sql<boolean>`(${text}) ilike all (${likePatterns(search)}::text[])`
}

function likePatterns(search: string): string[] {
  const words = search.split(/\s+/).filter((word) => word !== '')
  return words.slice(0, MAX_WORDS).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
}
