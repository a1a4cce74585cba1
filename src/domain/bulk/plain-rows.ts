import type { z } from 'zod'

/** Longer texts hardly ever come twice. */
const MAX_KNOWN_LENGTH = 80
const MAX_KNOWN = 2000

/**
 * Whether every value of a row is a plain one and valid as it stands, column by column. It says no
 * also where it cannot tell: then the schema of the whole row judges, and puts the refusal into words.
 * Files say the same again and again (emails, states, slugs), and what was valid a moment ago still is.
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
      // Schemas of lists and objects may fill them in, so that what is valid is not what was said.
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
