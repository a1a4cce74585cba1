import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { isSuspended } from '../../foundation/db/school-clock.ts'
import { atSchool } from '../../foundation/db/school-db.ts'
import { oldestFirst, type Sweep } from '../../foundation/db/sweep.ts'
import { mailsTo } from '../people/outgoing-mail.ts'
import { NEWS_DAYS, newsMail } from './news-mail.ts'

/** Notifications of one school that one step looks at: its mails must not hold up the others. */
const STEP_ROWS = 500

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const TODAY = sql`(now() at time zone 'utc')::date`

/**
 * Crosses schools: puts what is due into the queue of mails, one mail for a member and a topic,
 * with what else waits for the same member on that topic. Each school queues as many as it may send
 * in a day; the others wait. True if there is more to do now.
 */
export async function queueNews(db: Db, perDay: number): Promise<boolean> {
  let isMore = false
  for (const school of await schoolsWithNews(db)) {
    isMore = (await queueNewsOf(db, school, perDay)) || isMore
  }
  return isMore
}

/** By jumps in the index: a school with a hundred thousand rows costs one look. */
async function schoolsWithNews(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive found as (
      (select school_id from notifications
       where mail_due_at is not null and school_id > ${FIRST_ID} order by school_id limit 1)
      union all
      select (select n.school_id from notifications n
              where n.mail_due_at is not null and n.school_id > f.school_id order by n.school_id limit 1)
      from found f where f.school_id is not null)
    select school_id as id from found
    where school_id is not null and not ${isSuspended(sql`school_id`)}`.execute(db)
  return rows.map(({ id }) => id)
}

async function queueNewsOf(db: Db, school: string, perDay: number): Promise<boolean> {
  return await atSchool(db, school, { lane: 'batch' }).transaction(async (tx) => {
    const { rows: room } = await tx.run(sql<{ mine: boolean; left: number }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`news ${school}`}, 0)) as mine, ${perDay}
        - coalesce((select queued from mail_days where school_id = ${school} and day = ${TODAY}), 0) as left`)
    const { mine = false, left = 0 } = room[0] ?? {}
    const size = Math.min(STEP_ROWS, left)
    // Another process does it, or the school has sent enough today.
    if (!mine || size <= 0) return false
    const { rows } = await tx.run(sql<{ looked: number }>`
      with due as materialized (
        select user_id, topic from notifications
        where school_id = ${school} and mail_due_at <= now()
        order by mail_due_at limit ${sql.lit(STEP_ROWS)}),
      members as materialized (select distinct user_id, topic from due limit ${size}),
      taken as (
        update notifications n set mail_due_at = null from members m
        where n.school_id = ${school} and n.user_id = m.user_id and n.topic = m.topic
          and n.mail_due_at is not null
        returning n.id, n.user_id, n.topic, n.created_at),
      queued as (
        ${mailsTo(
          tx,
          newsMail,
          sql`(
            select user_id, jsonb_build_object('user', user_id, 'topic', topic,
              'ids', jsonb_agg(id order by created_at, id)) as facts
            from taken group by user_id, topic)`,
        )}),
      counted as (
        insert into mail_days as d (school_id, day, queued)
        select ${school}::uuid, ${TODAY}, count(*) from queued having count(*) > 0
        on conflict (school_id, day) do update set queued = d.queued + excluded.queued)
      select (select count(*) from due)::int as looked`)
    return (rows[0]?.looked ?? 0) === STEP_ROWS
  })
}

/** Crosses schools. For a server without mail: nothing is sent later that was due before. */
export async function dropNews(db: Db): Promise<void> {
  await sql`update notifications set mail_due_at = null where mail_due_at <= now()`.execute(db)
}

/** Crosses schools: rows that were only mailed, once their mail was sent or is too old. */
export const mailedSweep = oldestFirst({
  table: 'notifications',
  key: ['school_id', 'id'],
  order: 'created_at',
  only: sql`not t.in_inbox`,
  waiting: isSuspended(sql`t.school_id`),
  dead: sql`t.created_at < now() - make_interval(days => ${sql.lit(NEWS_DAYS + 1)})`,
})

/** Crosses schools: mail that could not be queued for so long is no news any more. */
export const lateNewsSweep: Sweep = {
  name: 'late_news',
  async step(db) {
    const { numAffectedRows } = await sql`
      update notifications set mail_due_at = null
      where mail_due_at < now() - make_interval(days => ${sql.lit(NEWS_DAYS)})
        and not ${isSuspended(sql`school_id`)}`.execute(db)
    return { removed: Number(numAffectedRows ?? 0), last: undefined, isDone: true }
  },
}
