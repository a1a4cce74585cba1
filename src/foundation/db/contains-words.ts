import { type RawBuilder, sql } from 'kysely'

/** Further words only cost time; people do not type as many. */
const MAX_WORDS = 8
/** A longer word is found by its beginning. */
const MAX_WORD_LENGTH = 64
/**
 * Of a long text, this much is searched. PostgreSQL compares a word at every place of a text, so the worst text
 * and the worst word cost the product of their lengths: both are bounded.
 */
const SEARCHED_LENGTH = 20_000

/**
 * Whether every word of a search occurs in the columns, in upper or lower case. Substrings and not
 * stems: some languages write no spaces. A search without words matches every row.
 */
export function containsWords(columns: readonly string[], search: string): RawBuilder<boolean> {
  const words = search.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return sql<boolean>`true`
  const wanted = words.slice(0, MAX_WORDS).map(beginning)
  const text = sql.join(columns.map(searched), sql` || ' ' || `)
  // `offset 0`: the text is read and lowered once for all words.
  return sql<boolean>`exists (
    select from (select lower(${text}) as text offset 0) searched
    where not exists (
      select from unnest(${wanted}::text[]) word where strpos(searched.text, lower(word)) = 0))`
}

/** Whether a text occurs in a column, in upper or lower case. */
export function containsText(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`strpos(lower(${searched(column)}), lower(${text}::text)) > 0`
}

/** Reads only so much of a text that is stored in pieces. */
function searched(column: string): RawBuilder<unknown> {
  return sql`left(${sql.ref(column)}, ${sql.lit(SEARCHED_LENGTH)})`
}

/** Whole characters: half a surrogate pair is no text for PostgreSQL. */
function beginning(word: string): string {
  if (word.length <= MAX_WORD_LENGTH) return word
  return Array.from(word.slice(0, 2 * MAX_WORD_LENGTH))
    .slice(0, MAX_WORD_LENGTH)
    .join('')
}
