import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import { isSuspended } from '../../foundation/db/school-clock.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { MailKind } from './mails/define-mail.ts'

/** A request for a mail, which no answer waits for. It survives the process that took it. */
export interface QueuedMail {
  readonly id: string
  readonly schoolId: string
  readonly kind: string
  /** As it was typed; there may be no account with it. */
  readonly email: string
  /** As stored; each kind has its schema. */
  readonly facts: unknown
  /** 1 at the first try. */
  readonly attempts: number
}

/**
 * Above the time-outs of the mail server, so that a mail is not sent twice while the first try
 * still runs.
 */
const RETRY_MINUTES = 2
/** After this many tries, about an hour, there is one an hour. */
const QUICK_TRIES = 30

export async function queueMail<F extends object>(
  db: SchoolDb,
  { kind, facts: schema }: MailKind<F>,
  email: string,
  facts: F,
): Promise<void> {
  const checked = JSON.stringify(schema.parse(facts))
  await db.insert('outgoing_mails', { id: uuidv7(), kind, email, facts: checked }).execute()
}

/**
 * An INSERT for a larger statement: a mail to each person of `people`, which has `user_id` and
 * `facts` as jsonb. One without an address gets none.
 */
export function mailsTo(
  db: SchoolDb,
  { kind }: Pick<MailKind, 'kind'>,
  people: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    insert into outgoing_mails (id, school_id, kind, email, facts)
    select gen_random_uuid(), ${db.schoolId}, ${kind}, u.email, p.facts
    from ${people} p join users u on u.id = p.user_id and u.email is not null
    returning 1`
}

/**
 * Crosses schools: takes the mail that waits longest, of a school that is not busy, and hides it
 * from other processes for this try. Kinds of a newer version are left to its processes.
 */
export async function takeMail(
  db: Db,
  kinds: readonly string[],
  busySchools: readonly string[],
): Promise<QueuedMail | undefined> {
  const { rows } = await sql<QueuedMail & { readonly waits: boolean }>`
    update outgoing_mails set attempts = attempts + 1,
      next_try_at = now() + make_interval(mins => case when attempts < ${QUICK_TRIES} then ${RETRY_MINUTES} else 60 end)
    where id = (
      select id from outgoing_mails
      where next_try_at <= now() and school_id <> all (${busySchools}::uuid[])
        and kind = any (${kinds}::text[])
      order by next_try_at limit 1 for update skip locked)
    returning id, school_id as "schoolId", kind, email, facts, attempts, ${isSuspended(sql`school_id`)} as waits`.execute(
    db,
  )
  const [taken] = rows
  if (taken?.waits !== true) return taken
  await putOff(db, taken)
  return await takeMail(db, kinds, busySchools)
}

/** How long mails of a suspended school are left alone. Resuming it makes them due. */
const PUT_OFF_MINUTES = 10
const PUT_OFF_AT_ONCE = 5_000

/** Not one after the other: a school with many must not hold up the mails of all others. */
async function putOff(db: Db, { id, schoolId }: QueuedMail): Promise<void> {
  await sql`
    with due as materialized (
      select id from outgoing_mails where school_id = ${schoolId} and next_try_at <= now()
      order by next_try_at limit ${sql.lit(PUT_OFF_AT_ONCE)} for update skip locked)
    update outgoing_mails set attempts = case when id = ${id} then attempts - 1 else attempts end,
      next_try_at = now() + make_interval(mins => ${sql.lit(PUT_OFF_MINUTES)})
    where id = any (array(select id from due)) or id = ${id}`.execute(db)
}

/**
 * Every mail of this kind waits: all of them would find the same limit. They are counted again as
 * at the first try.
 */
export async function postponeMails(
  db: SchoolDb,
  { id, kind }: QueuedMail,
  seconds: number,
): Promise<void> {
  await db.run(sql`
    update outgoing_mails set attempts = 0, next_try_at = now() + make_interval(secs => ${seconds})
    where school_id = ${db.schoolId} and kind = ${kind} and (id = ${id} or next_try_at <= now())`)
}

/** After it was sent, or because it should not be. */
export async function dropMail(db: SchoolDb, id: string): Promise<void> {
  await db.delete('outgoing_mails').where('id', '=', id).execute()
}

export interface MailBacklog {
  readonly waiting: number
  /** 0 if none waits. */
  readonly oldestSeconds: number
}

/** More are not counted. */
const MOST_COUNTED = 10_000

/**
 * Crosses schools, without those that are suspended. The oldest come first, because ids are ordered
 * by time.
 */
export async function readMailBacklog(db: Db): Promise<MailBacklog> {
  const { rows } = await sql<MailBacklog>`
    select count(*)::int as waiting,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
    from (select created_at, school_id from outgoing_mails order by id limit ${MOST_COUNTED}) w
    where not ${isSuspended(sql`w.school_id`)}`.execute(db)
  return rows[0] ?? { waiting: 0, oldestSeconds: 0 }
}
