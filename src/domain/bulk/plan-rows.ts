import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { OperationRefused, type Refusal } from '../operation/refusal.ts'
import { selectObjects } from '../operation/resource.ts'
import { shapeOf } from './column-shape.ts'
import type { BulkCaller, RowOutcome } from './kind.ts'
import type { KeyedDetails, StartedRow } from './table-details.ts'

type Values = Record<string, unknown>

/** Finds the objects that rows speak of, by id or else by what names them. */
export async function findBefore(
  tx: SchoolTx,
  caller: BulkCaller,
  details: KeyedDetails,
  rows: readonly StartedRow[],
): Promise<void> {
  const { of, natural, key } = details
  if (key.includes('id')) {
    const ids = rows.flatMap(({ values }) => (typeof values.id === 'string' ? values.id : []))
    if (ids.length > 0) {
      const found = await selectObjects(tx, caller, of, sql`r.id = any(${ids}::uuid[])`)
      assign(rows, found, ['id'])
    }
  }
  const unnamed = rows.filter(({ values }) => values.id === undefined)
  const named = natural ?? []
  const asked = unnamed.filter(({ values }) => named.every((name) => values[name] != null))
  if (named.length === 0 || asked.length === 0) return
  const lists = named.map((name) => {
    const type = shapeOf(details.columns[name]?.schema).uuid ? sql`uuid[]` : sql`text[]`
    return sql`${asked.map(({ values }) => values[name])}::${type}`
  })
  const references = named.map((name) => sql`r.${sql.ref(name)}`)
  const found = await selectObjects(
    tx,
    caller,
    of,
    sql`(${sql.join(references)}) in (select * from unnest(${sql.join(lists)}))`,
  )
  assign(unnamed, found, named)
}

function assign(rows: readonly StartedRow[], found: readonly Values[], by: readonly string[]) {
  const nameOf = (values: Values): string => by.map((name) => String(values[name])).join('\n')
  const objects = new Map(found.map((object) => [nameOf(object), object]))
  for (const row of rows) {
    const object = objects.get(nameOf(row.values))
    if (object !== undefined) row.before = object
  }
}

/** The same text for rows about the same object; undefined for a row that cannot be placed. */
export function identityOf(
  { before, values }: StartedRow,
  { key, natural = [] }: KeyedDetails,
): string | undefined {
  const names = before !== undefined ? key : values.id !== undefined ? ['id'] : natural
  const source = before ?? values
  if (names.length === 0 || names.some((name) => source[name] == null)) return undefined
  const kind = before === undefined && values.id === undefined ? 'named' : 'key'
  return [kind, ...names.map((name) => String(source[name]))].join('\n')
}

/** Decides what a row does: makes an object, changes one, changes nothing, or is refused. */
export function planRow(
  row: StartedRow,
  details: KeyedDetails,
  defaults: Values,
  caller: BulkCaller,
): void {
  if (row.outcome !== undefined) return
  try {
    details.settle?.(row, caller)
    row.outcome =
      row.before === undefined ? planNew(row, details, defaults) : planChange(row, details)
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error
    row.outcome = error.refusal
  }
}

function planNew(row: StartedRow, details: KeyedDetails, defaults: Values): RowOutcome {
  const { values } = row
  if (details.key.includes('id') && values.id === undefined) {
    if (details.natural === undefined) return missing(['external_id'])
    if (details.natural.includes('id')) return missing(['id'])
    values.id = uuidv7()
  }
  const lacking: string[] = []
  for (const [name, column] of Object.entries(details.columns)) {
    if (values[name] !== undefined) continue
    const fallback = defaults[name] ?? column.default
    if (fallback !== undefined) values[name] = fallback
    else if (column.needed === true) lacking.push(name)
  }
  return lacking.length > 0 ? missing(lacking) : 'created'
}

function missing(names: readonly string[]): Refusal {
  const detail = 'There is no such object yet, and a new one needs this.'
  return {
    kind: 'invalid',
    problems: names.map((name) => ({ pointer: `/${name}`, code: 'required', detail })),
  }
}

function planChange(row: StartedRow, { columns }: KeyedDetails): RowOutcome {
  const { values, before = {} } = row
  const changed = Object.keys(columns).filter(
    (name) => values[name] !== undefined && !same(values[name], before[name]),
  )
  const kept = changed.filter((name) => columns[name]?.fixed === true)
  if (kept.length > 0) {
    const detail = 'This cannot be changed any more. Leave it as it is, or make another object.'
    return {
      kind: 'invalid',
      problems: kept.map((name) => ({ pointer: `/${name}`, code: 'fixed', detail })),
    }
  }
  return changed.length > 0 ? 'updated' : 'unchanged'
}

/** PostgreSQL keeps the members of a JSON object in an order of its own, so their order says nothing. */
export function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b)
}
