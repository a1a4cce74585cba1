import { sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import type { Actor } from '../../actor.ts'
import { startJob } from '../../jobs/start-job.ts'
import { MAY_BE_INVITED } from './invite.ts'
import { inviteJob } from './invite-job.ts'

/**
 * After a batch of an import: starts the job that invites the people whom it added, if the school invites people. A job that
 * waits takes them too; one that runs may have looked already.
 */
export async function startInviting(tx: SchoolTx, caller: Actor): Promise<void> {
  const { rows } = await tx.run(sql<{ needed: boolean }>`
    select exists (select from school_members m where m.school_id = ${tx.schoolId} and m.invitation_due)
      and not exists (
        select from jobs j
        where j.school_id = ${tx.schoolId} and j.kind = ${inviteJob.name} and j.state = 'waiting') as needed`)
  if (rows[0]?.needed !== true) return
  await startJob(tx, caller, inviteJob, {
    input: {},
    title: 'Invite imported people',
    scopes: ['members:read'],
  })
}

/** How many people the job has before it; undefined if the school does not invite people. */
export async function countToInvite(tx: SchoolTx): Promise<number | undefined> {
  const { rows } = await tx.run(sql<{ total: number }>`
    select (
      select count(*)::int from school_members m
      where m.school_id = s.id and m.invitation_due and ${MAY_BE_INVITED}) as total
    from schools s where s.id = ${tx.schoolId} and s.invites_people`)
  return rows[0]?.total
}
