import { sql } from 'kysely'
import { z } from 'zod'
import { parseUrl } from '../../foundation/net/parse-url.ts'
import {
  count,
  id,
  line,
  markdown,
  stamps,
  time,
  utc,
  valueFields,
  wireTime,
  writtenMarkdown,
} from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'
import type { RowRules } from '../operation/row-rules.ts'

export const LECTURE_KINDS = ['video', 'text', 'file'] as const

/** The kind of the lecture `l`. Quizzes had no questions; those that exist are texts. */
export const KIND_COLUMN = sql<(typeof LECTURE_KINDS)[number]>`
  case l.kind when 'quiz' then 'text' else l.kind end`

/**
 * The address of the video that the lecture `l` is; null if it is none, or its address is missing.
 */
export const VIDEO_URL_COLUMN = sql<string | null>`case l.kind when 'video' then l.video_url end`

/** Not http: the page is https, and a browser would not play it. */
const videoAddress = z
  .url({ protocol: /^https$/, error: 'Write an address that begins with https://.' })
  .max(2000, 'Use at most 2000 characters.')
  .refine(hasNoCredentials, 'Remove the name and the password from the address.')

function hasNoCredentials(address: string): boolean {
  const url = parseUrl(address)
  return url === undefined || (url.username === '' && url.password === '')
}

/** The `unlock_…` fields define when students may open a lecture: at once if both are null. */
export const lectureFields = {
  title: line(300),
  kind: z.enum(LECTURE_KINDS).default('video'),
  body: markdown().default(''),
  video_url: videoAddress
    .nullable()
    .meta({
      description:
        'Played on the page if the school names its host, else a link. Used by the kind video.',
    })
    .default(null),
  file_id: id
    .nullable()
    .meta({ description: 'What students download. Used by the kind file.' })
    .default(null),
  duration_seconds: count.max(1_000_000).default(0),
  is_preview: z
    .boolean()
    .meta({ description: 'Visitors can open it without an enrollment.' })
    .default(false),
  unlock_after_days: count
    .max(10_000)
    .nullable()
    .meta({ description: 'Days after the enrollment; excludes unlock_at.' })
    .default(null),
  unlock_at: time
    .nullable()
    .meta({ description: 'A fixed time; excludes unlock_after_days.' })
    .default(null),
}

interface LectureRow {
  unlock_after_days?: number | null | undefined
  unlock_at?: string | null | undefined
}

/** Setting one of the two clears the other, unless both are given. */
export function completeLecture(row: LectureRow): void {
  if (row.unlock_at != null) row.unlock_after_days ??= null
  else if (row.unlock_after_days != null) row.unlock_at ??= null
}

export const lectureRules: RowRules<LectureRow> = [
  {
    field: 'unlock_at',
    code: 'inconsistent',
    detail:
      'A lecture opens either some days after the enrollment or at a date. Give only one of the two.',
    broken: ({ unlock_after_days, unlock_at }) => unlock_after_days != null && unlock_at != null,
  },
]

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
  rows: (db) => sql`
    select s.id, s.course_id, s.position, s.title,
      (select count(*) from lectures l
       where l.school_id = s.school_id and l.course_id = s.course_id and l.section_id = s.id) as lecture_count,
      s.created_at, s.updated_at, s.version
    from sections s where s.school_id = ${db.schoolId}`,
}

export const lectureSchema = z
  .strictObject({
    object: z.literal('lecture'),
    id,
    course_id: id,
    section_id: id,
    position: count,
    ...valueFields(lectureFields),
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
  rows: (db) => sql`
    select l.id, l.course_id, l.section_id, l.position, l.title, ${KIND_COLUMN} as kind, l.body,
      l.video_url, l.file_id, l.duration_seconds, l.is_preview, l.unlock_after_days, l.unlock_at, l.created_at, l.updated_at, l.version
    from lectures l where l.school_id = ${db.schoolId}`,
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
  rows: (db) => sql`
    select c.id, c.outline_version as version,
      (select coalesce(json_agg(json_build_object('id', s.id, 'title', s.title, 'lectures',
          (select coalesce(json_agg(json_build_object('id', l.id, 'title', l.title, 'kind', ${KIND_COLUMN},
               'duration_seconds', l.duration_seconds, 'is_preview', l.is_preview,
               'unlock_after_days', l.unlock_after_days, 'unlock_at', ${wireTime('l.unlock_at')}) order by l.position), '[]')
           from lectures l where l.school_id = s.school_id and l.course_id = s.course_id and l.section_id = s.id))
        order by s.position), '[]')
       from sections s where s.school_id = c.school_id and s.course_id = c.id) as sections
    from courses c where c.school_id = ${db.schoolId}`,
}
