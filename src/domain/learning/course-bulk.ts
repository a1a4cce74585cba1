import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { byEmail, byExternalId, byName } from '../bulk/reference-column.ts'
import { columnsOf, type PlannedRow, requireMembers, stampState } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { keepImported } from '../content/rendered-texts.ts'
import { count, id, time, valueFields } from '../operation/fields.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { schoolCurrency } from '../schools/school.ts'
import { comments, listComments } from './comment-operations.ts'
import {
  COURSE_STATES,
  courseFields,
  courseRules,
  courses,
  listCourses,
} from './course-operations.ts'
import {
  completeLecture,
  lectureFields,
  lectureRules,
  lectures,
  sectionFields,
  sections,
} from './curriculum-resource.ts'
import { listLectures } from './lecture-operations.ts'
import { lecturerFields, lecturers, listLecturers } from './lecturer-operations.ts'
import { listSections } from './section-operations.ts'

export const courseKind = tableKind({
  name: 'courses',
  about: 'Courses in every state; sections and lectures are separate kinds.',
  of: courses,
  list: listCourses,
  scopes: { read: 'courses:read', write: 'courses:write' },
  example: { slug: 'watercolour', title: 'Watercolour', price_amount: 4900, currency: 'USD' },
  table: 'courses',
  natural: ['slug'],
  columns: {
    ...columnsOf(courseFields, { currency: { note: 'the school’s currency by default' } }),
    state: { schema: z.enum(COURSE_STATES), default: 'draft' },
    published_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
    archived_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
  },
  lists: {
    lecturer_ids: {
      table: 'course_lecturers',
      owner: 'course_id',
      columns: ['user_id', 'position'],
      rows: (people: readonly string[]) =>
        people.map((user_id, position) => ({ user_id, position })),
    },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  complete(row) {
    row.values.state ??= row.before?.state ?? 'draft'
    if (row.values.state === 'published') stampState(row, ['published'], 'published_at')
    stampState(row, ['archived'], 'archived_at')
  },
  rules: courseRules,
  confirm: keepImported('courses'),
})

const SCOPES = { read: 'curriculum:read', write: 'curriculum:write' }
/** Files of older releases have quizzes, which read as texts. */
const { kind: writtenKind } = valueFields(lectureFields)
const importedKind = z.preprocess((kind) => (kind === 'quiz' ? 'text' : kind), writtenKind)
const position = { schema: count.max(100_000), note: 'counted from 0; by default at the end' }

export const sectionKind = tableKind({
  name: 'sections',
  about: 'The sections of all courses.',
  of: sections,
  list: listSections,
  scopes: SCOPES,
  example: { external_id: 'chapter-9', course_id: EXAMPLE.course, title: 'Going further' },
  table: 'sections',
  columns: {
    course_id: { schema: id, needed: true, fixed: true },
    position,
    ...columnsOf(sectionFields),
  },
  references: { course_slug: byName('course_id', { table: 'courses', by: 'slug' }) },
  async inspect(tx, rows) {
    await lockCourses(tx, rows)
    await placeLast(tx, rows, 'sections', 'course_id')
  },
})

export const lectureKind = tableKind({
  name: 'lectures',
  about: 'The lectures of all courses, each in its section.',
  of: lectures,
  list: listLectures,
  scopes: SCOPES,
  example: { external_id: 'lesson-9-1', section_id: EXAMPLE.section, title: 'Mixing colours' },
  table: 'lectures',
  columns: {
    section_id: { schema: id, needed: true },
    position,
    ...columnsOf(lectureFields),
    kind: { schema: importedKind, default: 'video' },
  },
  derived: ['course_id'],
  references: { section_external_id: byExternalId('section_id', 'sections') },
  complete: ({ values }) => completeLecture(values),
  rules: lectureRules,
  async inspect(tx, rows) {
    await findCourses(tx, rows)
    await lockCourses(tx, rows)
    await placeLast(tx, rows, 'lectures', 'section_id')
  },
  confirm: keepImported('lectures'),
})

/** Finds the course of each lecture by its section. */
async function findCourses(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const asked = [...new Set(rows.flatMap(({ values }) => values.section_id ?? []))]
  const { rows: found } = await tx.run(sql<{ id: string; course_id: string }>`
    select id, course_id from sections where school_id = ${tx.schoolId} and id = any(${asked}::uuid[])`)
  const courses = new Map(found.map((section) => [section.id, section.course_id]))
  for (const row of rows) {
    if (row.values.section_id === undefined) continue
    const course = courses.get(String(row.values.section_id))
    if (course !== undefined) row.values.course_id = course
    else row.outcome = unknownSection
  }
}

const unknownSection = {
  kind: 'invalid',
  problems: [
    {
      pointer: '/section_id',
      code: 'unknown_reference',
      detail: 'There is no section with this id at this school. Import the sections first.',
    },
  ],
} as const

/** Locks the courses: two changes of one outline at the same time could use the same position. */
async function lockCourses(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const ids = new Set(
    rows.flatMap(({ values, before }) => values.course_id ?? before?.course_id ?? []),
  )
  await tx.run(sql`
    select 1 from courses where school_id = ${tx.schoolId} and id = any(${[...ids]}::uuid[])
    order by id for no key update`)
}

/** Puts new rows without a position at the end of their course or section. */
async function placeLast(
  tx: SchoolTx,
  rows: readonly PlannedRow[],
  table: 'sections' | 'lectures',
  within: 'course_id' | 'section_id',
): Promise<void> {
  const fresh = rows.filter(
    ({ outcome, values }) => outcome === 'created' && values.position === undefined,
  )
  if (fresh.length === 0) return
  const owners = [...new Set(fresh.map(({ values }) => values[within]))]
  const { rows: found } = await tx.run(sql<{ owner: string; next: number }>`
    select ${sql.ref(within)} as owner, max(position) + 1 as next from ${sql.table(table)}
    where school_id = ${tx.schoolId} and ${sql.ref(within)} = any(${owners}::uuid[]) group by 1`)
  const next = new Map(found.map(({ owner, next: place }) => [owner, place]))
  for (const { outcome, values } of rows) {
    // Rows with a position are placed first, wherever they are in the file.
    if (outcome === 'created' && typeof values.position === 'number') {
      const owner = String(values[within])
      next.set(owner, Math.max(next.get(owner) ?? 0, values.position + 1))
    }
  }
  for (const { values } of fresh) {
    const owner = String(values[within])
    const place = next.get(owner) ?? 0
    values.position = place
    next.set(owner, place + 1)
  }
}

export const lecturerKind = tableKind({
  name: 'lecturers',
  about: 'The profiles of members who hold the lecturer role.',
  of: lecturers,
  list: listLecturers,
  scopes: { read: 'lecturers:read', write: 'lecturers:write' },
  example: { id: EXAMPLE.newcomer, headline: 'Paints outdoors' },
  table: 'lecturers',
  natural: ['id'],
  named: 'the id of the member, otherwise the email',
  columns: {
    id: { schema: id, needed: true, note: 'the member' },
    ...columnsOf(lecturerFields),
  },
  stored: { id: 'user_id' },
  references: { email: byEmail('id') },
  inspect: (tx, rows) => requireMembers(tx, rows, 'id', 'lecturer'),
})

export const commentKind = tableKind({
  name: 'comments',
  about: 'Comments of members under lectures.',
  of: comments,
  list: listComments,
  scopes: { read: 'comments:read' },
  notInAdmin: 'Members write comments themselves, and only a move from another system brings them.',
  example: {
    external_id: 'remark-1',
    lecture_id: EXAMPLE.lecture,
    author_id: EXAMPLE.student,
    body: 'Thank you',
  },
  table: 'comments',
  columns: {
    lecture_id: { schema: id, needed: true, fixed: true },
    author_id: { schema: id, needed: true, fixed: true },
    parent_id: { schema: id.nullable(), fixed: true, note: 'the comment that it answers' },
    body: { schema: comments.schema.shape.body, needed: true },
    hidden_at: { schema: time.nullable() },
  },
  stored: { author_id: 'user_id' },
  references: {
    author_email: byEmail('author_id'),
    lecture_external_id: byExternalId('lecture_id', 'lectures'),
    parent_external_id: byExternalId('parent_id', 'comments'),
  },
})
