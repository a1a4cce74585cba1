import { type RawBuilder, sql } from 'kysely'
import { type ColumnShape, shapeOf } from './column-shape.ts'
import type { KeyedDetails, PlannedRow } from './table-details.ts'

const TYPES: Readonly<Record<Exclude<ColumnShape['type'], 'json'>, string>> = {
  text: 'text',
  integer: 'bigint',
  boolean: 'boolean',
  time: 'timestamptz',
}

/**
 * The values of rows as one list for each member, or undefined where a member is itself a list or an
 * object. PostgreSQL takes lists apart faster than objects, and no name is repeated in them.
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
    const literal = type === 'text' && !isId ? textList(rows, name) : plainList(rows, name)
    lists.push(sql`${literal}::${sql.raw(types[name] ?? (isId ? 'uuid' : TYPES[type]))}[]`)
  }
  return lists
}

/** Ids, times, numbers and truth values, none of which has a character that means something in a list. */
function plainList(rows: readonly PlannedRow[], name: string): string {
  return `{${rows.map(({ values }) => values[name] ?? 'NULL').join()}}`
}

const SPECIAL = /["\\]/

/** @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function textList(rows: readonly PlannedRow[], name: string): string {
  const texts = rows.map(({ values }) => {
    const text = values[name] as string | null | undefined
    if (text == null) return 'NULL'
    return SPECIAL.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`
  })
  return `{${texts.join()}}`
}
