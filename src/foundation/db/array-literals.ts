/**
 * Lists as PostgreSQL writes arrays, to be taken apart by `unnest`: it does so faster than with objects,
 * and no name is repeated in them.
 *
 * @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */

type Plain = string | number | boolean | null | undefined

/** Ids, times, numbers and truth values, none of which has a character that means something in a list. */
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
