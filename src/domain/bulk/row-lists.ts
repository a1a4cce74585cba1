import { type RawBuilder, sql } from 'kysely'
import { plainList, textList } from '../../foundation/db/array-literals.ts'
import { type ColumnShape, shapeOf } from './column-shape.ts'
import type { KeyedDetails, PlannedRow } from './table-details.ts'

const TYPES: Readonly<Record<Exclude<ColumnShape['type'], 'json'>, string>> = {
  text: 'text',
  integer: 'bigint',
  boolean: 'boolean',
  time: 'timestamptz',
}

/**
 * The values of rows as one array per member, or undefined if a member is itself a list or an object.
 */
export function listsOf(
  rows: readonly PlannedRow[],
  { key, columns, types = {} }: KeyedDetails,
  members: readonly string[],
): RawBuilder<unknown>[] | undefined {
  const lists: RawBuilder<unknown>[] = []
  for (const name of members) {
    const column = columns[name]
    if (column === undefined && !key.includes(name)) return undefined
    const { type, uuid } = shapeOf(column?.schema)
    if (type === 'json') return undefined
    const isId = uuid || key.includes(name)
    const values = rows.map((row) => row.values[name]) as (string | null)[]
    const literal = type === 'text' && !isId ? textList(values) : plainList(values)
    lists.push(sql`${literal}::${sql.raw(types[name] ?? (isId ? 'uuid' : TYPES[type]))}[]`)
  }
  return lists
}
