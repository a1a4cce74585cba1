import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { JobKind } from '../jobs/job.ts'
import { IS_ACTIVE } from '../learning/active-enrollment.ts'

export interface Announcement {
  readonly course: string
  readonly title: string
  readonly body: string
  readonly url: string | null
}

/** The enrollment up to which the announcement was sent, in the order of the index by course. */
export interface AnnouncementCursor {
  readonly enrolled_at: string
  readonly id: string
  readonly sent: number
}

/** Enrollments in one step: some ten milliseconds of PostgreSQL. */
const STEP = 1_000

/** Announcements to more enrollments than this are a job. */
export const SMALL_COURSE = STEP

const START: AnnouncementCursor = {
  enrolled_at: '-infinity',
  id: '00000000-0000-0000-0000-000000000000',
  sent: 0,
}

/** Sends an announcement to a large course. People who enroll while it is sent do not get it. */
export const announceJob: JobKind<Announcement, AnnouncementCursor> = {
  name: 'notifications.announce',
  async run(job) {
    const { course } = job.input
    const total = job.total ?? (await countEnrollments(job.at, course))
    for (;;) {
      const { cursor = START, done } = job
      let isLast = false
      await job.step(async (tx) => {
        const page = await announceToPage(tx, job.id, job.input, cursor, job.createdAt)
        isLast = page.looked < STEP
        return { cursor: page.cursor, done: done + page.looked, total }
      })
      if (isLast) return { course_id: course, sent_count: job.cursor?.sent ?? 0 }
    }
  },
}

async function countEnrollments(at: SchoolDb, course: string): Promise<number> {
  const { rows } = await at.run(sql<{ total: number }>`
    select count(*) as total from enrollments
    where school_id = ${at.schoolId} and course_id = ${course}`)
  return rows[0]?.total ?? 0
}

interface Page {
  readonly looked: number
  readonly cursor: AnnouncementCursor
}

/**
 * Adds an entry to the inbox of each student of a page who has access and did not turn announcements off. Ids never
 * leave PostgreSQL. The id of an entry follows from the announcement and the student, so that a student whose enrollment
 * moves while the job runs gets no second one.
 */
export async function announceToPage(
  tx: SchoolTx,
  announcement: string,
  { course, title, body, url }: Announcement,
  { enrolled_at, id, sent }: AnnouncementCursor = START,
  before: Date | null = null,
): Promise<Page> {
  const { rows } = await tx.run(sql<{ looked: number; sent: number; at: string; id: string }>`
    with page as materialized (
      select e.user_id, e.enrolled_at, e.id, ${IS_ACTIVE}
        and (${before}::timestamptz is null or e.created_at <= ${before}::timestamptz) as wanted
      from enrollments e
      where e.school_id = ${tx.schoolId} and e.course_id = ${course}
        and (e.enrolled_at, e.id) > (${enrolled_at}::timestamptz, ${id}::uuid)
      order by e.enrolled_at, e.id limit ${sql.lit(STEP)}),
    sent as (
      insert into notifications (school_id, user_id, id, kind, title, body, url)
      select ${tx.schoolId}, p.user_id, ${entryId(announcement)}, 'announcement', ${title}, ${body}, ${url}
      from page p
      where p.wanted and not exists (
        select from notification_subscriptions s
        where s.school_id = ${tx.schoolId} and s.user_id = p.user_id and s.topic = 'announcements'
          and s.channel = 'in_app' and not s.enabled)
      on conflict (school_id, id) do nothing returning 1)
    select (select count(*) from page)::int as looked, (select count(*) from sent)::int as sent,
      l.enrolled_at::text as at, l.id
    from (select enrolled_at, id from page order by enrolled_at desc, id desc limit 1) l`)
  const [row] = rows
  if (row === undefined) return { looked: 0, cursor: { enrolled_at, id, sent } }
  return {
    looked: row.looked,
    cursor: { enrolled_at: row.at, id: row.id, sent: sent + row.sent },
  }
}

/** A version 7 UUID with the time of the announcement, and the rest from the student. */
const entryId = (announcement: string) => sql`(
  left(${announcement}::text, 15) || substr(md5(${announcement} || p.user_id::text), 1, 3)
  || '-8' || substr(md5(${announcement} || p.user_id::text), 4, 3)
  || '-' || substr(md5(${announcement} || p.user_id::text), 7, 12))::uuid`
