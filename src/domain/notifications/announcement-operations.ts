import { sql } from 'kysely'
import { z } from 'zod'
import { IS_ACTIVE } from '../learning/active-enrollment.ts'
import { count, id } from '../operation/fields.ts'
import { notFound } from '../operation/refusal.ts'
import { WITHOUT_SCOPE } from '../operation/without-scope.ts'
import type { WriteOperation } from '../operation.ts'
import { notificationFields } from './notification-rules.ts'
import { notify } from './notify.ts'

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
  async run(tx, _caller, { id: course, title, body, url }) {
    const found = await tx.from('courses').select('id').where('id', '=', course).executeTakeFirst()
    if (found === undefined) throw notFound('course')
    const { rows } = await tx.run(sql<{ user_id: string }>`
      select e.user_id from enrollments e
      where e.school_id = ${tx.schoolId} and e.course_id = ${course} and ${IS_ACTIVE}`)
    const students = rows.map(({ user_id }) => user_id)
    const message = { kind: 'announcement', title, body, url }
    const sent_count = await notify(tx, 'announcements', students, message)
    return { object: 'announcement' as const, id: course, sent_count }
  },
} satisfies WriteOperation<typeof announcement, typeof announced>
