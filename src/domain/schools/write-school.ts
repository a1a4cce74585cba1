import { sql, type Transaction } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { type AuditedChange, recordChange } from '../audit/record-change.ts'
import { judgeInput } from '../operation/input-problems.ts'
import { OperationRefused } from '../operation/refusal.ts'
import { columnsOf, type NewSchool, newSchool, type SchoolChanges } from './school-details.ts'

/**
 * Crosses schools: creates a school with the default appearance and returns its id. Not an operation,
 * because operations are performed at a school; it throws the same refusals.
 */
export async function createSchool(
  tx: Transaction<DB>,
  details: NewSchool,
  by: AuditedActor,
): Promise<string> {
  const judged = judgeInput(newSchool, details)
  if (judged.problems !== undefined) {
    throw new OperationRefused({ kind: 'invalid', problems: judged.problems })
  }
  const columns = columnsOf(judged.data)
  const { subdomain, origin } = columns
  const row = await tx
    .insertInto('schools')
    .values({ ...columns, id: uuidv7() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw taken(await takenField(tx, subdomain))
  const at = atSchoolInTransaction(tx, row.id)
  await at.insert('appearances', {}).execute()
  await recordChange(at, by, { action: 'school.created', detail: { subdomain, origin } })
  return row.id
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
 * Writes the given columns and returns their names. A new origin is a new issuer: tokens keep working
 * there, but clients have to discover it and people have to sign in again.
 */
export async function writeSchool(tx: SchoolTx, changes: SchoolChanges): Promise<string[]> {
  const columns = columnsOf(changes)
  const assignments = Object.entries(columns).map(([column, value]) => {
    return sql`${sql.ref(column)} = ${value}`
  })
  if (assignments.length === 0) return []
  const field = await findTaken(tx, columns)
  if (field !== undefined) throw taken(field)
  await tx.run(sql`update schools set ${sql.join(assignments)} where id = ${tx.schoolId}`)
  return Object.keys(columns)
}

export function schoolChanged(changed: readonly string[]): readonly AuditedChange[] {
  return changed.length === 0 ? [] : [{ action: 'school.changed', detail: { changed } }]
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
