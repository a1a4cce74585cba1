import type { ChangedBy } from '../domain/audit/record-change.ts'

/** Whoever may run commands may read the database as well; the audit says where a change came from. */
export const BY_COMMAND_LINE: ChangedBy = { via: 'command_line' }
