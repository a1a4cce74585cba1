import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { count, dateOrNull, id, time, utc, wireTime } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { readOperation } from '../operation/object-operations.ts'
import { EXAMPLE, type WriteOperation } from '../operation/operation.ts'
import { invalid, notFound } from '../operation/refusal.ts'
import { type Resource, wireObject } from '../operation/resource.ts'
import { checkRow, type RowRules } from '../operation/row-rules.ts'
import { WITHOUT_SCOPE } from '../operation/writing.ts'
import { progressSchema } from './enrollment-operations.ts'
import { addLearningDays, LECTURE_STATES } from './progress.ts'

export const progressFields = {
  student_id: id,
  lecture_id: id,
  state: z.enum(LECTURE_STATES),
  position_seconds: count.max(1_000_000),
}

interface ProgressRow {
  readonly state?: string | undefined
  readonly completed_at?: string | null | undefined
}

export const progressRules: RowRules<ProgressRow> = [
  {
    field: 'completed_at',
    code: 'inconsistent',
    detail: 'Only a completed lecture has a time at which it was completed.',
    broken: ({ state, completed_at }) => completed_at != null && state !== 'completed',
  },
]

const lectureProgressSchema = z
  .strictObject({
    object: z.literal('lecture_progress'),
    id: id.meta({ description: 'Derived from the student and the lecture.' }),
    student_id: id,
    course_id: id,
    lecture_id: id,
    state: z.enum(LECTURE_STATES),
    position_seconds: count,
    first_read_at: utc.nullable(),
    completed_at: utc.nullable(),
    updated_at: utc,
  })
  .meta({ id: 'LectureProgress' })

type LectureProgress = z.output<typeof lectureProgressSchema>

/** Rows have no id column. This id is only for lists; no row is looked up by it. */
const idOf = (student: RawBuilder<unknown>, lecture: RawBuilder<unknown>) =>
  sql`md5(${student}::text || ${lecture}::text)::uuid`

const COLUMNS = sql`
  ${idOf(sql`p.user_id`, sql`p.lecture_id`)} as id, p.user_id as student_id, p.course_id,
  p.lecture_id, p.state, p.position_seconds, p.first_read_at, p.completed_at, p.updated_at`

export const lectureProgress: Resource<typeof lectureProgressSchema> = {
  object: 'lecture_progress',
  schema: lectureProgressSchema,
  rows: (db) => sql`select ${COLUMNS} from lecture_progress p where p.school_id = ${db.schoolId}`,
}

export const listProgress = listOperation({
  name: 'progress.list',
  title: 'List progress',
  summary: 'Lectures that students read or completed. A lecture that is not listed is unread.',
  ...WITHOUT_SCOPE,
  of: lectureProgress,
  filters: {
    student_id: filter(id, (value) => sql`r.student_id = ${value}`),
    course_id: filter(id, (value) => sql`r.course_id = ${value}`),
  },
  sorts: { updated_at: 'time' },
  defaultSort: '-updated_at',
})

const mark = z.strictObject({
  ...progressFields,
  position_seconds: progressFields.position_seconds.default(0),
  first_read_at: time.nullable().default(null),
  completed_at: time.nullable().default(null),
  watched_at: time
    .nullable()
    .default(null)
    .meta({ description: 'The student continues at the lecture with the latest time.' }),
})

type Mark = z.output<typeof mark>

export const markProgress = {
  name: 'progress.mark',
  title: 'Mark a lecture',
  summary: 'Sets the progress of a student in a lecture.',
  ...WITHOUT_SCOPE,
  kind: 'create',
  input: mark,
  output: lectureProgressSchema,
  run: (tx, _caller, input) => markLecture(tx, input),
} satisfies WriteOperation<typeof mark, typeof lectureProgressSchema>

const markEnrolled = z.strictObject({
  id: id.meta({ description: 'The enrollment.' }),
  lecture_id: id,
  state: z.enum(LECTURE_STATES),
})

/** For the page of one enrollment, which knows the student. */
export const markInEnrollment = {
  name: 'progress.mark_in_enrollment',
  title: 'Mark a lecture of an enrollment',
  summary: 'Sets the progress of the student of an enrollment in a lecture of the course.',
  ...WITHOUT_SCOPE,
  kind: 'change',
  input: markEnrolled,
  output: lectureProgressSchema,
  async run(tx, _caller, { id: enrollment, ...marked }) {
    const found = await tx
      .from('enrollments')
      .select(['user_id', 'course_id'])
      .where('id', '=', enrollment)
      .executeTakeFirst()
    if (found === undefined) throw notFound('enrollment')
    const lecture = await tx
      .from('lectures')
      .select('course_id')
      .where('id', '=', marked.lecture_id)
      .executeTakeFirst()
    if (lecture?.course_id !== found.course_id) {
      throw invalid('lecture_id', 'unknown_reference', 'This lecture is not part of the course.')
    }
    const student_id = found.user_id
    return await markLecture(tx, { ...marked, student_id, ...WITHOUT_DETAILS })
  },
} satisfies WriteOperation<typeof markEnrolled, typeof lectureProgressSchema>

const WITHOUT_DETAILS = {
  position_seconds: 0,
  first_read_at: null,
  completed_at: null,
  watched_at: null,
}

/** For all surfaces: sets the progress of a student, and where they continue. */
export async function markLecture(tx: SchoolTx, input: Mark): Promise<LectureProgress> {
  checkRow(progressRules, input)
  const course = await loadCourse(tx, input)
  if (input.state === 'unread') return await removeMark(tx, input, course)
  const written = await setMark(tx, input, course)
  await moveBookmark(tx, input, course)
  return written
}

