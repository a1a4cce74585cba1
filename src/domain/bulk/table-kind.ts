import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { refusalFromDatabase } from '../operation/database-refusal.ts'
import { id, time } from '../operation/fields.ts'
import { OperationRefused, type Refusal } from '../operation/refusal.ts'
import type { BulkKind, ImportRow, KnownNames, RowOutcome } from './kind.ts'
import { findBefore, identityOf, planRow } from './plan-rows.ts'
import { externalId, idOfExternal, type Named } from './reference-column.ts'
import type { KeyedDetails, PlannedRow, StartedRow, TableKindDetails } from './table-details.ts'
import { insertRows, updateRows, writeInRounds } from './write-rows.ts'

/** A kind whose objects are rows of one table, with lists in other tables. */
export function tableKind(given: TableKindDetails): BulkKind {
  const details = withCreationTime(given)
  const { name, about, of, scopes, example, natural, references = {} } = details
  const key = details.key ?? ['id']
  const identified = key.includes('id')
  const external = identified && natural === undefined
  const keyed = { ...details, key }
  const columns = {
    ...(identified ? { id: { schema: id, note: 'a new one by default' } } : {}),
    ...(external
      ? { external_id: { schema: externalId, note: 'the id of the object in another system' } }
      : {}),
    ...details.columns,
    ...Object.fromEntries(
      Object.entries(references).map(([column, { schema, note }]) => [column, { schema, note }]),
    ),
  }
  const blank = blankOf([...Object.keys(columns), ...key, ...(details.derived ?? [])])
  return {
    name,
    about,
    of,
    list: details.list,
    key,
    named: details.named ?? namingOf(identified, natural),
    scopes,
    notInAdmin: details.notInAdmin,
    example,
    columns,
    instead: insteadOf(references),
    ...(details.rules === undefined ? {} : { rules: details.rules }),
    ...(details.independent === true ? { objectName: objectNamer(details) } : {}),
    async write(tx, caller, rows, known) {
      try {
        return await writeAll(tx, caller, rows, { known, keyed, blank })
      } catch (error) {
        throw renamed(error, details)
      }
    },
  }
}

/** An object that shows when it was made brings that time from another system. */
function withCreationTime(details: TableKindDetails): TableKindDetails {
  if (!('created_at' in details.of.schema.shape)) return details
  const created_at = { schema: time, note: 'now by default' }
  const { columns, now = [] } = details
  return { ...details, columns: { ...columns, created_at }, now: [...now, 'created_at'] }
}

function insteadOf(references: NonNullable<TableKindDetails['references']>) {
  const instead: Record<string, string[]> = {}
  for (const [column, reference] of Object.entries(references)) {
    instead[reference.for] = [...(instead[reference.for] ?? []), column]
  }
  return instead
}

function namingOf(identified: boolean, natural: readonly string[] | undefined): string {
  if (natural === undefined) return 'id, otherwise external_id'
  const names = natural.join(' with ')
  return identified ? `id, otherwise ${names}` : names
}

interface Writing {
  readonly keyed: KeyedDetails
  readonly known: KnownNames
  readonly blank: Readonly<Record<string, undefined>>
}

/**
 * An object with every member that a row can have. Adding members one by one makes V8 change the
 * object's layout each time, which cost more than all other work on a row.
 */
function blankOf(names: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined]))
}

async function writeAll(
  tx: SchoolTx,
  caller: Actor,
  rows: readonly ImportRow[],
  writing: Writing,
): Promise<RowOutcome[]> {
  const { keyed: details } = writing
  const started = await resolve(tx, writing, rows)
  await details.locate?.(tx, started)
  await findBefore(tx, caller, details, started)
  const identities = started.map((row) => identityOf(row, details))
  const inRounds = await writeInRounds(rows, identities, (round) =>
    writeAll(tx, caller, round, writing),
  )
  if (inRounds !== undefined) return inRounds
  const defaults = (await details.defaults?.(tx)) ?? {}
  const now = Date.now()
  for (const row of started) planRow(row, details, defaults, caller, now)
  const planned = started.filter(isPlanned)
  await details.inspect?.(tx, planned, caller)
  const changes = planned.filter(({ outcome }) => outcome === 'created' || outcome === 'updated')
  await insertRows(tx, details, changes)
  await updateRows(tx, details, changes)
  await details.confirm?.(tx, changes)
  return started.map(({ outcome }) => outcome ?? 'unchanged')
}

function isPlanned(row: StartedRow): row is PlannedRow {
  return typeof row.outcome === 'string'
}

/** Fills in the ids of the objects that reference columns name. */
async function resolve(
  tx: SchoolTx,
  { keyed: details, known, blank }: Writing,
  rows: readonly ImportRow[],
): Promise<StartedRow[]> {
  const members = new Set<string>()
  const started: StartedRow[] = rows.map(({ values }) => ({
    values: Object.assign({ ...blank }, values),
    members,
    before: undefined,
    outcome: undefined,
  }))
  for (const [column, reference] of Object.entries(details.references ?? {})) {
    const using = started.filter(({ values }) => values[column] != null)
    if (using.length === 0) continue
    const texts = new Set<string>()
    for (const { values } of using) {
      const named = values[column] as string | readonly string[]
      if (typeof named === 'string') texts.add(named)
      else for (const text of named) texts.add(text)
    }
    const found = await known.find(tx, reference, texts)
    for (const text of texts) {
      const named = found.get(text)
      if (named?.isMember === true) members.add(named.id)
    }
    for (const row of using) {
      const ids = idsOf(found, row.values[column] as string | string[])
      if (ids === undefined) row.outcome ??= unknown(column)
      else row.values[reference.for] ??= ids
    }
  }
  for (const { values } of started) {
    if (values.id !== undefined || typeof values.external_id !== 'string') continue
    values.id = idOfExternal(tx.schoolId, details.name, values.external_id)
  }
  return started
}

function idsOf(
  found: ReadonlyMap<string, Named>,
  named: string | readonly string[],
): string | string[] | undefined {
  if (typeof named === 'string') return found.get(named)?.id
  const ids = named.flatMap((name) => found.get(name)?.id ?? [])
  return ids.length === named.length ? ids : undefined
}

function unknown(column: string): Refusal {
  const detail = `There is no such object at this school. Check ${column}, or import it first.`
  return {
    kind: 'invalid',
    problems: [{ pointer: `/${column}`, code: 'unknown_reference', detail }],
  }
}

/** A refusal by the database names columns of the table; the file uses the names of members. */
function renamed(error: unknown, { stored = {}, lists = {} }: TableKindDetails): unknown {
  const refusal = error instanceof OperationRefused ? error.refusal : refusalFromDatabase(error)
  if (refusal === undefined) return error
  const table = error instanceof Error ? Reflect.get(error, 'table') : undefined
  const list = Object.entries(lists).find(([, child]) => child.table === table)?.[0]
  const rename = (pointer: string): string => {
    if (list !== undefined) return `/${list}`
    const member = Object.entries(stored).find(([, column]) => pointer === `/${column}`)?.[0]
    return member === undefined ? pointer : `/${member}`
  }
  return new OperationRefused(
    refusal.kind === 'invalid'
      ? {
          ...refusal,
          problems: refusal.problems.map((problem) => ({
            ...problem,
            pointer: rename(problem.pointer),
          })),
        }
      : refusal.kind === 'conflict' && refusal.pointer !== undefined
        ? { ...refusal, pointer: rename(refusal.pointer) }
        : refusal,
  )
}

/**
 * Reads from the columns of a row which object it is about. In a kind with a natural key a row with
 * an id can still collide with the natural key of any other row, so such a row gets no name.
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
