import type { AuditedActor } from '../domain/actor.ts'

/** Whoever may run commands may read the database as well; the audit says where a change came from. */
export const BY_COMMAND_LINE: AuditedActor = { via: 'command_line' }
