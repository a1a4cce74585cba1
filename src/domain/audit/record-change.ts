import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { type AuditEntry, record } from './audit.ts'

type Change = Pick<AuditEntry, 'action' | 'clientId' | 'subject' | 'detail'>

/** The entry of a change that was made; it belongs into the transaction that makes it. */
export function changeEntry(by: AuditedActor, change: Change): AuditEntry {
  return {
    ...change,
    outcome: 'ok',
    actorUserId: by.userId,
    requestId: by.requestId,
    detail: { ...change.detail, via: by.via },
  }
}

export async function recordChange(at: SchoolDb, by: AuditedActor, change: Change): Promise<void> {
  await record(at, changeEntry(by, change))
}
