import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { addLearningDays } from '../analytics/learning-days.ts'
import { columnsOf, NEEDED, stampState } from '../bulk/columns.ts'
import { byEmail, byExternalId } from '../bulk/stand-in.ts'
import type { PlannedRow } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { time } from '../operation/fields.ts'
import type { Refusal } from '../operation/refusal.ts'
import { lectureProgress, listProgress, markProgress } from './progress-operations.ts'

const FIXED = { needed: true, fixed: true }

export const progressKind = tableKind({
  name: 'progress',
  about: 'What students read or completed; a lecture without a row is unread.',
  of: lectureProgress,
  list: listProgress,
  scopes: { read: 'students:read' },
  example: { student_id: EXAMPLE.student, lecture_id: EXAMPLE.secondLecture, state: 'completed' },
  table: 'lecture_progress',
  key: ['student_id', 'course_id', 'lecture_id'],
  natural: ['student_id', 'lecture_id'],
  columns: {
    ...columnsOf(markProgress, {
      student_id: FIXED,
      lecture_id: FIXED,
      state: NEEDED,
      position_seconds: { default: 0 },
    }),
    first_read_at: { schema: time, note: 'now unless given' },
    completed_at: { schema: time.nullable(), note: 'now, if the state asks for it' },
    updated_at: {
      schema: time,
      note: 'the last time; the latest one that is given in a course is where the student goes on',
    },
  },
  stored: { student_id: 'user_id' },
  derived: ['course_id'],
  now: ['first_read_at', 'updated_at'],
  standIns: {
    student_email: byEmail('student_id'),
    lecture_external_id: byExternalId('lecture_id', 'lectures'),
  },
  settle(row) {
    const { values, before } = row
    const done = values.state === 'completed' && before?.completed_at == null
    if (done) values.completed_at ??= values.updated_at
    stampState(row, ['completed'], 'completed_at')
  },
  inspect: findCourses,
  async confirm(tx, rows) {
    if (rows.length === 0) return
    await moveBookmarks(tx, rows)
    const learned = rows.flatMap(({ values, before }) =>
      ['first_read_at', 'completed_at', 'updated_at'].flatMap((name) => {
        const at = values[name] ?? before?.[name]
        const userId = String(before?.student_id ?? values.student_id)
        return typeof at === 'string' ? { userId, at } : []
      }),
    )
    await addLearningDays(tx, learned)
  },
})

/** A lecture is in one course, which the student must have or have had. */
async function findCourses(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const students = rows.map(({ values, before }) => before?.student_id ?? values.student_id)
  const lectures = rows.map(({ values, before }) => before?.lecture_id ?? values.lecture_id)
  const { rows: found } = await tx.run(sql<{ course_id: string | null; enrolled: boolean }>`
    select l.course_id, e.id is not null as enrolled
    from unnest(${students}::uuid[], ${lectures}::uuid[]) with ordinality as u (user_id, lecture_id, place)
      left join lectures l on l.school_id = ${tx.schoolId} and l.id = u.lecture_id
      left join enrollments e on e.school_id = ${tx.schoolId} and e.user_id = u.user_id
        and e.course_id = l.course_id
    order by u.place`)
  for (const [place, row] of rows.entries()) {
    const lecture = found[place]
    if (lecture?.course_id == null) row.outcome = UNKNOWN_LECTURE
    else if (!lecture.enrolled) row.outcome = NOT_ENROLLED
    else row.values.course_id = lecture.course_id
  }
}

const UNKNOWN_LECTURE = refusal(
  '/lecture_id',
  'unknown_reference',
  'There is no lecture with this id at this school. Import the lectures first.',
)
const NOT_ENROLLED = refusal(
  '/student_id',
  'not_enrolled',
  'This student never had the course of the lecture. Import the enrollments first.',
)

function refusal(pointer: string, code: string, detail: string): Refusal {
  return { kind: 'invalid', problems: [{ pointer, code, detail }] }
}

/** The lecture that a student watched last is where they go on, if these rows are the latest news. */
async function moveBookmarks(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const told = rows.filter(({ values }) => values.updated_at !== undefined)
  if (told.length === 0) return
  const students = told.map(({ values }) => values.student_id)
  const lectures = told.map(({ values }) => values.lecture_id)
  await tx.run(sql`
    update enrollments e
    set last_lecture_id = w.lecture_id, last_position_seconds = w.position_seconds, last_watched_at = w.updated_at
    from (
      select distinct on (p.user_id, p.course_id)
        p.user_id, p.course_id, p.lecture_id, p.position_seconds, p.updated_at
      from unnest(${students}::uuid[], ${lectures}::uuid[]) as u (user_id, lecture_id)
        join lecture_progress p on p.school_id = ${tx.schoolId} and p.user_id = u.user_id
          and p.lecture_id = u.lecture_id
      order by p.user_id, p.course_id, p.updated_at desc, p.lecture_id) w
    where e.school_id = ${tx.schoolId} and e.user_id = w.user_id and e.course_id = w.course_id
      and coalesce(e.last_watched_at < w.updated_at, true)`)
}
