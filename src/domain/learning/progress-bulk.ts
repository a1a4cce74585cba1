import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { addLearningDays } from '../analytics/learning-days.ts'
import { columnsOf, NEEDED, stampState } from '../bulk/columns.ts'
import { byEmail, byExternalId } from '../bulk/stand-in.ts'
import type { PlannedRow, StartedRow } from '../bulk/table-details.ts'
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
  seek: ['student_id', 'course_id', 'lecture_id'],
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
  apart: true,
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
  locate: findCourses,
  inspect: refuseStrangers,
  async confirm(tx, rows) {
    if (rows.length === 0) return
    await moveBookmarks(tx, rows)
    const learned = new Map<string, { userId: string; at: string }>()
    for (const { values, before } of rows) {
      const userId = String(before?.student_id ?? values.student_id)
      for (const name of ['first_read_at', 'completed_at', 'updated_at']) {
        const at = values[name] ?? before?.[name]
        if (typeof at === 'string') learned.set(`${userId} ${at}`, { userId, at })
      }
    }
    await addLearningDays(tx, [...learned.values()])
  },
})

/** A lecture is in one course, which the student must have or have had. */
async function findCourses(tx: SchoolTx, rows: readonly StartedRow[]): Promise<void> {
  const asked = rows.filter(({ values }) => values.student_id != null && values.lecture_id != null)
  const courses = await coursesOf(tx, asked)
  for (const [place, row] of asked.entries()) {
    const found = courses[place]
    if (found === undefined || found.enrollment_id === null) continue
    row.values.course_id = found.course_id
    row.values.enrollment_id = found.enrollment_id
  }
}

async function refuseStrangers(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const strangers = rows.filter(({ values }) => values.course_id === undefined)
  if (strangers.length === 0) return
  const courses = await coursesOf(tx, strangers)
  for (const [place, row] of strangers.entries()) {
    row.outcome = courses[place]?.course_id == null ? UNKNOWN_LECTURE : NOT_ENROLLED
  }
}

interface Found {
  readonly course_id: string | null
  readonly enrollment_id: string | null
}

async function coursesOf(tx: SchoolTx, rows: readonly StartedRow[]): Promise<readonly Found[]> {
  const students = rows.map(({ values }) => values.student_id)
  const lectures = rows.map(({ values }) => values.lecture_id)
  const { rows: found } = await tx.run(sql<Found>`
    select l.course_id, case when e.user_id = u.user_id and e.course_id = l.course_id then e.id end as enrollment_id
    from unnest(${students}::uuid[], ${lectures}::uuid[]) with ordinality as u (user_id, lecture_id, place)
      left join lateral (
        select l.course_id from lectures l
        where l.school_id = ${tx.schoolId} and l.id = u.lecture_id limit 1) l on true
      left join lateral (
        select e.id, e.user_id, e.course_id from enrollments e
        where e.school_id = ${tx.schoolId} and (e.user_id, e.course_id) >= (u.user_id, l.course_id)
        order by e.user_id, e.course_id limit 1) e on true
    order by u.place`)
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
  'This student never had the course of the lecture. Import the enrollments first.',
)

function refusal(pointer: string, code: string, detail: string): Refusal {
  return { kind: 'invalid', problems: [{ pointer, code, detail }] }
}

/** The lecture that a student watched last is where they go on, if these rows are the latest news. */
async function moveBookmarks(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const told = rows.filter(({ values }) => values.updated_at !== undefined)
  if (told.length === 0) return
  const news = told.map(({ values, before }) => ({
    id: values.enrollment_id,
    last_lecture_id: values.lecture_id,
    last_position_seconds: values.position_seconds ?? before?.position_seconds,
    last_watched_at: values.updated_at,
  }))
  await tx.run(sql`
    update enrollments e
    set last_lecture_id = w.last_lecture_id, last_position_seconds = w.last_position_seconds,
      last_watched_at = w.last_watched_at
    from (
      select distinct on (n.id) n.id, n.last_lecture_id, n.last_position_seconds, n.last_watched_at
      from json_populate_recordset(null::enrollments, ${JSON.stringify(news)}::json) n
      order by n.id, n.last_watched_at desc, n.last_lecture_id) w
    where e.school_id = ${tx.schoolId} and e.id = w.id
      and coalesce(e.last_watched_at < w.last_watched_at, true)`)
}
