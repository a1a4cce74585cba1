import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import type { SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import { plainList, textList } from '../../foundation/db/sql-values.ts'
import { type ColumnShape, type ImportRow, type RowOutcome, shapeOf } from './kind.ts'
import { objectAfter, same } from './plan-rows.ts'
import type { ChildList, KeyedDetails, PlannedRow, TableKindDetails } from './table-details.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Inserts all new objects with one statement. The rows are one JSON value that PostgreSQL unpacks
 * by the types of the table, so the text of the statement is the same for all rows of a kind.
 */
export async function insertRows(
  tx: SchoolTx,
  details: KeyedDetails,
  rows: readonly PlannedRow[],
): Promise<void> {
  const made = rows.filter(({ outcome }) => outcome === 'created')
  if (made.length === 0) return
  const members = storedMembers(details)
  const now = new Set((details.now ?? []).map((name) => storedAs(details, name)))
  const columns = members.map((name) => storedAs(details, name))
  const values = columns.map((column) =>
    now.has(column) ? sql`coalesce(v.${sql.ref(column)}, now())` : sql`v.${sql.ref(column)}`,
  )
  const table = sql.table(details.table)
  const references = sql.join(columns.map((column) => sql.ref(column)))
  const lists = listsOf(made, details, members)
  const given =
    lists === undefined
      ? sql`json_populate_recordset(null::${table}, ${asJson(made, details, members)}::json) v`
      : sql`unnest(${sql.join(lists)}) v (${references})`
  await tx.run(sql`
    insert into ${table} (school_id, ${references})
    select ${tx.schoolId}::uuid, ${sql.join(values)} from ${given}`)
  for (const [name, list] of Object.entries(details.lists ?? {})) {
    const filled = made.filter(({ values }) => values[name] !== undefined)
    await insertChildren(
      tx,
      list,
      filled.map(({ values }) => ({ value: values[name], values })),
    )
  }
}

/** Updates all changed objects with one statement: each row sets the members that it has. */
export async function updateRows(
  tx: SchoolTx,
  details: KeyedDetails,
  rows: readonly PlannedRow[],
): Promise<void> {
  const changed = rows.filter(({ outcome }) => outcome === 'updated')
  if (changed.length === 0) return
  for (const row of changed) for (const name of details.key) row.values[name] = row.before?.[name]
  const members = storedMembers(details)
  const settable = members
    .filter((name) => !details.key.includes(name) && details.columns[name]?.fixed !== true)
    .map((name) => storedAs(details, name))
  const table = sql.table(details.table)
  const assignments = settable.map((column) => {
    const reference = sql.ref(column)
    return sql`${reference} = case when e ? ${sql.lit(column)} then v.${reference} else t.${reference} end`
  })
  const keys = details.key.map((name) => {
    const reference = sql.ref(storedAs(details, name))
    return sql`t.${reference} = v.${reference}`
  })
  if (assignments.length > 0) {
    await tx.run(sql`
      update ${table} t set ${sql.join(assignments)}
      from jsonb_array_elements(${asJson(changed, details, members)}::jsonb) e,
        lateral jsonb_populate_record(null::${table}, e) v
      where t.school_id = ${tx.schoolId} and ${sql.join(keys, sql` and `)}`)
  }
  for (const [name, list] of Object.entries(details.lists ?? {})) {
    const moved = changed.filter(
      ({ values, before }) => values[name] !== undefined && !same(values[name], before?.[name]),
    )
    if (moved.length === 0) continue
    const owners = moved.map(({ values }) => values.id)
    await tx.run(sql`
      delete from ${sql.table(list.table)}
      where school_id = ${tx.schoolId} and ${sql.ref(list.owner)} = any(${owners}::uuid[])`)
    const lists = moved.map((row) => ({ value: row.values[name], values: objectAfter(row) }))
    await insertChildren(tx, list, lists)
  }
}

async function insertChildren(
  tx: SchoolTx,
  { table, owner, columns, rows }: ChildList,
  lists: readonly { value: unknown; values: Values }[],
): Promise<void> {
  const children = lists.flatMap(({ value, values }) =>
    rows(value as never, values).map((row) => ({ ...row, [owner]: values.id })),
  )
  if (children.length === 0) return
  await insertJson(tx, table, [owner, ...columns], children)
}

async function insertJson(
  tx: SchoolTx,
  table: TenantTable,
  columns: readonly string[],
  rows: readonly Values[],
): Promise<void> {
  const references: RawBuilder<unknown>[] = columns.map((column) => sql.ref(column))
  await tx.run(sql`
    insert into ${sql.table(table)} (school_id, ${sql.join(references)})
    select ${tx.schoolId}::uuid, ${sql.join(columns.map((column) => sql`v.${sql.ref(column)}`))}
    from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb) v`)
}

function storedMembers({
  key,
  columns,
  derived = [],
  elsewhere = [],
  lists = {},
}: KeyedDetails): string[] {
  const members = new Set([...key, ...Object.keys(columns), ...derived])
  return [...members].filter((name) => !(name in lists) && !elsewhere.includes(name))
}

function storedAs({ stored = {} }: TableKindDetails, name: string): string {
  return stored[name] ?? name
}

function asJson(
  rows: readonly PlannedRow[],
  details: KeyedDetails,
  members: readonly string[],
): string {
  const columns = members.map((name) => [name, `"${storedAs(details, name)}":`] as const)
  let json = ''
  for (const { values } of rows) {
    let row = ''
    for (const [name, column] of columns) {
      const value = values[name]
      if (value !== undefined) row += (row === '' ? column : `,${column}`) + jsonOf(value)
    }
    json += json === '' ? `{${row}}` : `,{${row}}`
  }
  return `[${json}]`
}

/** Texts that need no escaping in JSON, which are most. */
const PLAIN = /^[^"\\\u0000-\u001f\ud800-\udfff]*$/

function jsonOf(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
}

/**
 * Writes rows in rounds, each with at most one row per object, so that a later row about an object
 * sees what the earlier row wrote. A row equal to the earlier row of its object is not written
 * again. Returns undefined if no object occurs twice: one round is enough.
 *
 * @param identities the same text for rows about the same object; undefined if the object is not
 * known
 */
export async function writeInRounds(
  rows: readonly ImportRow[],
  identities: readonly (string | undefined)[],
  write: (round: readonly ImportRow[]) => Promise<readonly RowOutcome[]>,
): Promise<RowOutcome[] | undefined> {
  const rounds: number[][] = []
  const echoes: [place: number, of: number][] = []
  const last = new Map<string, { place: number; round: number }>()
  for (const [place, identity] of identities.entries()) {
    const earlier = identity === undefined ? undefined : last.get(identity)
    if (earlier !== undefined && repeats(rows, place, earlier.place)) {
      echoes.push([place, earlier.place])
      continue
    }
    const round = earlier === undefined ? 0 : earlier.round + 1
    rounds[round] ??= []
    rounds[round].push(place)
    if (identity !== undefined) last.set(identity, { place, round })
  }
  if (rounds.length < 2 && echoes.length === 0) return undefined
  const outcomes: RowOutcome[] = rows.map(() => 'unchanged')
  for (const round of rounds) {
    const done = await write(round.flatMap((place) => rows[place] ?? []))
    for (const [k, place] of round.entries()) outcomes[place] = done[k] ?? 'unchanged'
  }
  for (const [place, of] of echoes) {
    const outcome = outcomes[of]
    if (typeof outcome === 'object') outcomes[place] = outcome
  }
  return outcomes
}

function repeats(rows: readonly ImportRow[], place: number, earlier: number): boolean {
  return isDeepStrictEqual(rows[place]?.values, rows[earlier]?.values)
}

const TYPES: Readonly<Record<Exclude<ColumnShape['type'], 'json'>, string>> = {
  text: 'text',
  integer: 'bigint',
  boolean: 'boolean',
  time: 'timestamptz',
}

/**
 * The values of rows as one array per member, or undefined if a member is itself a list or an
 * object.
 */
function listsOf(
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
    const isId = column === undefined || uuid
    const values = rows.map((row) => row.values[name]) as (string | null)[]
    const literal = type === 'text' && !isId ? textList(values) : plainList(values)
    lists.push(sql`${literal}::${sql.raw(types[name] ?? (isId ? 'uuid' : TYPES[type]))}[]`)
  }
  return lists
}
