import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { recordLearning } from '../analytics/learning-days.ts'
import { requireMembers, stampState } from '../bulk/columns.ts'
import { byEmail, byExternalId } from '../bulk/stand-in.ts'
import type { PlannedRow } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { count, id, time, utc } from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'

const lectureProgressSchema = z
  .strictObject({
    object: z.literal('lecture_progress'),
    student_id: id,
    course_id: id,
    lecture_id: id,
    state: z.enum(['read', 'completed']),
    position_seconds: count,
    first_read_at: utc,
    completed_at: utc.nullable(),
    watched_at: utc.meta({ description: 'The last time.' }),
  })
  .meta({ id: 'LectureProgress' })

const lectureProgress: Resource<typeof lectureProgressSchema> = {
  object: 'lecture_progress',
  schema: lectureProgressSchema,
  rows: (at) => sql`
    select p.user_id as student_id, p.course_id, p.lecture_id, p.state, p.position_seconds,
      p.first_read_at, p.completed_at, p.updated_at as watched_at
    from lecture_progress p where p.school_id = ${at.schoolId}`,
}

export const progressKind = tableKind({
  name: 'progress',
  about: 'What students read or completed; a lecture without a row is unread.',
  of: lectureProgress,
  scopes: { read: 'students:read' },
  example: { student_id: EXAMPLE.newcomer, lecture_id: EXAMPLE.lecture, state: 'completed' },
  table: 'lecture_progress',
  key: ['student_id', 'course_id', 'lecture_id'],
  natural: ['student_id', 'lecture_id'],
  columns: {
    student_id: { schema: id, needed: true, fixed: true },
    lecture_id: { schema: id, needed: true, fixed: true },
    state: { schema: lectureProgressSchema.shape.state, needed: true },
    position_seconds: { schema: count.max(1_000_000), default: 0 },
    first_read_at: { schema: time, note: 'now unless given' },
    completed_at: { schema: time.nullable(), note: 'now, if the state asks for it' },
    watched_at: { schema: time, note: 'the last time; now unless given' },
  },
  stored: { student_id: 'user_id', watched_at: 'updated_at' },
  derived: ['course_id'],
  now: ['first_read_at', 'watched_at'],
  standIns: {
    student_email: byEmail('student_id'),
    lecture_external_id: byExternalId('lecture_id', 'lectures'),
  },
  settle(row) {
    const { values, before } = row
    const done = values.state === 'completed' && before?.completed_at == null
    if (done) values.completed_at ??= values.watched_at
    stampState(row, ['completed'], 'completed_at')
  },
  async inspect(tx, rows) {
    await findCourses(tx, rows)
    await requireMembers(tx, rows, 'student_id')
  },
  async confirm(tx, rows) {
    if (rows.length === 0) return
    await moveBookmarks(tx, rows)
    await recordLearning(
      tx,
      rows.flatMap(({ values, before }) =>
        ['first_read_at', 'completed_at', 'watched_at'].map((name) => ({
          userId: String(before?.student_id ?? values.student_id),
          at: String(values[name] ?? before?.[name] ?? new Date().toISOString()),
        })),
      ),
    )
  },
})

async function findCourses(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const asked = [...new Set(rows.map(({ values }) => values.lecture_id))]
  const { rows: found } = await tx.run(sql<{ id: string; course_id: string }>`
    select id, course_id from lectures where school_id = ${tx.schoolId} and id = any(${asked}::uuid[])`)
  const courses = new Map(found.map((lecture) => [lecture.id, lecture.course_id]))
  for (const row of rows) {
    const course = courses.get(String(row.values.lecture_id))
    if (course === undefined) row.outcome = unknownLecture
    else row.values.course_id = course
  }
}

const unknownLecture = {
  kind: 'invalid',
  problems: [
    {
      pointer: '/lecture_id',
      code: 'unknown_reference',
      detail: 'There is no lecture with this id at this school. Import the lectures first.',
    },
  ],
} as const

/** The lecture that a student watched last is where they go on, if these rows are the latest news. */
async function moveBookmarks(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const students = rows.map(({ values, before }) => before?.student_id ?? values.student_id)
  const lectures = rows.map(({ values, before }) => before?.lecture_id ?? values.lecture_id)
  await tx.run(sql`
    update enrollments e
    set last_lecture_id = w.lecture_id, last_position_seconds = w.position_seconds, last_watched_at = w.updated_at
    from (
      select distinct on (p.user_id, p.course_id) p.user_id, p.course_id, p.lecture_id, p.position_seconds, p.updated_at
      from unnest(${students}::uuid[], ${lectures}::uuid[]) as u (user_id, lecture_id)
        join lecture_progress p on p.school_id = ${tx.schoolId} and p.user_id = u.user_id and p.lecture_id = u.lecture_id
      order by p.user_id, p.course_id, p.updated_at desc, p.lecture_id) w
    where e.school_id = ${tx.schoolId} and e.user_id = w.user_id and e.course_id = w.course_id
      and coalesce(e.last_watched_at < w.updated_at, true)`)
}
