import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'

/** The topics of a school's notifications. */
export const TOPICS = [
  'announcements',
  'comments',
  'courses',
  'events',
  'meetings',
  'payments',
] as const

export const CHANNELS = ['email', 'in_app'] as const
export type Channel = (typeof CHANNELS)[number]

export interface Subscription {
  readonly topic: string
  readonly channel: Channel
  readonly enabled: boolean
}

/** Every topic on every channel. All are enabled until the member changes them. */
export async function subscriptionsOf(db: SchoolDb, userId: string): Promise<Subscription[]> {
  const { rows } = await db.run(sql<Subscription>`
    select topic, channel, enabled from notification_subscriptions
    where school_id = ${db.schoolId} and user_id = ${userId}`)
  const all = new Map<string, Subscription>()
  for (const topic of TOPICS) {
    for (const channel of CHANNELS) {
      all.set(`${topic} ${channel}`, { topic, channel, enabled: true })
    }
  }
  for (const row of rows) all.set(`${row.topic} ${row.channel}`, row)
  return [...all.values()].sort(inOrder)
}

function inOrder(a: Subscription, b: Subscription): number {
  const byTopic = a.topic < b.topic ? -1 : Number(a.topic > b.topic)
  return byTopic === 0 ? CHANNELS.indexOf(a.channel) - CHANNELS.indexOf(b.channel) : byTopic
}

/**
 * Sets one subscription; undefined if there is no such topic. Only known topics reach the database,
 * so that a client cannot fill the table with made-up topics, or send a NUL byte, which PostgreSQL
 * rejects.
 */
export async function setSubscription(
  db: SchoolDb,
  userId: string,
  { topic, channel, enabled }: Subscription,
): Promise<Subscription | undefined> {
  if (!isTopic(topic)) return undefined
  await db.write(
    (callerHolds) => sql`
    insert into notification_subscriptions (school_id, user_id, topic, channel, enabled)
    select ${db.schoolId}::uuid, ${userId}::uuid, ${topic}, ${channel}, ${enabled}::boolean where ${callerHolds}
    on conflict (school_id, user_id, topic, channel) do update set enabled = excluded.enabled, updated_at = now()
    returning topic`,
  )
  return { topic, channel, enabled }
}

function isTopic(topic: string): topic is (typeof TOPICS)[number] {
  return TOPICS.some((known) => known === topic)
}

interface Message {
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly url: string | null
}

/**
 * Adds an entry to the inbox of each of these members who did not turn the topic off. A member who
 * was forgotten has no inbox. Returns the number of entries.
 */
export async function notify(
  tx: SchoolTx,
  topic: (typeof TOPICS)[number],
  members: readonly string[],
  { kind, title, body, url }: Message,
): Promise<number> {
  const { rows } = await tx.run(sql`
    insert into notifications (school_id, user_id, id, kind, title, body, url)
    select ${tx.schoolId}, o.user_id, o.id, ${kind}, ${title}, ${body}, ${url}
    from unnest(${members}::uuid[], ${members.map(() => uuidv7())}::uuid[]) as o (user_id, id)
      join school_members m on m.school_id = ${tx.schoolId} and m.user_id = o.user_id and m.forgotten_at is null
    where not exists (
      select from notification_subscriptions s
      where s.school_id = ${tx.schoolId} and s.user_id = o.user_id and s.topic = ${topic}
        and s.channel = 'in_app' and not s.enabled)
    returning 1`)
  return rows.length
}

/**
 * An INSERT for a larger statement, as SQL: an entry for each of the `wanted` members in its `page`
 * who did not turn the topic off, once for each id.
 */
export function entriesForPage(
  tx: SchoolTx,
  topic: (typeof TOPICS)[number],
  id: RawBuilder<unknown>,
  { kind, title, body, url }: Message,
): RawBuilder<unknown> {
  return sql`
    insert into notifications (school_id, user_id, id, kind, title, body, url)
    select ${tx.schoolId}, p.user_id, ${id}, ${kind}, ${title}, ${body}, ${url}
    from page p
    where p.wanted and not exists (
      select from notification_subscriptions s
      where s.school_id = ${tx.schoolId} and s.user_id = p.user_id and s.topic = ${topic}
        and s.channel = 'in_app' and not s.enabled)
    on conflict (school_id, id) do nothing returning 1`
}
