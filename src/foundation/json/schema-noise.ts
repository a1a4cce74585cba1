/** Formats that are clearer for a reader than their regular expression. */
const CLEAR_FORMATS = new Set(['uuid', 'date-time', 'date', 'email'])

/** Whether a member of a JSON Schema tells its reader nothing: a pattern beside such a format, or the bounds of every integer. */
export function isSchemaNoise(name: string, member: unknown, schema: object): boolean {
  if (name === 'pattern' && typeof member === 'string') {
    return CLEAR_FORMATS.has(String(Reflect.get(schema, 'format')))
  }
  return member === Number.MAX_SAFE_INTEGER || member === Number.MIN_SAFE_INTEGER
}
