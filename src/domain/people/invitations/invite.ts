import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import type { AuditedActor } from '../../actor.ts'
import { recordChange } from '../../audit/record-change.ts'

/** A school asks for a mail to the same person once in this time. */
export const INVITED_AGAIN_MINUTES = 60

/** A member `m` who has not come yet, and was not invited lately. */
export const MAY_BE_INVITED = sql<boolean>`(m.roles <> '{}' and m.signed_in_at is null
  and (m.invited_at is null or m.invited_at < now() - make_interval(mins => ${sql.lit(INVITED_AGAIN_MINUTES)})))`

const ADDED = sql<boolean>`exists (select from schools s where s.id = m.school_id and s.invites_people)`
const BY_HAND = sql<boolean>`true`

/**
 * Invites a person whom the school has just added, if it invites people at all. The work is the same whether the account existed:
 * `send-mail.ts` decides after the answer what the mail says.
 */
export async function inviteAdded(tx: SchoolTx, userId: string, by: AuditedActor): Promise<void> {
  await invite(tx, userId, by, ADDED)
}

/** False if it is too early, or if the person has signed in here: then nothing happens. */
export async function invite(
  tx: SchoolTx,
  userId: string,
  by: AuditedActor,
  condition: RawBuilder<boolean> = BY_HAND,
): Promise<boolean> {
  const { rows } = await tx.run(sql<{ id: string }>`
    with invited as (
      update school_members m set invited_at = now(), invitation_opened_at = null
      where m.school_id = ${tx.schoolId} and m.user_id = ${userId} and ${MAY_BE_INVITED} and ${condition}
      returning m.user_id)
    insert into outgoing_mails (id, school_id, kind, email)
    select ${uuidv7()}, ${tx.schoolId}, 'invitation', u.email
    from invited join users u on u.id = invited.user_id and u.email is not null
    returning id`)
  if (rows.length === 0) return false
  await recordChange(tx, by, { action: 'member.invited', subject: userId })
  return true
}
