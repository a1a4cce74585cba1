import type { BulkKind } from './kind.ts'
import type { TableKindDetails } from './table-details.ts'

/**
 * Tells by the columns of a row which object it is about. Where objects are unique by what names them,
 * a row with an id can still collide with any other, so nothing can be told about it.
 */
export function claimer({
  natural,
  standIns = {},
}: TableKindDetails): NonNullable<BulkKind['claim']> {
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
    ...Object.keys(standIns).filter((name) => standIns[name]?.for === column),
  ])
  return (values) => {
    if (values.id !== undefined) return undefined
    let [scheme, name] = ['', '']
    for (const columns of named) {
      const column = columns.find((candidate) => values[candidate] != null)
      if (column === undefined) return undefined
      scheme += `${column} `
      // Emails mean the same in any case.
      name += `${String(values[column]).toLowerCase()}\n`
    }
    return { scheme, name }
  }
}
