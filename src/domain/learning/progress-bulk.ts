import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { ReasonCode } from '../../foundation/errors/catalogue.ts'
import { byEmail, byExternalId, byName, seeking } from '../bulk/reference-column.ts'
import {
  columnsOf,
  type PlannedRow,
  requireMembers,
  type StartedRow,
  stampState,
} from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { id, time } from '../operation/fields.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Refusal } from '../operation/refusal.ts'
import {
  enrollmentFields,
  enrollmentRules,
  enrollmentSchema,
  enrollments,
  listEnrollments,
} from './enrollment-operations.ts'
import { addLearningDays } from './progress.ts'
import {
  lectureProgress,
  listProgress,
  progressFields,
  progressRules,
} from './progress-operations.ts'

/** Each of these times counts as a day on which the student learned. */
const TIMES = ['first_read_at', 'completed_at', 'updated_at'] as const

const FIXED = { needed: true, fixed: true }

export const progressKind = tableKind({
  name: 'progress',
  about: 'Lectures that students read or completed; a lecture without a row is unread.',
  of: lectureProgress,
  list: listProgress,
  scopes: { read: 'students:read' },
  notInAdmin: 'Students make progress themselves, and only a move from another system brings it.',
  example: { student_id: EXAMPLE.student, lecture_id: EXAMPLE.secondLecture, state: 'completed' },
  table: 'lecture_progress',
  key: ['student_id', 'course_id', 'lecture_id'],
  natural: ['student_id', 'lecture_id'],
  seek: ['student_id', 'course_id', 'lecture_id'],
  columns: {
    student_id: { schema: id, ...FIXED },
    lecture_id: { schema: id, ...FIXED },
    position_seconds: { schema: progressFields.position_seconds, default: 0 },
    state: { schema: progressFields.state.exclude(['unread']), needed: true },
    first_read_at: { schema: time, note: 'now by default' },
    completed_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
    updated_at: {
      schema: time,
      note: 'the last time; the student continues at the lecture with the latest one',
    },
  },
  stored: { student_id: 'user_id' },
  derived: ['course_id', 'enrollment_id'],
  elsewhere: ['enrollment_id'],
  independent: true,
  now: ['first_read_at', 'updated_at'],
  references: {
    student_email: byEmail('student_id'),
    lecture_external_id: byExternalId('lecture_id', 'lectures'),
  },
  complete(row) {
    const { values, before } = row
    const done = values.state === 'completed' && before?.completed_at == null
    if (done) values.completed_at ??= values.updated_at
    stampState(row, ['completed'], 'completed_at')
  },
  rules: progressRules,
  locate: findCourses,
  inspect: refuseUnknown,
  async confirm(tx, rows) {
    if (rows.length === 0) return
    await moveBookmarks(tx, rows)
    const learned = new Map<string, Set<string>>()
    for (const { values, before } of rows) {
      const userId = String(before?.student_id ?? values.student_id)
      const times = learned.get(userId) ?? new Set()
      learned.set(userId, times)
      for (const name of TIMES) {
        const at = values[name] ?? before?.[name]
        if (typeof at === 'string') times.add(at)
      }
    }
    await addLearningDays(
      tx,
      [...learned].flatMap(([userId, times]) => [...times].map((at) => ({ userId, at }))),
    )
  },
})

/** Finds the course of each lecture and the student's enrollment in it, which may have ended. */
async function findCourses(tx: SchoolTx, rows: readonly StartedRow[]): Promise<void> {
  const courses = await coursesOf(tx, rows)
  const students = new Map<string, Set<string>>()
  for (const { values } of rows) {
    const course = courses.get(values.lecture_id)
    if (course === undefined || typeof values.student_id !== 'string') continue
    const others = students.get(course)
    if (others === undefined) students.set(course, new Set([values.student_id]))
    else others.add(values.student_id)
  }
  const enrollments = await enrollmentsOf(tx, students)
  for (const { values } of rows) {
    const course = courses.get(values.lecture_id)
    if (course === undefined) continue
    const enrollment = enrollments.get(course)?.get(String(values.student_id))
    if (enrollment === undefined) continue
    values.course_id = course
    values.enrollment_id = enrollment
  }
}

async function refuseUnknown(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const unknown = rows.filter(({ values }) => values.course_id === undefined)
  const courses = await coursesOf(tx, unknown)
  for (const row of unknown) {
    row.outcome = courses.has(row.values.lecture_id) ? NOT_ENROLLED : UNKNOWN_LECTURE
  }
}

async function coursesOf(
  tx: SchoolTx,
  rows: readonly StartedRow[],
): Promise<ReadonlyMap<unknown, string>> {
  const ids = new Set(rows.flatMap(({ values }) => values.lecture_id ?? []))
  if (ids.size === 0) return new Map()
  const { rows: lectures } = await tx.run(sql<{ id: string; course_id: string }>`
    select id, course_id from lectures where school_id = ${tx.schoolId} and id = any(${[...ids]}::uuid[])`)
  return new Map(lectures.map(({ id, course_id }) => [id, course_id]))
}

