import { sql } from 'kysely'
import { z } from 'zod'
import {
  amount,
  currency,
  id,
  line,
  slug,
  stamps,
  text,
  utc,
  writtenMarkdown,
} from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'

export const COURSE_STATES = ['draft', 'published', 'archived'] as const

export const courseSchema = z
  .strictObject({
    object: z.literal('course'),
    id,
    slug,
    title: line(300),
    summary: text(0, 1000),
    description: writtenMarkdown,
    state: z.enum(COURSE_STATES),
    price_amount: amount,
    currency,
    cover_file_id: id.nullable(),
    lecturer_ids: z
      .array(id)
      .meta({ description: 'The lecturers, in the order in which they are shown.' }),
    published_at: utc.nullable(),
    archived_at: utc.nullable(),
    ...stamps,
  })
  .meta({ id: 'Course' })

export const courses: Resource<typeof courseSchema> = {
  object: 'course',
  restPath: '/courses/{id}',
  schema: courseSchema,
  rows: (at) => sql`
    select c.id, c.slug, c.title, c.summary, c.description, c.state, c.price_amount, c.currency,
      c.cover_file_id,
      array(select l.user_id from course_lecturers l
            where l.school_id = c.school_id and l.course_id = c.id
            order by l.position, l.user_id)::text[] as lecturer_ids,
      c.published_at, c.archived_at, c.created_at, c.updated_at, c.version
    from courses c where c.school_id = ${at.schoolId}`,
}
