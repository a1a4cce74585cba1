import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { keepRendered } from '../content/rendered-texts.ts'
import {
  amount,
  currency,
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
import {
  changeOperation,
  createOperation,
  readOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { invalid } from '../operation/refusal.ts'
import type { Resource } from '../operation/resource.ts'
import { checkRow, type RowRules } from '../operation/row-rules.ts'
import { writing } from '../operation/writing.ts'
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
      c.cover_file_id,
      array(select l.user_id from course_lecturers l
            where l.school_id = c.school_id and l.course_id = c.id
            order by l.position, l.user_id)::text[] as lecturer_ids,
      c.published_at, c.archived_at, c.created_at, c.updated_at, c.version
    from courses c where c.school_id = ${db.schoolId}`,
}

export const courseFields = {
  slug,
  title: line(300),
  summary: text(0, 1000),
  description: markdown(),
  price_amount: amount,
  currency,
  cover_file_id: id.nullable(),
  lecturer_ids: z.array(id).max(50),
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

const READ = ['courses:read']
const WRITE = ['courses:write']

export const listCourses = listOperation({
  name: 'courses.list',
  title: 'List courses',
  summary: 'Courses in every state, drafts and archived ones included.',
  scopes: READ,
  of: courses,
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

export const readCourse = readOperation({
  name: 'courses.read',
  title: 'Read a course',
  summary: 'One course by its id. Its sections and lectures are the curriculum.',
  scopes: READ,
  of: courses,
  examples: [{ title: 'A course', input: { id: EXAMPLE.course } }],
})

export const createCourse = createOperation({
  name: 'courses.create',
  title: 'Create a course',
  summary: 'Creates a draft. Students see it once it is published.',
  scopes: WRITE,
  of: courses,
  fields: {
    slug: courseFields.slug,
    title: courseFields.title,
    summary: courseFields.summary.default(''),
    description: courseFields.description.default(''),
    price_amount: courseFields.price_amount.default(0),
    currency: courseFields.currency
      .optional()
      .meta({ description: 'The school’s currency if left out.' }),
    cover_file_id: courseFields.cover_file_id.default(null),
    lecturer_ids: courseFields.lecturer_ids.default([]),
  },
  examples: [
    {
      title: 'A priced course',
      input: { slug: 'watercolour', title: 'Watercolour', price_amount: 4900, currency: 'USD' },
    },
    { title: 'Only the required fields', input: { slug: 'drawing', title: 'Drawing' } },
  ],
  async create(tx, _caller, { lecturer_ids, currency: given, ...columns }) {
    const made = uuidv7()
    const own = await schoolCurrency(tx)
    await tx.insert('courses', { ...columns, id: made, currency: given ?? own }).execute()
    await keepRendered(tx, [{ id: made, text: columns.description }])
    await setLecturers(tx, made, lecturer_ids)
    return made
  },
})

export const changeCourse = changeOperation({
  name: 'courses.change',
  title: 'Change a course',
  summary: 'Changes the given fields; all others stay unchanged.',
  scopes: WRITE,
  of: courses,
  fields: z.object(courseFields).partial().shape,
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
    await writing(tx).update('courses', target(course, if_version), { ...columns, ...touched })
    const { description: text } = columns
    if (text !== undefined) await keepRendered(tx, [{ id: course, text }])
    if (lecturer_ids !== undefined) await setLecturers(tx, course, lecturer_ids)
  },
})

export const publishCourse = changeOperation({
  name: 'courses.publish',
  title: 'Publish a course',
  summary: 'Publishes a draft or an archived course. Doing it again changes nothing.',
  scopes: WRITE,
  of: courses,
  fields: {},
  examples: [{ title: 'Publish a draft', input: { id: EXAMPLE.draftCourse } }],
  async change(tx, _caller, { id: course, if_version }) {
    await writing(tx).update('courses', target(course, if_version), {
      state: 'published',
      published_at: sql`coalesce(published_at, now())`,
      archived_at: null,
    })
  },
})

export const archiveCourse = changeOperation({
  name: 'courses.archive',
  title: 'Archive a course',
  summary: 'Ends the sale of a course. Students who have it keep it.',
  scopes: WRITE,
  of: courses,
  fields: {},
  examples: [{ title: 'Archive a course', input: { id: EXAMPLE.course } }],
  async change(tx, _caller, { id: course, if_version }) {
    await writing(tx).update('courses', target(course, if_version), {
      state: 'archived',
      archived_at: sql`coalesce(archived_at, now())`,
    })
  },
})

export const removeCourse = removeOperation({
  name: 'courses.remove',
  title: 'Remove a course',
  summary: 'Removes a course that no student ever had, with its curriculum. Archive all others.',
  scopes: WRITE,
  of: courses,
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
  async remove(tx, _caller, { id: course, if_version }) {
    await writing(tx).delete('courses', target(course, if_version))
  },
})

const target = (course: string, ifVersion: number | undefined) => ({
  object: 'course',
  key: { id: course },
  ifVersion,
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
