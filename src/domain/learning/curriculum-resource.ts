import { sql } from 'kysely'
import { z } from 'zod'
import { count, id, line, stamps, utc, writtenMarkdown } from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'
import { wireTime } from '../operation/wire-sql.ts'
import { KIND_COLUMN, LECTURE_KINDS, lectureFields } from './lecture-rules.ts'

export const sectionFields = { title: line(300) }

export const sectionSchema = z
  .strictObject({
    object: z.literal('section'),
    id,
    course_id: id,
    position: count,
    ...sectionFields,
    lecture_count: count,
    ...stamps,
  })
  .meta({ id: 'Section' })

export const sections: Resource<typeof sectionSchema> = {
  object: 'section',
  restPath: '/sections/{id}',
  schema: sectionSchema,
  rows: (at) => sql`
    select s.id, s.course_id, s.position, s.title,
      (select count(*) from lectures l
       where l.school_id = s.school_id and l.course_id = s.course_id and l.section_id = s.id) as lecture_count,
      s.created_at, s.updated_at, s.version
    from sections s where s.school_id = ${at.schoolId}`,
}

export const lectureSchema = z
  .strictObject({
    object: z.literal('lecture'),
    id,
    course_id: id,
    section_id: id,
    position: count,
    ...lectureFields,
    body: writtenMarkdown,
    video_url: z.string().nullable(),
    unlock_at: utc.nullable(),
    ...stamps,
  })
  .meta({ id: 'Lecture' })

export const lectures: Resource<typeof lectureSchema> = {
  object: 'lecture',
  restPath: '/lectures/{id}',
  schema: lectureSchema,
  rows: (at) => sql`
    select l.id, l.course_id, l.section_id, l.position, l.title, ${KIND_COLUMN} as kind, l.body,
      l.video_url, l.file_id, l.duration_seconds, l.is_preview, l.unlock_after_days, l.unlock_at, l.created_at, l.updated_at, l.version
    from lectures l where l.school_id = ${at.schoolId}`,
}

export const curriculumSchema = z
  .strictObject({
    object: z.literal('curriculum'),
    id: id.meta({ description: 'The course.' }),
    version: z.int().meta({ description: 'Goes up with every change of a section or a lecture.' }),
    sections: z.array(
      z.strictObject({
        id,
        title: line(300),
        lectures: z.array(
          z.strictObject({
            id,
            title: line(300),
            kind: z.enum(LECTURE_KINDS),
            duration_seconds: count,
            is_preview: z.boolean(),
            unlock_after_days: count.nullable(),
            unlock_at: utc.nullable(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'Curriculum' })

/** The whole outline of a course in one object, in the order that students see. */
export const curricula: Resource<typeof curriculumSchema> = {
  object: 'curriculum',
  restPath: '/courses/{id}/curriculum',
  schema: curriculumSchema,
  rows: (at) => sql`
    select c.id, c.outline_version as version,
      (select coalesce(json_agg(json_build_object('id', s.id, 'title', s.title, 'lectures',
          (select coalesce(json_agg(json_build_object('id', l.id, 'title', l.title, 'kind', ${KIND_COLUMN},
               'duration_seconds', l.duration_seconds, 'is_preview', l.is_preview,
               'unlock_after_days', l.unlock_after_days, 'unlock_at', ${wireTime('l.unlock_at')}) order by l.position), '[]')
           from lectures l where l.school_id = s.school_id and l.course_id = s.course_id and l.section_id = s.id))
        order by s.position), '[]')
       from sections s where s.school_id = c.school_id and s.course_id = c.id) as sections
    from courses c where c.school_id = ${at.schoolId}`,
}
