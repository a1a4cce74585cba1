import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { keepsText } from '../content/rendered-texts.ts'
import {
  amount,
  currency,
  currencyOrOwn,
  id,
  line,
  markdown,
  slug,
  stamps,
  text,
  utc,
  writtenMarkdown,
} from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { invalid } from '../operation/refusal.ts'
import type { Resource } from '../operation/resource.ts'
import { checkRow, type RowRules } from '../operation/row-rules.ts'
import { schoolCurrency } from '../schools/school.ts'

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
    comments_allowed: z.boolean().meta({
      description: 'Whether people who have the course read and write comments below its lectures.',
    }),
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
  rows: (db) => sql`
    select c.id, c.slug, c.title, c.summary, c.description, c.state, c.price_amount, c.currency,
      c.cover_file_id, c.comments_allowed,
      array(select l.user_id from course_lecturers l
            where l.school_id = c.school_id and l.course_id = c.id
            order by l.position, l.user_id)::text[] as lecturer_ids,
      c.published_at, c.archived_at, c.created_at, c.updated_at, c.version
    from courses c where c.school_id = ${db.schoolId}`,
}

export const courseFields = {
  slug,
  title: line(300),
  summary: text(0, 1000).default(''),
  description: markdown().default(''),
  price_amount: amount.default(0),
  currency: currencyOrOwn,
  cover_file_id: id.nullable().default(null),
  comments_allowed: z.boolean().default(true).meta({
    description: 'When false, comments that exist are kept, but not shown below lectures.',
  }),
  lecturer_ids: z.array(id).max(50).default([]),
}

interface CourseRow {
  readonly state?: string | undefined
  readonly archived_at?: string | null | undefined
  readonly lecturer_ids?: readonly string[] | undefined
}

export const courseRules: RowRules<CourseRow> = [
  {
    field: 'lecturer_ids',
    code: 'repeated',
    detail: 'Name each lecturer once.',
    broken: ({ lecturer_ids = [] }) => new Set(lecturer_ids).size !== lecturer_ids.length,
  },
  {
    field: 'archived_at',
    code: 'inconsistent',
    detail: 'Only an archived course has a time at which it was archived.',
    broken: ({ state = 'draft', archived_at }) => archived_at != null && state !== 'archived',
  },
]

const ops = objectOperations({
  of: courses,
  table: 'courses',
  one: 'a course',
  example: EXAMPLE.course,
  fields: courseFields,
  wrote: keepsText('description'),
})

export const listCourses = listOperation({
  ...ops.listed,
  summary: 'Courses in every state, drafts and archived ones included.',
  filters: {
    state: filter(z.enum(COURSE_STATES), (state) => sql`r.state = ${state}`),
    slug: filter(slug, (value) => sql`r.slug = ${value}`),
    lecturer_id: filter(
      id,
      (value, db) => sql`r.id in (
        select l.course_id from course_lecturers l
        where l.school_id = ${db.schoolId} and l.user_id = ${value})`,
    ),
    search: searchIn('title', { code: 'slug' }),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', updated_at: 'time', title: 'text', price_amount: 'number' },
  defaultSort: '-created_at',
  examples: [
    { title: 'Published courses, by title', input: { state: 'published', sort: 'title' } },
  ],
})

export const readCourse = ops.read({
  summary: 'One course by its id. Its sections and lectures are the curriculum.',
})

export const createCourse = ops.create({
  summary: 'Creates a draft. Students see it once it is published.',
  examples: [
    {
      title: 'A priced course',
      input: { slug: 'watercolour', title: 'Watercolour', price_amount: 4900, currency: 'USD' },
    },
    { title: 'Only the required fields', input: { slug: 'drawing', title: 'Drawing' } },
  ],
  async create(tx, _caller, { lecturer_ids, currency: given, ...columns }) {
    const course = await ops.insert(tx, {
      ...columns,
      currency: given ?? (await schoolCurrency(tx)),
    })
    await setLecturers(tx, course, lecturer_ids)
    return course
  },
})

export const changeCourse = ops.change({
  examples: [
    { title: 'Another price', input: { id: EXAMPLE.course, price_amount: 5900 } },
    {
      title: 'Another lecturer',
      input: { id: EXAMPLE.course, lecturer_ids: [EXAMPLE.lecturer] },
    },
  ],
  async change(tx, _caller, { id: course, if_version, lecturer_ids, ...columns }) {
    // Changed lecturers must raise the version of the course too.
    const touched = lecturer_ids === undefined ? {} : { outline_version: sql`outline_version` }
    await ops.update(tx, { id: course, if_version }, { ...columns, ...touched })
    if (lecturer_ids !== undefined) await setLecturers(tx, course, lecturer_ids)
  },
})

export const publishCourse = ops.move('publish', {
  summary: 'Publishes a draft or an archived course. Doing it again changes nothing.',
  examples: [{ title: 'Publish a draft', input: { id: EXAMPLE.draftCourse } }],
  to: {
    state: 'published',
    published_at: sql`coalesce(published_at, now())`,
    archived_at: null,
  },
})

export const archiveCourse = ops.move('archive', {
  summary: 'Ends the sale of a course. Students who have it keep it.',
  to: {
    state: 'archived',
    archived_at: sql`coalesce(archived_at, now())`,
  },
})

export const removeCourse = ops.remove({
  summary: 'Removes a course that no student ever had, with its curriculum. Archive all others.',
  examples: [{ title: 'Remove a draft', input: { id: EXAMPLE.draftCourse } }],
  keptBy: [
    {
      table: 'enrollments',
      column: 'course_id',
      detail: 'Students are or were enrolled in this course. Archive it instead.',
    },
    {
      table: 'order_items',
      column: 'course_id',
      detail: 'This course was bought. Archive it instead.',
    },
    {
      table: 'study_groups',
      column: 'course_id',
      detail:
        'A study group belongs to this course. Delete the group first, or archive the course.',
    },
  ],
})

async function setLecturers(
  tx: SchoolTx,
  course: string,
  people: readonly string[],
): Promise<void> {
  checkRow(courseRules, { lecturer_ids: people })
  await tx.delete('course_lecturers').where('course_id', '=', course).execute()
  if (people.length === 0) return
  const { rows } = await tx.run(sql<{ user_id: string }>`
    select user_id from lecturers where school_id = ${tx.schoolId} and user_id = any(${people}::uuid[])`)
  if (rows.length !== people.length) {
    throw invalid(
      'lecturer_ids',
      'unknown_reference',
      'One of these is not a lecturer of this school. Create the profile first.',
    )
  }
  const places = people.map((user_id, position) => ({ course_id: course, user_id, position }))
  await tx.insert('course_lecturers', places).execute()
}

export const courseOperations = {
  list: listCourses,
  read: readCourse,
  create: createCourse,
  change: changeCourse,
  publish: publishCourse,
  archive: archiveCourse,
  remove: removeCourse,
}
