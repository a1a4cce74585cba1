import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { type AuditEntry, record } from './audit.ts'

/** The audit entry of a change without its actor, which is added when the entry is written. */
export type AuditedChange = Pick<AuditEntry, 'action' | 'clientId' | 'subject' | 'detail'>

/** The entry of a change; it is written in the transaction of the change. */
export function changeEntry(by: AuditedActor, change: AuditedChange): AuditEntry {
  return {
    ...change,
    outcome: 'ok',
    actorUserId: by.userId,
    requestId: by.requestId,
    detail: { ...change.detail, via: by.via },
  }
}

export async function recordChange(
  at: SchoolDb,
  by: AuditedActor,
  change: AuditedChange,
): Promise<void> {
  await record(at, changeEntry(by, change))
}
