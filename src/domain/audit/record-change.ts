import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { type AuditEntry, record } from './audit.ts'

/** Who changes something, and from where: on the command line it is nobody we know by name. */
export interface ChangedBy {
  readonly via: 'admin_api' | 'admin_area' | 'command_line' | 'consent' | 'mcp'
  readonly actorUserId?: string | undefined
  readonly requestId?: string | undefined
}

type Change = Pick<AuditEntry, 'action' | 'clientId' | 'subject' | 'detail'>

/** The entry of a change that was made; it belongs into the transaction that makes it. */
export function changeEntry(by: ChangedBy, change: Change): AuditEntry {
  return {
    ...change,
    outcome: 'ok',
    actorUserId: by.actorUserId,
    requestId: by.requestId,
    detail: { ...change.detail, via: by.via },
  }
}

export async function recordChange(at: SchoolDb, by: ChangedBy, change: Change): Promise<void> {
  await record(at, changeEntry(by, change))
}