/** A lecture without a row is unread. The days on which the student learned are kept. */
async function removeMark(tx: SchoolTx, given: Mark, course_id: string): Promise<LectureProgress> {
  const { student_id, lecture_id } = given
  const { rows } = await tx.run(sql<{ id: string; updated_at: Date }>`
    with forgotten as (
      delete from lecture_progress
      where school_id = ${tx.schoolId} and user_id = ${student_id} and course_id = ${course_id}
        and lecture_id = ${lecture_id})
    select ${idOf(sql`${student_id}`, sql`${lecture_id}`)} as id, now() as updated_at`)
  return wireObject(lectureProgress, {
    ...rows[0],
    student_id,
    course_id,
    lecture_id,
    state: 'unread',
    position_seconds: 0,
    first_read_at: null,
    completed_at: null,
  })
}

async function loadCourse(tx: SchoolTx, { student_id, lecture_id }: Mark): Promise<string> {
  const { rows } = await tx.run(sql<{ course_id: string; enrolled: boolean }>`
    select l.course_id, exists (
      select from enrollments e
      where e.school_id = l.school_id and e.course_id = l.course_id and e.user_id = ${student_id}) as enrolled
    from lectures l where l.school_id = ${tx.schoolId} and l.id = ${lecture_id}`)
  const [lecture] = rows
  if (lecture === undefined) {
    throw invalid(
      'lecture_id',
      'unknown_reference',
      'There is no lecture with this id at this school.',
    )
  }
  if (lecture.enrolled) return lecture.course_id
  throw invalid(
    'student_id',
    'not_enrolled',
    'This student was never enrolled in the course of the lecture.',
  )
}

async function setMark(tx: SchoolTx, given: Mark, course: string): Promise<LectureProgress> {
  const now = new Date()
  const completed = given.state === 'completed' ? (dateOrNull(given.completed_at) ?? now) : null
  const givenFirst = dateOrNull(given.first_read_at)
  const first = givenFirst ?? completed ?? now
  // If first_read_at is not given, the stored time stays.
  const { rows } = await tx.run(sql<Record<string, unknown>>`
    insert into lecture_progress as p
      (school_id, user_id, course_id, lecture_id, state, position_seconds, first_read_at, completed_at)
    values (${tx.schoolId}, ${given.student_id}, ${course}, ${given.lecture_id}, ${given.state},
      ${given.position_seconds}, ${first}, ${completed})
    on conflict (school_id, user_id, course_id, lecture_id) do update
      set state = excluded.state, position_seconds = excluded.position_seconds,
        completed_at = excluded.completed_at, updated_at = now(),
        first_read_at = coalesce(${givenFirst}::timestamptz, p.first_read_at)
    returning ${COLUMNS}`)
  const learned = [first, completed, dateOrNull(given.watched_at)].filter((at) => at !== null)
  await addLearningDays(
    tx,
    learned.map((at) => ({ userId: given.student_id, at: at.toISOString() })),
  )
  return wireObject(lectureProgress, rows[0] ?? {})
}

/** Makes the student continue at this lecture, unless they watched another one later. */
export async function moveBookmark(
  tx: SchoolTx,
  given: Pick<Mark, 'student_id' | 'lecture_id' | 'position_seconds' | 'watched_at'>,
  course: string,
): Promise<void> {
  const watched = dateOrNull(given.watched_at)
  if (watched === null) return
  await tx.run(sql`
    update enrollments set last_lecture_id = ${given.lecture_id},
      last_position_seconds = ${given.position_seconds}, last_watched_at = ${watched}
    where school_id = ${tx.schoolId} and course_id = ${course} and user_id = ${given.student_id}
      and (last_watched_at is null or last_watched_at <= ${watched})`)
}

const progress: Resource<typeof progressSchema> = {
  object: 'progress',
  restPath: '/enrollments/{id}/progress',
  schema: progressSchema,
  rows: (db) => sql`
    select e.id, e.user_id as student_id, e.course_id, t.completed_lectures, t.total_lectures,
      case when t.total_lectures = 0 then 0
           else floor(100.0 * t.completed_lectures / t.total_lectures)::int end as percent,
      t.lectures
    from enrollments e, lateral (
      select count(*) filter (where p.state = 'completed')::int as completed_lectures,
        count(*)::int as total_lectures,
        coalesce(json_agg(json_build_object('lecture_id', l.id, 'title', l.title,
          'state', coalesce(p.state, 'unread'), 'position_seconds', coalesce(p.position_seconds, 0),
          'completed_at', ${wireTime('p.completed_at')}) order by s.position, l.position), '[]') as lectures
      from lectures l
        join sections s on s.school_id = l.school_id and s.id = l.section_id
        left join lecture_progress p on p.school_id = l.school_id and p.user_id = e.user_id
          and p.course_id = l.course_id and p.lecture_id = l.id
      where l.school_id = e.school_id and l.course_id = e.course_id) t
    where e.school_id = ${db.schoolId}`,
}

export const readProgress = readOperation({
  name: 'enrollments.progress',
  title: 'Read a student’s progress',
  summary: 'The progress of the student of an enrollment, lecture by lecture. It can only be read.',
  scopes: ['students:read'],
  of: progress,
  examples: [{ title: 'The progress of a student', input: { id: EXAMPLE.enrollment } }],
})
