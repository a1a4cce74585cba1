import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { startJob } from '../jobs/start-job.ts'
import { count, id } from '../operation/fields.ts'
import { notFound } from '../operation/refusal.ts'
import { WITHOUT_SCOPE } from '../operation/without-scope.ts'
import type { WriteOperation } from '../operation.ts'
import { type Announcement, announceJob, announceToPage, SMALL_COURSE } from './announce-job.ts'
import { notificationFields } from './notification-rules.ts'

const announcement = z.strictObject({
  id: id.meta({ description: 'The course.' }),
  title: notificationFields.title,
  body: notificationFields.body.default(''),
  url: notificationFields.url.default(null),
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

async function isLarge(tx: SchoolTx, course: string): Promise<boolean> {
  const { rows } = await tx.run(sql`
    select from enrollments where school_id = ${tx.schoolId} and course_id = ${course}
    offset ${SMALL_COURSE} limit 1`)
  return rows.length > 0
}
