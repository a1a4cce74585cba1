import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { changeEntry } from '../audit/record-change.ts'
import { withdrawOperatorCodes } from './withdraw-codes.ts'

/**
 * Ends all operator authorizations of people who are no longer owner or admin here, in the transaction
 * that changes their roles: if a role comes back, no old token does. Member authorizations stay. Returns
 * how many ended.
 */
export async function endOperatorAuthorizations(
  tx: SchoolTx,
  userIds: readonly string[],
  by: AuditedActor,
): Promise<number> {
  await withdrawOperatorCodes(tx, userIds)
  const { rows } = await tx.run(sql<{ id: string; client_id: string; user_id: string }>`
    with live as materialized (
      select id from authorizations
      where school_id = ${tx.schoolId} and user_id = any(${userIds}::uuid[])
        and audience = 'operator' and revoked_at is null
      order by id for no key update)
    update authorizations set revoked_at = now() where id in (select id from live)
    returning id, client_id, user_id`)
  for (const { id, client_id: clientId, user_id: subject } of rows) {
    const detail = { by: 'demotion' }
    const entry = changeEntry(by, { action: 'authorization.ended', clientId, subject, detail })
    await record(tx, { ...entry, authorizationId: id })
  }
  return rows.length
}
