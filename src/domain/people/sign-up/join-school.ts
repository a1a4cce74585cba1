import { sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import { record } from '../../audit/audit.ts'

/**
 * Makes a person a student of the school, by their own wish. A person who has a role keeps it as it is. The caller has
 * proof that it is this person: a session here, which then counts as their first sign-in, or their mailbox, and the session that
 * begins next is the first one. It must not look like one after another sign-in, which the person would be told about.
 */
export async function joinAsStudent(
  tx: SchoolTx,
  userId: string,
  by: { readonly proof: 'mail_link' | 'session'; readonly requestId: string },
): Promise<void> {
  const signedInAt = by.proof === 'session' ? sql`now()` : sql`null::timestamptz`
  const { rows } = await tx.run(sql<{ user_id: string }>`
    insert into school_members as m (school_id, user_id, roles, signed_in_at)
    values (${tx.schoolId}, ${userId}, '{student}', ${signedInAt})
    on conflict (school_id, user_id) do update set
      roles = case when m.roles = '{}' then excluded.roles else m.roles end,
      signed_in_at = coalesce(m.signed_in_at, excluded.signed_in_at)
    returning user_id`)
  if (rows.length === 0) throw new Error('a member was not stored')
  await record(tx, {
    action: 'person.signed_up',
    outcome: 'ok',
    actorUserId: userId,
    detail: { by: by.proof },
    requestId: by.requestId,
  })
}
