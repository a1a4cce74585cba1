import type { BulkKind } from './kind.ts'
import type { TableKindDetails } from './table-details.ts'

/**
 * Reads from the columns of a row which object it is about. In a kind with a natural key a row with an
 * id can still collide with the natural key of any other row, so such a row gets no name.
 */
export function objectNamer({
  natural,
  references = {},
}: TableKindDetails): NonNullable<BulkKind['objectName']> {
  if (natural === undefined) {
    return ({ id, external_id }) => {
      if (typeof id === 'string') return { scheme: 'id', name: id }
      return typeof external_id === 'string'
        ? { scheme: 'external_id', name: external_id }
        : undefined
    }
  }
  const named = natural.map((column) => [
    column,
    ...Object.keys(references).filter((name) => references[name]?.for === column),
  ])
  return (values) => {
    if (values.id !== undefined) return undefined
    let [scheme, name] = ['', '']
    for (const columns of named) {
      const column = columns.find((candidate) => values[candidate] != null)
      if (column === undefined) return undefined
      scheme += `${column} `
      // Emails are compared without case.
      name += `${String(values[column]).toLowerCase()}\n`
    }
    return { scheme, name }
  }
}
