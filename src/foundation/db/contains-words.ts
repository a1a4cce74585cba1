import { type RawBuilder, sql } from 'kysely'

/** Further words only cost time; people do not type as many. */
const MAX_WORDS = 8
/** A longer word is found by its beginning. */
const MAX_WORD_LENGTH = 64
/**
 * Of a long text, this much is searched. PostgreSQL compares a word at every place of a text, so
 * the worst text and the worst word cost the product of their lengths: both are bounded.
 */
const SEARCHED_LENGTH = 20_000

/**
 * At the end of a statement that searches: PostgreSQL plans it for the words that are asked for. A
 * plan for any words reads a whole table for a rare one.
 */
export const PLANNED_EACH_TIME = '/* planned each time */'
export const plannedEachTime = sql.raw(PLANNED_EACH_TIME)

/** For a statement with `containsWords`. */
export function plannedFor(search: string): RawBuilder<unknown> {
  return search.trim() === '' ? sql`` : plannedEachTime
}

/**
 * Whether every word of a search occurs in the columns, in upper or lower case. Substrings and not
 * stems: some languages write no spaces. A search without words matches every row, one with signs
 * alone matches none.
 */
export function containsWords(columns: readonly string[], search: string): RawBuilder<boolean> {
  const words = search.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return sql<boolean>`true`
  if (!words.some(hasLetter)) return sql<boolean>`false`
  const wanted = words.slice(0, MAX_WORDS).map(beginning)
  const text = joined(columns)
  // `offset 0`: the text is read and lowered once for all words.
  return sql<boolean>`(${sql.join(
    wanted.map((word) => isIndexed(text, word)),
    sql` and `,
  )} and exists (
    select from (select lower(${text}) as text offset 0) searched
    where not exists (
      select from unnest(${wanted}::text[]) word where strpos(searched.text, lower(word)) = 0)))`
}

/**
 * Whether a text occurs in a column, or in several that are read as one, in upper or lower case.
 */
export function containsText(
  columns: string | readonly string[],
  text: string,
): RawBuilder<boolean> {
  if (!hasLetter(text)) return sql<boolean>`false`
  // First the cheap comparison: without an index, most rows need no more.
  return sql<boolean>`(${readsText(columns, text)} and ${isIndexed(joined([columns].flat()), text)})`
}

/** Whether a text has these words, for rows that no index can find. */
export function readsText(columns: string | readonly string[], text: string): RawBuilder<boolean> {
  if (!hasLetter(text)) return sql<boolean>`false`
  return sql<boolean>`strpos(lower(${joined([columns].flat())}), lower(${text}::text)) > 0`
}

/** Fewer characters of an email or a number say nothing, so they are not found there. */
const LEAST_OF_CODE = 3

/**
 * Whether a text that people do not read as words, such as an email or a number, contains this one.
 * Its index is smaller.
 */
export function containsCode(column: string, text: string): RawBuilder<boolean> {
  if (!hasLetter(text)) return sql<boolean>`false`
  return sql<boolean>`(${readsCode(column, text)} and ${isLike(joined([column]), text, (same) => same)})`
}

export function readsCode(column: string, text: string): RawBuilder<boolean> {
  return isShort(text, LEAST_OF_CODE) ? sql<boolean>`false` : readsText(column, text)
}

/**
 * Signs alone are in no index, so they would be compared with every row. They are found nowhere.
 */
function hasLetter(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

/** Only letters and digits that stand together are in an index by trigrams: `C++` has none. */
function hasTrigram(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text)
}

function isShort(text: string, least: number): boolean {
  return Array.from(text).length < least
}

/**
 * The condition in the form that an index by trigrams can answer. One or two letters have no
 * trigram, but in Chinese and Japanese they are whole words: for such texts, every letter is
 * written three times, in the index too. A text contains another exactly if this is true of the two
 * in this form. The letters are those of PostgreSQL, so it writes both.
 */
function isIndexed(searched: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return isLike(searched, text, hasTrigram(text) ? (same) => same : tripled)
}

function isLike(
  searched: RawBuilder<unknown>,
  text: string,
  form: (text: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<boolean> {
  const pattern = escaped(form(sql`lower(${text}::text)`))
  return sql<boolean>`${form(sql`lower(${searched})`)} like '%' || ${pattern} || '%'`
}

function tripled(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`regexp_replace(${text}, '(\\w)', '\\1\\1\\1', 'g')`
}

function escaped(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`regexp_replace(${text}, '([\\\\%_])', '\\\\\\1', 'g')`
}

/** Reads only so much of a text that is stored in pieces. The indexes have the same expression. */
function joined(columns: readonly string[]): RawBuilder<unknown> {
  const texts = columns.map((column) => sql`left(${sql.ref(column)}, ${sql.lit(SEARCHED_LENGTH)})`)
  return sql.join(texts, sql` || ' ' || `)
}

/** Whole characters: half a surrogate pair is no text for PostgreSQL. */
function beginning(word: string): string {
  if (word.length <= MAX_WORD_LENGTH) return word
  return Array.from(word.slice(0, 2 * MAX_WORD_LENGTH))
    .slice(0, MAX_WORD_LENGTH)
    .join('')
}
