import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../../foundation/db/school-db.ts'
import type { Actor } from '../../actor.ts'
import { record, withSubjects } from '../../audit/audit.ts'
import { changeEntry } from '../../audit/record-change.ts'
import type { JobKind } from '../../jobs/job.ts'
import { MAY_BE_INVITED } from './invite.ts'

/** People of one step. */
const STEP = 500

interface InviteCursor {
  readonly invited: number
}

/**
 * Invites the people whom imports added. The mails wait in the queue, which sends no more of them in an hour than the school may
 * send. A school that stopped inviting meanwhile invites none.
 */
export const inviteJob: JobKind<object, InviteCursor> = {
  name: 'people.invite_imported',
  async run(job) {
    const total = job.total ?? (await countDue(job.at))
    for (;;) {
      let looked = 0
      await job.step(async (tx) => {
        const step = await inviteSome(tx, job.actor)
        looked = step.looked
        const invited = (job.cursor?.invited ?? 0) + step.invited
        return { cursor: { invited }, done: job.done + looked, total }
      })
      if (looked < STEP) return { invited_count: job.cursor?.invited ?? 0 }
    }
  },
}

async function countDue(at: SchoolDb): Promise<number> {
  const { rows } = await at.run(sql<{ total: number }>`
    select count(*)::int as total from school_members m where m.school_id = ${at.schoolId} and m.invitation_due`)
  return rows[0]?.total ?? 0
}

async function inviteSome(tx: SchoolTx, by: Actor): Promise<{ looked: number; invited: number }> {
  const { rows } = await tx.run(sql<{ looked: number; invited: string[] | null }>`
    with page as materialized (
      select m.user_id, ${MAY_BE_INVITED} and s.invites_people as wanted
      from school_members m join schools s on s.id = m.school_id
      where m.school_id = ${tx.schoolId} and m.invitation_due
      order by m.user_id limit ${sql.lit(STEP)} for no key update of m),
    seen as (
      update school_members m set invitation_due = false,
        invited_at = case when p.wanted then now() else m.invited_at end,
        invitation_opened_at = case when p.wanted then null else m.invitation_opened_at end
      from page p where m.school_id = ${tx.schoolId} and m.user_id = p.user_id),
    queued as (
      insert into outgoing_mails (id, school_id, kind, email)
      select gen_random_uuid(), ${tx.schoolId}, 'invitation', u.email
      from page p join users u on u.id = p.user_id and u.email is not null
      where p.wanted)
    select count(*)::int as looked, array_agg(p.user_id::text) filter (where p.wanted) as invited from page p`)
  const { looked = 0, invited } = rows[0] ?? {}
  const subjects = invited ?? []
  if (subjects.length > 0) {
    await record(tx, withSubjects(changeEntry(by, { action: 'member.invited' }), subjects))
  }
  return { looked, invited: subjects.length }
}
