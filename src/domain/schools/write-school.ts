import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { DB } from '../../foundation/db/schema.generated.ts'
import {
  atSchoolInTransaction,
  type SchoolDb,
  type SchoolTx,
} from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor/actor.ts'
import { recordChange, whatChanged } from '../audit/audit.ts'
import { judgeInput, OperationRefused } from '../operation/refusal.ts'
import { columnsOf, type NewSchool, newSchool, type SchoolChanges } from './school-details.ts'

/**
 * Crosses schools: creates a school with the default appearance and returns its id. Not an
 * operation, because operations are performed at a school; it throws the same refusals.
 */
export async function createSchool(
  tx: Transaction<DB>,
  details: NewSchool,
  by: AuditedActor,
  id = uuidv7(),
): Promise<string> {
  const judged = judgeInput(newSchool, details)
  if (judged.problems !== undefined) {
    throw new OperationRefused({ kind: 'invalid', problems: judged.problems })
  }
  const columns = columnsOf(judged.data)
  const { subdomain, origin } = columns
  const row = await tx
    .insertInto('schools')
    .values({ ...columns, id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw taken(await takenField(tx, subdomain))
  const db = atSchoolInTransaction(tx, row.id)
  await db.insert('appearances', {}).execute()
  await recordChange(db, by, { action: 'school.created', detail: { subdomain, origin } })
  return row.id
}

/**
 * Crosses schools: moves a school on this machine to another port; true if its origin changed. A
 * school with https or with another host is in real use by now and is not moved, and neither is one
 * whose new origin belongs to another school.
 */
export async function moveLocalOrigin(
  tx: Transaction<DB>,
  id: string,
  origin: string,
): Promise<boolean> {
  const { hostname } = new URL(origin)
  const { numUpdatedRows } = await tx
    .updateTable('schools')
    .set({ origin })
    .where('id', '=', id)
    .where('origin', '~', `^http://${hostname.replaceAll('.', '[.]')}(:[0-9]+)?$`)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('schools as other').where('other.origin', '=', origin))),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function takenField(tx: Transaction<DB>, subdomain: string): Promise<'subdomain' | 'origin'> {
  const same = await tx
    .selectFrom('schools')
    .select('id')
    .where('subdomain', '=', subdomain)
    .executeTakeFirst()
  return same === undefined ? 'origin' : 'subdomain'
}

/**
 * Writes the given columns, records what changed and returns their names. A new origin is a new
 * issuer: tokens keep working there, but clients have to discover it and people have to sign in
 * again.
 */
export async function writeSchool(
  tx: SchoolTx,
  by: AuditedActor,
  changes: SchoolChanges,
): Promise<string[]> {
  const columns = columnsOf(changes)
  const assignments = Object.entries(columns).map(([column, value]) => {
    return sql`${sql.ref(column)} = ${value}`
  })
  if (assignments.length === 0) return []
  const field = await findTaken(tx, columns)
  if (field !== undefined) throw taken(field)
  const names = Object.keys(columns)
  const old = names.map((column) => sql`old.${sql.ref(column)}`)
  // The subquery waits for another write and reads its result; the row that RETURNING knows is the
  // new one.
  const { rows } = await tx.run(sql<Record<string, unknown>>`
    update schools s set ${sql.join(assignments)}
    from (select * from schools where id = ${tx.schoolId} for no key update) old
    where s.id = old.id returning ${sql.join(old)}`)
  await recordSchoolChange(tx, by, rows[0] ?? {}, columns)
  return names
}

/** Texts about the school that name no person; its description and its contact may. */
const ABOUT_THE_SCHOOL = [
  ...['name', 'subdomain', 'origin', 'locale', 'time_zone', 'variant'],
  ...['document_hosts', 'video_hosts', 'quiet_causes', 'operator_factor_from'],
]

/** Nothing if all values are as before: a form sends all its fields. */
export async function recordSchoolChange(
  tx: SchoolTx,
  by: AuditedActor,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Promise<void> {
  const detail = whatChanged(before, after, ABOUT_THE_SCHOOL)
  if (detail.changed === undefined && detail.also_changed === undefined) return
  await recordChange(tx, by, { action: 'school.changed', detail: { ...detail } })
}

/**
 * From when owners and admins need a passkey or a second factor: after the days of grace; null if
 * they need none.
 */
export async function demandFactorFrom(
  tx: SchoolTx,
  by: AuditedActor,
  graceDays: number | undefined,
): Promise<string | null> {
  const { rows } = await tx.run(sql<{ from: Date | null; before: Date | null }>`
    update schools s
    set operator_factor_from = now() + make_interval(days => ${graceDays ?? null}::integer)
    from (select id, operator_factor_from from schools where id = ${tx.schoolId} for no key update) old
    where s.id = old.id
    returning s.operator_factor_from as "from", old.operator_factor_from as before`)
  const [before, from] = [rows[0]?.before, rows[0]?.from].map((time) => time?.toISOString() ?? null)
  await recordSchoolChange(tx, by, { operator_factor_from: before }, { operator_factor_from: from })
  return from ?? null
}

async function findTaken(
  tx: SchoolTx,
  { subdomain, origin }: SchoolChanges,
): Promise<'subdomain' | 'origin' | undefined> {
  const { rows } = await tx.run(sql<{ field: 'subdomain' | 'origin' }>`
    select case when subdomain = ${subdomain ?? null} then 'subdomain' else 'origin' end as field
    from schools
    where id <> ${tx.schoolId} and (subdomain = ${subdomain ?? null} or origin = ${origin ?? null})`)
  return rows[0]?.field
}

function taken(field: 'subdomain' | 'origin'): OperationRefused {
  return new OperationRefused({
    kind: 'conflict',
    code: 'taken',
    detail: `Another school already has this ${field}.`,
    pointer: `/${field}`,
  })
}

const remembered = z.record(z.string(), z.string())

/** The columns that an operator of this school chose for the headings of files of a kind. */
export async function rememberedColumns(
  db: SchoolDb,
  kind: string,
): Promise<Readonly<Record<string, string>>> {
  const { rows } = await db.run(sql<{ columns: unknown }>`
    select import_columns -> ${kind}::text as columns from schools where id = ${db.schoolId}`)
  return remembered.safeParse(rows[0]?.columns).data ?? {}
}

/** Keeps the choice of the last file of each kind. */
export async function rememberColumns(
  tx: SchoolTx,
  kind: string,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const chosen = JSON.stringify({ [kind]: columns })
  await tx.run(sql`
    update schools set import_columns = import_columns || ${chosen}::jsonb
    where id = ${tx.schoolId} and not import_columns @> ${chosen}::jsonb`)
}
