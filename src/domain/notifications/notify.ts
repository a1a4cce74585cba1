import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { clockOf } from '../../foundation/db/school-clock.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { CAUSES, type CauseName, type FactsOf, type Topic } from './causes.ts'

/** In which mails of one topic wait for each other. */
const GROUPED_MINUTES = 10

interface Message {
  readonly kind: string
  readonly topic: Topic
  readonly mailed: 'at once' | 'grouped'
  readonly title: string
  readonly body: string
  readonly url: string | null
  /** As SQL, which may name a column of the people. */
  readonly facts: RawBuilder<unknown>
}

/**
 * Tells these members by the channels that they left on. Returns how many were told. One who left
 * the school or was forgotten has no inbox, and only one who has signed in here gets mail.
 */
export async function tell<N extends CauseName>(
  tx: SchoolTx,
  name: N,
  /** Their ids, or a query of rows with `user_id`, for as many as there may be. */
  members: readonly string[] | RawBuilder<unknown>,
  facts: FactsOf<N>,
): Promise<number> {
  const message = messageOf(name, sql`${JSON.stringify(facts)}::jsonb`)
  const people =
    'compile' in members
      ? sql`(select told.user_id, gen_random_uuid() as id from (${members}) told)`
      : sql`(select o.user_id, o.id
          from unnest(${members}::uuid[], ${members.map(() => uuidv7())}::uuid[]) as o (user_id, id))`
  const { rows } = await tx.run(entriesFor(tx, message, people))
  return rows.length
}

/** The words are made when it is read. A version that does not know the values shows the kind. */
export function messageOf(name: CauseName, facts: RawBuilder<unknown>): Message {
  const { topic, mailed, url = null } = CAUSES[name]
  return { kind: name, topic, mailed, url, facts, title: name, body: '' }
}

/**
 * An INSERT, also for a larger statement: an entry for each row of `people`, which has `user_id`
 * and `id`, once for each id.
 */
export function entriesFor(
  tx: SchoolTx,
  { kind, topic, mailed, title, body, url, facts }: Message,
  people: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const minutes = mailed === 'at once' ? 0 : GROUPED_MINUTES
  return sql`
    insert into notifications (school_id, user_id, id, kind, topic, title, body, url, facts, in_inbox, read_at, mail_due_at)
    select ${tx.schoolId}, c.user_id, c.id, ${kind}, ${topic}, ${title}, ${body},
      coalesce(c.facts->>'path', ${url}), c.facts, c.in_app, case when not c.in_app then now() end,
      case when c.email then now() + make_interval(mins => ${sql.lit(minutes)}) end
    from (${reached(tx, topic, people, sql`p.id, ${facts} as facts,`)}) c
    where (c.in_app or c.email)
      and (c.facts is null or not exists (select from schools s where s.id = ${tx.schoolId} and ${kind} = any (s.quiet_causes)))
    on conflict (school_id, id) do nothing returning 1`
}

/** The members among these people, and by which channels each gets something on this topic. */
export function reached(
  { schoolId }: Pick<SchoolTx, 'schoolId'>,
  topic: Topic,
  people: RawBuilder<unknown>,
  columns = sql``,
): RawBuilder<unknown> {
  const isOff = (channel: string) => sql`exists (
    select from notification_subscriptions s
    where s.school_id = ${schoolId} and s.user_id = m.user_id and s.topic = ${topic}
      and s.channel = ${sql.lit(channel)} and not s.enabled)`
  return sql`
    select ${columns} m.user_id, not ${isOff('in_app')} as in_app,
      m.signed_in_at is not null and not ${isOff('email')} as email
    from ${people} p
      join school_members m on m.school_id = ${schoolId} and m.user_id = p.user_id
        and m.roles <> '{}' and m.forgotten_at is null`
}

/** What an operator writes to members. */
export const announcementOf = (words: Pick<Message, 'title' | 'body' | 'url'>): Message => ({
  ...words,
  kind: 'announcement',
  topic: 'announcements',
  mailed: 'grouped',
  facts: sql`null::jsonb`,
})

/** A mail that was due while the school was suspended is no older afterwards. */
export const notificationClock = clockOf({
  table: 'notifications',
  since: ['mail_due_at'],
  running: () => sql`t.mail_due_at is not null`,
})
