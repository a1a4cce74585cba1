import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { TOPICS, type Topic } from './causes.ts'

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
  await setSubscriptions(db, userId, [{ topic, channel, enabled }])
  return { topic, channel, enabled }
}

/** The caller has checked the topics. */
export async function setSubscriptions(
  db: SchoolDb,
  userId: string,
  all: readonly Subscription[],
): Promise<void> {
  const valuesOf = (name: keyof Subscription) => all.map((one) => one[name])
  await db.write(
    (callerHolds) => sql`
    insert into notification_subscriptions (school_id, user_id, topic, channel, enabled)
    select ${db.schoolId}::uuid, ${userId}::uuid, n.topic, n.channel, n.enabled
    from unnest(${valuesOf('topic')}::text[], ${valuesOf('channel')}::text[], ${valuesOf('enabled')}::boolean[])
      n (topic, channel, enabled) where ${callerHolds}
    on conflict (school_id, user_id, topic, channel) do update set enabled = excluded.enabled, updated_at = now()
    returning topic`,
  )
}

function isTopic(topic: string): topic is Topic {
  return TOPICS.some((known) => known === topic)
}
