import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { type SchoolDb, type SchoolTx, unconfirmed } from '../../foundation/db/school-db.ts'
import { retryCollision } from '../../foundation/db/unavailable.ts'
import type { Actor } from '../actor/actor.ts'
import { refusalFromDatabase } from '../operation/database-refusal.ts'
import { OperationRefused, type Refusal } from '../operation/refusal.ts'
import { wireObject } from '../operation/resource.ts'
import { judgeRow, type RowRules } from '../operation/row-rules.ts'
import { type RowOutcome, shapeOf } from './kind.ts'
import { matching, seeking, wantedAs } from './reference-column.ts'
import type { KeyedDetails, StartedRow } from './table-details.ts'

type Values = Record<string, unknown>

/** Finds the objects of rows by id, else by their natural key. */
export async function findBefore(
  tx: SchoolTx,
  caller: Actor,
  details: KeyedDetails,
  rows: readonly StartedRow[],
): Promise<void> {
  const { key } = details
  if (key.includes('id')) {
    const identified = rows.filter(({ values }) => typeof values.id === 'string')
    assign(identified, await findBy(tx, caller, details, ['id'], identified), ['id'])
  }
  if (details.natural === undefined) return
  const named = details.seek ?? [
    ...details.natural,
    ...(details.derived ?? []).filter((name) => key.includes(name)),
  ]
  const asked = rows.filter(
    ({ values }) => values.id === undefined && named.every((name) => values[name] != null),
  )
  assign(asked, await findBy(tx, caller, details, named, asked), named)
}

/**
 * One index lookup per row, whatever the statistics of the table say: they are older than the
 * import, and a plan that reads all rows of a school gets slower with every batch.
 */
async function findBy(
  tx: SchoolTx,
  caller: Actor,
  { of, columns, seek }: KeyedDetails,
  names: readonly string[],
  rows: readonly StartedRow[],
): Promise<Values[]> {
  if (rows.length === 0) return []
  const lists = names.map((name) => {
    const isUuid = columns[name] === undefined || shapeOf(columns[name].schema).uuid
    const list = rows.map(({ values }) => values[name])
    return isUuid ? sql`${`{${list.join()}}`}::uuid[]` : sql`${list}::text[]`
  })
  const wanted = sql.join(names.map(wantedAs))
  const condition = names === seek ? seeking(names) : matching(names)
  const { rows: found } = await tx.run(sql<Values>`
    select r.* from unnest(${sql.join(lists)}) as wanted (${wanted})
      cross join lateral (
        select r.* from (${of.rows(tx, caller)}) r where ${condition} limit 1) r`)
  return found.map((row) => wireObject(of, row))
}

function assign(rows: readonly StartedRow[], found: readonly Values[], by: readonly string[]) {
  if (found.length === 0) return
  const nameOf = namer(by)
  const objects = new Map(found.map((object) => [nameOf(object), object]))
  for (const row of rows) {
    const object = objects.get(nameOf(row.values))
    if (object !== undefined) row.before = object
  }
}

function namer(by: readonly string[]): (values: Readonly<Values>) => string {
  const [only = ''] = by
  if (by.length === 1) return (values) => String(values[only])
  return (values) => by.map((name) => String(values[name])).join('\n')
}

/**
 * Names the object of a row: rows about one object give one text. Undefined if the row does not
 * tell.
 */
export function identityOf(
  { before, values }: StartedRow,
  { key, natural = NOTHING }: KeyedDetails,
): string | undefined {
  const source = before ?? values
  const names = before !== undefined ? key : values.id !== undefined ? BY_ID : natural
  let identity = names === natural ? 'named' : ''
  for (const name of names) {
    if (source[name] == null) return undefined
    identity = identity === '' ? String(source[name]) : `${identity}\n${source[name]}`
  }
  return names.length === 0 ? undefined : identity
}

const BY_ID = ['id']
const NOTHING: readonly string[] = []

/**
 * The object as the row leaves it: defaults, then the object before, then the values of the row.
 */
export function objectAfter(
  { values, before }: Pick<StartedRow, 'values' | 'before'>,
  beginning: Readonly<Values> = {},
): Values {
  const object = { ...beginning, ...before }
  for (const name in values) if (values[name] !== undefined) object[name] = values[name]
  return object
}

