import type { z } from 'zod'

/** Longer texts rarely repeat. */
const MAX_KNOWN_LENGTH = 80
const MAX_KNOWN = 2000

/**
 * Whether every value of a row is a primitive that its column accepts unchanged. False also means "not
 * sure": then the schema of the whole row decides and makes the refusal. Files repeat values (emails,
 * states, slugs), so valid values are cached.
 */
export function plainRows(
  shape: Readonly<Record<string, z.ZodType>>,
): (row: Readonly<Record<string, unknown>>) => boolean {
  const columns = new Map(
    Object.entries(shape).map(([name, schema]) => [name, { schema, known: new Set<unknown>() }]),
  )
  return (row) => {
    for (const name in row) {
      const column = columns.get(name)
      if (column === undefined) return false
      const value = row[name]
      if (column.known.has(value)) continue
      // Schemas of lists and objects may fill in defaults, so the parsed value differs from the given one.
      if (typeof value === 'object' && value !== null) return false
      const { data } = column.schema.safeParse(value)
      if (data !== value) return false
      if (typeof value === 'string' && value.length > MAX_KNOWN_LENGTH) continue
      if (column.known.size >= MAX_KNOWN) column.known.clear()
      column.known.add(value)
    }
    return true
  }
}
