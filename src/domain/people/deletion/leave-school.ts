import { sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import type { AuditedActor } from '../../actor/actor.ts'
import { endAuthorizationsOfMember, withdrawCodesOfMember } from '../../grants/authorizations.ts'
import { endJobsOfMember, startJob } from '../../jobs/start-job.ts'
import { changeRoles } from '../member-roles.ts'
import { endSessionsAt } from '../sessions.ts'

/** The job of `leaving/forget-member.ts`. */
export const FORGET_MEMBER = { name: 'people.forget', isCleanUp: true } as const

/**
 * Ends everything of a person at one school: roles, sessions, passkeys, connected apps and copies
 * of their data, at once; a job removes the rest. Refused for the last owner.
 */
export async function leaveSchool(tx: SchoolTx, userId: string, by: AuditedActor): Promise<void> {
  // In the order of locks (docs/architecture.md).
  await endSessionsAt(tx, userId)
  await changeRoles(tx, userId, [], by)
  await withdrawCodesOfMember(tx, userId)
  await endAuthorizationsOfMember(tx, userId)
  await tx.delete('trusted_devices').where('user_id', '=', userId).execute()
  await tx.delete('passkeys').where('user_id', '=', userId).execute()
  await tx.delete('passkey_handles').where('user_id', '=', userId).execute()
  await tx.delete('password_resets').where('user_id', '=', userId).execute()
  await tx.delete('notice_links').where('user_id', '=', userId).execute()
  await beginForgetting(tx, userId, by)
}

/**
 * From now on the school knows neither name nor email of a person who has no role there any more.
 */
export async function beginForgetting(
  tx: SchoolTx,
  userId: string,
  by: AuditedActor,
): Promise<void> {
  await tx
    .update('school_members')
    .set({
      ...{ forgotten_at: sql<Date>`now()`, typed_name: null, typed_email: null },
      ...{ signed_in_at: null, invited_at: null, invitation_opened_at: null },
    })
    .where('user_id', '=', userId)
    .execute()
  await tx.delete('deletion_requests').where('user_id', '=', userId).execute()
  await endJobsOfMember(tx, userId)
  const title = 'Remove what is known of a person who left'
  await startJob(tx, by, FORGET_MEMBER, { input: { user_id: userId }, title })
}
