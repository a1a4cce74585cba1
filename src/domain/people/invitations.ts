import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor, AuditedActor } from '../actor/actor.ts'
import { changeEntry, record, recordChange, withSubjects } from '../audit/audit.ts'
import type { JobKind } from '../jobs/job.ts'
import { startJob } from '../jobs/start-job.ts'
import { id } from '../operation/fields.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/writing.ts'

/** A school asks for a mail to the same person once in this time. */
const INVITED_AGAIN_MINUTES = 60

/** A member `m` who has not come yet, and was not invited lately. */
const MAY_BE_INVITED = sql<boolean>`(m.roles <> '{}' and m.signed_in_at is null
  and (m.invited_at is null or m.invited_at < now() - make_interval(mins => ${sql.lit(INVITED_AGAIN_MINUTES)})))`

const ADDED = sql<boolean>`exists (select from schools s where s.id = m.school_id and s.invites_people)`
const BY_HAND = sql<boolean>`true`

/**
 * Invites a person whom the school has just added, if it invites people at all. The work is the
 * same whether the account existed: `invitationMail` decides after the answer what the mail says.
 */
export async function inviteAdded(tx: SchoolTx, userId: string, by: AuditedActor): Promise<void> {
  await invite(tx, userId, by, ADDED)
}

/** False if it is too early, or if the person has signed in here: then nothing happens. */
async function invite(
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

/**
 * For people who are asked to come, so no app sends it: an app adds people, and the school decides
 * whether they are invited.
 */
export const sendInvitation = unscopedWrite({
  name: 'people.invite',
  title: 'Send an invitation',
  summary:
    'Sends an email with a link to choose a password, or to sign in if the person has an account.',
  kind: 'change',
  queuesMail: 'always',
  input: z.strictObject({ id }),
  output: z.strictObject({ id }),
  async run(tx, actor, { id: userId }) {
    if (await invite(tx, userId, actor)) return { id: userId }
    const member = await tx
      .from('school_members')
      .select(['roles', 'signed_in_at'])
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (member === undefined || member.roles.length === 0) throw notFound('member')
    throw member.signed_in_at === null
      ? conflict(
          'invited_lately',
          `This person was invited less than ${INVITED_AGAIN_MINUTES} minutes ago. Wait before you send it again.`,
        )
      : conflict('has_signed_in', 'This person has signed in here. They need no invitation.')
  },
  // invite writes the entry, also for people who are added.
  audit: () => [],
})

/** People of one step. */
const STEP = 500

interface InviteCursor {
  readonly invited: number
}

/**
 * Invites the people whom imports added. The mails wait in the queue, which sends no more of them
 * in an hour than the school may send. A school that stopped inviting meanwhile invites none.
 */
export const inviteJob: JobKind<object, InviteCursor> = {
  name: 'people.invite_imported',
  async run(job) {
    const total = job.total ?? (await countDue(job.db))
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

async function countDue(db: SchoolDb): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*)::int as total from school_members m where m.school_id = ${db.schoolId} and m.invitation_due`)
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

/**
 * After a batch of an import: starts the job that invites the people whom it added, if the school
 * invites people. A job that waits takes them too; one that runs may have looked already.
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
