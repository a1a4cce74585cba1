import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { refusalFromDatabase } from '../operation/database-refusal.ts'
import { id } from '../operation/fields.ts'
import { OperationRefused, type Refusal } from '../operation/refusal.ts'
import { claimer } from './claimer.ts'
import type { BulkCaller, BulkKind, ImportRow, RowOutcome } from './kind.ts'
import { findBefore, identityOf, planRow } from './plan-rows.ts'
import { externalId, idOfExternal } from './stand-in.ts'
import type { KeyedDetails, PlannedRow, StartedRow, TableKindDetails } from './table-details.ts'
import { writeInWaves } from './waves.ts'
import { insertRows, updateRows } from './write-rows.ts'

/** A kind whose objects are rows of one table, perhaps with lists in others. */
export function tableKind(details: TableKindDetails): BulkKind {
  const { name, about, of, scopes, example, natural, standIns = {} } = details
  const key = details.key ?? ['id']
  const identified = key.includes('id')
  const external = identified && natural === undefined
  return {
    name,
    about,
    of,
    list: details.list,
    key,
    named: details.named ?? namingOf(identified, natural),
    scopes,
    example,
    columns: {
      ...(identified ? { id: { schema: id, note: 'kept; a new one unless given' } } : {}),
      ...(external
        ? { external_id: { schema: externalId, note: 'the name that another system has for it' } }
        : {}),
      ...details.columns,
      ...Object.fromEntries(
        Object.entries(standIns).map(([column, { schema, note }]) => [column, { schema, note }]),
      ),
    },
    ...(details.apart === true ? { claim: claimer(details) } : {}),
    async write(tx, caller, rows) {
      try {
        return await writeAll(tx, caller, rows, { ...details, key })
      } catch (error) {
        throw renamed(error, details)
      }
    },
  }
}

function namingOf(identified: boolean, natural: readonly string[] | undefined): string {
  if (natural === undefined) return 'id, else external_id'
  const names = natural.join(' with ')
  return identified ? `id, else ${names}` : names
}

async function writeAll(
  tx: SchoolTx,
  caller: BulkCaller,
  rows: readonly ImportRow[],
  details: KeyedDetails,
): Promise<RowOutcome[]> {
  const started = await resolve(tx, details, rows)
  await details.locate?.(tx, started)
  await findBefore(tx, caller, details, started)
  const identities = started.map((row) => identityOf(row, details))
  const inWaves = await writeInWaves(rows, identities, (wave) =>
    writeAll(tx, caller, wave, details),
  )
  if (inWaves !== undefined) return inWaves
  const defaults = (await details.defaults?.(tx)) ?? {}
  for (const row of started) planRow(row, details, defaults, caller)
  const planned = started.filter(isPlanned)
  await details.inspect?.(tx, planned, caller)
  const writing = planned.filter(({ outcome }) => outcome === 'created' || outcome === 'updated')
  await insertRows(tx, details, writing)
  await updateRows(tx, details, writing)
  await details.confirm?.(tx, writing)
  return started.map(({ outcome }) => outcome ?? 'unchanged')
}

function isPlanned(row: StartedRow): row is PlannedRow {
  return typeof row.outcome === 'string'
}

/** Puts ids where rows have other names for what they speak of. */
async function resolve(
  tx: SchoolTx,
  details: KeyedDetails,
  rows: readonly ImportRow[],
): Promise<StartedRow[]> {
  const members = new Set<string>()
  const started: StartedRow[] = rows.map(({ values }) => ({ values: { ...values }, members }))
  for (const [column, standIn] of Object.entries(details.standIns ?? {})) {
    const using = started.filter(({ values }) => values[column] != null)
    if (using.length === 0) continue
    const texts = new Set<string>()
    for (const { values } of using) {
      const named = values[column] as string | readonly string[]
      if (typeof named === 'string') texts.add(named)
      else for (const text of named) texts.add(text)
    }
    const found = await standIn.find(tx, [...texts], members)
    for (const row of using) {
      const known = idsOf(found, row.values[column] as string | string[])
      if (known === undefined) row.outcome ??= unknown(column)
      else row.values[standIn.for] ??= known
    }
  }
  for (const { values } of started) {
    if (values.id !== undefined || typeof values.external_id !== 'string') continue
    values.id = idOfExternal(tx.schoolId, details.name, values.external_id)
  }
  return started
}

function idsOf(
  found: ReadonlyMap<string, string>,
  named: string | readonly string[],
): string | string[] | undefined {
  if (typeof named === 'string') return found.get(named)
  const ids = named.flatMap((name) => found.get(name) ?? [])
  return ids.length === named.length ? ids : undefined
}

function unknown(column: string): Refusal {
  const detail = `There is no such object at this school. Check ${column}, or import it first.`
  return {
    kind: 'invalid',
    problems: [{ pointer: `/${column}`, code: 'unknown_reference', detail }],
  }
}

/** A refusal by the database names columns of tables; whoever wrote the file knows ours. */
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
