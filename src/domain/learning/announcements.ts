import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { JobKind } from '../jobs/job.ts'
import { startJob } from '../jobs/start-job.ts'
import { notificationFields } from '../notifications/notification-operations.ts'
import { announcementOf, entriesFor } from '../notifications/notify.ts'
import { count, id } from '../operation/fields.ts'
import type { WriteOperation } from '../operation/operation.ts'
import { notFound } from '../operation/refusal.ts'
import { WITHOUT_SCOPE } from '../operation/writing.ts'
import { IS_ACTIVE } from '../people/member-resource.ts'

interface Announcement {
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
const SMALL_COURSE = STEP

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
    const total = job.total ?? (await countEnrollments(job.db, course))
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

async function countEnrollments(db: SchoolDb, course: string): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total from enrollments
    where school_id = ${db.schoolId} and course_id = ${course}`)
  return rows[0]?.total ?? 0
}

interface Page {
  readonly looked: number
  readonly cursor: AnnouncementCursor
}

/**
 * Adds an entry to the inbox of each student of a page who has access and did not turn
 * announcements off. Ids never leave PostgreSQL. The id of an entry follows from the announcement
 * and the student, so that a student whose enrollment moves while the job runs gets no second one.
 */
async function announceToPage(
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
      ${entriesFor(
        tx,
        announcementOf({ title, body, url }),
        sql`(select p.user_id, ${entryId(announcement)} as id from page p where p.wanted)`,
      )})
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

const announcement = z.strictObject({
  id: id.meta({ description: 'The course.' }),
  title: notificationFields.title,
  body: notificationFields.body,
  url: notificationFields.url,
})

const announced = z.strictObject({
  object: z.literal('announcement'),
  id,
  sent_count: count,
  job_id: id.nullable().meta({ description: 'The job that sends it, if the course is large.' }),
})

export const announceToCourse = {
  name: 'notifications.announce',
  title: 'Send an announcement to a course',
  summary:
    'Sends a notification to every student with access to the course, except those who turned announcements off.',
  ...WITHOUT_SCOPE,
  kind: 'change',
  input: announcement,
  output: announced,
  async run(tx, caller, { id: course, title, body, url }) {
    const found = await tx
      .from('courses')
      .select(['id', 'title'])
      .where('id', '=', course)
      .executeTakeFirst()
    if (found === undefined) throw notFound('course')
    const input: Announcement = { course, title, body, url }
    if (await isLarge(tx, course)) {
      const job = { input, title: `Announcement to ${found.title}: ${title}` }
      const job_id = await startJob(tx, caller, announceJob, job)
      return { object: 'announcement' as const, id: course, sent_count: 0, job_id }
    }
    const { cursor } = await announceToPage(tx, uuidv7(), input)
    return { object: 'announcement' as const, id: course, sent_count: cursor.sent, job_id: null }
  },
  // A job writes its own entry when it ends.
  audit: ({ id: subject, job_id }) =>
    job_id === null
      ? [{ action: 'operation.done', subject, detail: { operation: 'notifications.announce' } }]
      : [],
} satisfies WriteOperation<typeof announcement, typeof announced>

/** Who has the course now. */
export const studentsOf = ({ schoolId }: Pick<SchoolDb, 'schoolId'>, course: string) => sql`
  select e.user_id from enrollments e
  where e.school_id = ${schoolId} and e.course_id = ${course} and ${IS_ACTIVE}`

async function isLarge(tx: SchoolTx, course: string): Promise<boolean> {
  const { rows } = await tx.run(sql`
    select from enrollments where school_id = ${tx.schoolId} and course_id = ${course}
    offset ${SMALL_COURSE} limit 1`)
  return rows.length > 0
}
