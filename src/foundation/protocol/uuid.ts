/**
 * A UUID as PostgreSQL and this server write it: in lower case, with hyphens.
 *
 * @see RFC 9562 §4
 */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const UUID_IN_ANY_CASE = new RegExp(UUID.source, 'i')

/**
 * Whether a text can name a row, in either case as RFC 9562 §4 reads it. Check this before a query:
 * PostgreSQL answers a text of another shape with an error instead of "no row".
 */
export function isUuid(text: string): boolean {
  return UUID_IN_ANY_CASE.test(text)
}