/** Decides the outcome of a row: created, updated, unchanged or refused. */
export function planRow(
  row: StartedRow,
  details: KeyedDetails,
  defaults: Values,
  caller: Actor,
  now: number,
): void {
  if (row.outcome !== undefined) return
  details.complete?.(row, caller, defaults)
  row.outcome =
    row.before === undefined ? planNew(row, details, defaults) : planChange(row, details)
  if (details.rules !== undefined) row.outcome = judge(row, row.outcome, details.rules, now)
}

/** The values of a new row are the whole object already, so only a change costs a copy. */
function judge(
  row: StartedRow,
  planned: RowOutcome,
  rules: RowRules<never>,
  now: number,
): RowOutcome {
  if (planned !== 'created' && planned !== 'updated') return planned
  const after = planned === 'created' ? row.values : objectAfter(row)
  return judgeRow(rules, after as never, row.before as never, now) ?? planned
}

function planNew(row: StartedRow, details: KeyedDetails, defaults: Values): RowOutcome {
  const { values } = row
  if (details.key.includes('id') && values.id === undefined) {
    if (details.natural === undefined) return missing(['external_id'])
    if (details.natural.includes('id')) return missing(['id'])
    values.id = uuidv7()
  }
  const lacking: string[] = []
  for (const name in details.columns) {
    if (values[name] !== undefined) continue
    const column = details.columns[name]
    const fallback = defaults[name] ?? column?.default
    if (fallback !== undefined) values[name] = fallback
    else if (column?.needed === true) lacking.push(name)
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
  const changed: string[] = []
  for (const name in columns) {
    if (values[name] !== undefined && !same(values[name], before[name])) changed.push(name)
  }
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

/** PostgreSQL reorders the members of a JSON object, so their order is not compared. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && isDeepStrictEqual(a, b))
}

export type Attempted<R> =
  | { readonly kind: 'done'; readonly value: R }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/**
 * Runs work in a unit that is committed or rolled back as a whole, and returns the refusal if there
 * is one.
 */
export type Attempt = <R>(work: (tx: SchoolTx) => Promise<R>) => Promise<Attempted<R>>

/** Runs each attempt in its own transaction. */
export function attemptsAt(db: SchoolDb): Attempt {
  return async (work) => {
    try {
      return { kind: 'done', value: await retryCollision(() => db.transaction(work)) }
    } catch (error) {
      return refusedBy(error)
    }
  }
}

/**
 * Runs all attempts in one transaction and rolls it back at the end. Later rows see what earlier
 * rows wrote, so a dry run judges like a real one.
 */
export async function dryRun<R>(
  db: SchoolDb,
  perform: (attempt: Attempt, tx: SchoolTx) => Promise<R>,
): Promise<R> {
  let performed: { readonly value: R } | undefined
  try {
    // It changes nothing, and what its caller holds must not stay locked until the end of the file.
    await unconfirmed(db).transaction(async (tx) => {
      performed = { value: await perform(savepointsIn(tx), tx) }
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack) || performed === undefined) throw error
  }
  if (performed === undefined) throw new Error('the dry run ended without a result')
  return performed.value
}

class RolledBack extends Error {}

/** Runs each attempt in a savepoint of this transaction. */
export function savepointsIn(tx: SchoolTx): Attempt {
  return async (work) => {
    await tx.run(sql`savepoint attempt`)
    try {
      const value = await work(tx)
      // Deferred constraints are checked at commit, which a dry run never reaches.
      await tx.run(sql`set constraints all immediate`)
      await tx.run(sql`set constraints all deferred`)
      await tx.run(sql`release savepoint attempt`)
      return { kind: 'done', value }
    } catch (error) {
      await tx.run(sql`rollback to savepoint attempt`)
      return refusedBy(error)
    }
  }
}

function refusedBy(error: unknown): { readonly kind: 'refused'; readonly refusal: Refusal } {
  const refusal = error instanceof OperationRefused ? error.refusal : refusalFromDatabase(error)
  if (refusal === undefined) throw error
  return { kind: 'refused', refusal }
}