/** The enrollments by course and student; each is found by an index on both columns. */
async function enrollmentsOf(
  tx: SchoolTx,
  students: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const found = new Map<string, Map<string, string>>()
  const [userIds, courseIds]: [string[], string[]] = [[], []]
  for (const [course, userIdsOf] of students) {
    found.set(course, new Map())
    for (const userId of userIdsOf) {
      userIds.push(userId)
      courseIds.push(course)
    }
  }
  if (userIds.length === 0) return found
  const { rows } = await tx.run(sql<{ id: string; user_id: string; course_id: string }>`
    select r.id, r.user_id, r.course_id
    from unnest(${`{${userIds.join()}}`}::uuid[], ${`{${courseIds.join()}}`}::uuid[])
        as wanted (wanted_user_id, wanted_course_id)
      cross join lateral (
        select r.id, r.user_id, r.course_id from enrollments r
        where r.school_id = ${tx.schoolId} and ${seeking(['user_id', 'course_id'])} limit 1) r`)
  for (const { id, user_id, course_id } of rows) found.get(course_id)?.set(user_id, id)
  return found
}

const UNKNOWN_LECTURE = refusal(
  '/lecture_id',
  'unknown_reference',
  'There is no lecture with this id at this school. Import the lectures first.',
)
const NOT_ENROLLED = refusal(
  '/student_id',
  'not_enrolled',
  'This student was never enrolled in the course of the lecture. Import the enrollments first.',
)

function refusal(pointer: string, code: ReasonCode, detail: string): Refusal {
  return { kind: 'invalid', problems: [{ pointer, code, detail }] }
}

interface Bookmark {
  readonly id: string
  readonly last_lecture_id: string
  readonly last_position_seconds: unknown
  readonly last_watched_at: string
}

/**
 * The student continues at the lecture that they watched last, unless the enrollment has a later
 * time.
 */
async function moveBookmarks(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const latest = new Map<string, Bookmark>()
  for (const { values, before } of rows) {
    if (typeof values.updated_at !== 'string') continue
    const bookmark = {
      id: String(values.enrollment_id),
      last_lecture_id: String(values.lecture_id),
      last_position_seconds: values.position_seconds ?? before?.position_seconds,
      last_watched_at: values.updated_at,
    }
    const other = latest.get(bookmark.id)
    if (other === undefined || isLater(bookmark, other)) latest.set(bookmark.id, bookmark)
  }
  if (latest.size === 0) return
  // Rows are updated in one order, so that two imports do not block each other.
  const bookmarks = [...latest.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  await tx.run(sql`
    update enrollments e
    set last_lecture_id = n.last_lecture_id, last_position_seconds = n.last_position_seconds,
      last_watched_at = n.last_watched_at
    from json_populate_recordset(null::enrollments, ${JSON.stringify(bookmarks)}::json) n
    where e.school_id = ${tx.schoolId} and e.id = n.id
      and coalesce(
        (e.last_watched_at, n.last_lecture_id) < (n.last_watched_at, e.last_lecture_id), true)`)
}

/**
 * If two times are equal, the lecture with the smaller id counts as later. So the result of a file
 * does not depend on which of its batches is written first.
 */
function isLater(one: Bookmark, other: Bookmark): boolean {
  if (one.last_watched_at !== other.last_watched_at) {
    return one.last_watched_at > other.last_watched_at
  }
  return one.last_lecture_id < other.last_lecture_id
}

export const enrollmentKind = tableKind({
  name: 'enrollments',
  about: 'Enrollments of students in courses.',
  of: enrollments,
  list: listEnrollments,
  scopes: { read: 'students:read', write: 'students:write' },
  example: { student_id: EXAMPLE.newcomer, course_slug: 'first' },
  table: 'enrollments',
  natural: ['student_id', 'course_id'],
  seek: ['student_id', 'course_id'],
  columns: {
    student_id: { schema: id, needed: true, fixed: true },
    course_id: { schema: id, needed: true, fixed: true },
    source: { schema: enrollmentSchema.shape.source, default: 'import' },
    enrolled_at: { schema: time, note: 'now by default' },
    ...columnsOf(enrollmentFields, { expires_at: { note: 'empty means unlimited access' } }),
    revoked_at: { schema: time.nullable() },
  },
  stored: { student_id: 'user_id' },
  independent: true,
  now: ['enrolled_at'],
  references: {
    student_email: byEmail('student_id'),
    course_slug: byName('course_id', { table: 'courses', by: 'slug' }),
  },
  rules: enrollmentRules,
  // Any role is enough: staff take courses too, and roles may change after the enrollment.
  inspect: (tx, rows) => requireMembers(tx, rows, 'student_id'),
})
