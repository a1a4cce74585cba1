import type { AuditEntry } from '../audit/audit.ts'

/** How long a link in a notice works. People do not read every mail on the same day. */
export const NOT_ME_DAYS = 7

/**
 * A way to sign in is recent for one day more, so that the link removes what its notice told about.
 */
export const RECENT_DAYS = NOT_ME_DAYS + 1

/** How a person takes an account back that another person may have used. */
export interface AccountRecovery {
  readonly by: 'reset_link' | 'email_undone' | 'not_me' | 'end_everything'
  readonly requestId?: string | undefined
}

/**
 * The part of an audit entry that says who did it. `end_everything` is a command of the
 * installation's operator.
 */
export function recoveryEntry(
  userId: string,
  { by, requestId }: AccountRecovery,
): Pick<AuditEntry, 'outcome' | 'actorUserId' | 'subject' | 'detail' | 'requestId'> {
  return {
    outcome: 'ok',
    ...(by === 'end_everything'
      ? { subject: userId, detail: { by, person: userId, via: 'command_line' } }
      : { actorUserId: userId, detail: { by } }),
    requestId,
  }
}
