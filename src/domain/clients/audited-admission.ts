import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { auditInsert } from '../audit/audit.ts'
import { changeEntry } from '../audit/record-change.ts'
import type { ClientKind } from './client.ts'

/**
 * Runs the INSERT that gives a school its own row of a client, or brings it up to date, and writes
 * the audit entry in the same statement. `upsert` touches the row only if something is different;
 * a row that was deleted before counts as created.
 */
export async function admitAudited(
  at: SchoolDb,
  client: { readonly clientId: string; readonly kind: ClientKind },
  by: AuditedActor,
  upsert: RawBuilder<unknown>,
): Promise<void> {
  const { clientId, kind } = client
  const entry = (action: 'client.created' | 'client.changed', when: RawBuilder<unknown>) => {
    const change = changeEntry(by, { action, clientId, detail: { kind } })
    const detail = JSON.stringify(change.detail)
    return auditInsert({ ...change, schoolId: at.schoolId, detail }, sql`where ${when}`)
  }
  const written = sql`exists (select from admitted)`
  await at.run(sql`
    with before as (
      select from clients
      where school_id = ${at.schoolId} and client_id = ${clientId} and deleted_at is null),
    admitted as (${upsert} returning 1),
    created as (${entry('client.created', sql`${written} and not exists (select from before)`)}),
    changed as (${entry('client.changed', sql`${written} and exists (select from before)`)})
    select`)
}
