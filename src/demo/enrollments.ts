import type { EnrollmentSketch } from './content/school-content.ts'
import { courseId, type DemoLecture, lecturesOf } from './courses.ts'
import { personId } from './people.ts'
import { idAt, type Stage, varietyOf } from './stage.ts'

/** Adds access and progress; returns how many days ago the member learned something. */
export function addEnrollments(
  stage: Stage,
  who: string,
  enrollments: readonly EnrollmentSketch[],
): ReadonlySet<number> {
  const days = new Set<number>()
  for (const enrollment of enrollments) {
    const touched = touchedLectures(stage, enrollment)
    addEnrollment(stage, who, enrollment, touched)
    for (const lecture of touched) {
      addProgress(stage, who, enrollment, lecture)
      days.add(lecture.daysAgo)
    }
  }
  return days
}

interface TouchedLecture extends DemoLecture {
  readonly daysAgo: number
  readonly state: 'read' | 'completed'
  readonly positionSeconds: number
}

/** In the order of the course, without lectures that were still locked for this member. */
function touchedLectures(stage: Stage, enrollment: EnrollmentSketch): readonly TouchedLecture[] {
  const { daysAgo, progress } = enrollment
  const lectures = lecturesOf(stage, enrollment.course)
  const open = lectures.filter(({ section }) => isOpen(section, daysAgo))
  const touched = open.slice(0, Math.round(lectures.length * progress))
  const end = lastDay(enrollment)
  const finished = progress === 1
  const pace = Math.min((daysAgo - end) / Math.max(touched.length, 1), finished ? 2 : 60)
  return touched.map((lecture, i) => {
    const read = !finished && (i >= touched.length - 2 || i % 7 === 5)
    return {
      ...lecture,
      daysAgo: Math.max(end, Math.floor(daysAgo - pace * (i + 1))),
      state: read ? 'read' : 'completed',
      positionSeconds: Math.floor(lecture.durationSeconds * (read ? 0.4 : 1)),
    }
  })
}

function isOpen(
  { unlockAfterDays = 0, unlockInDays = -1 }: DemoLecture['section'],
  enrolledDaysAgo: number,
): boolean {
  return unlockAfterDays < enrolledDaysAgo && unlockInDays < 0
}

/** The last day of learning, in days before today; never after access ended. */
function lastDay(enrollment: EnrollmentSketch): number {
  const { expiresInDays = 0, revokedDaysAgo = 0, restsSince = 1 } = enrollment
  return Math.max(restsSince, 1 - expiresInDays, revokedDaysAgo + 1)
}

function addEnrollment(
  stage: Stage,
  who: string,
  enrollment: EnrollmentSketch,
  touched: readonly TouchedLecture[],
): void {
  const { schoolId, clock, rows } = stage
  const { course, daysAgo, source, expiresInDays, revokedDaysAgo } = enrollment
  const last = touched.at(-1)
  const enrolled_at = clock.at(-daysAgo, '05:00')
  rows.add('enrollments', {
    school_id: schoolId,
    id: idAt(stage, 'enrollment', `${who}/${course}`),
    course_id: courseId(stage, course),
    user_id: personId(who),
    source,
    enrolled_at,
    expires_at: expiresInDays === undefined ? null : clock.at(expiresInDays, '16:00'),
    revoked_at: revokedDaysAgo === undefined ? null : clock.at(-revokedDaysAgo),
    last_lecture_id: last?.id ?? null,
    last_position_seconds: last?.positionSeconds ?? null,
    last_watched_at: last === undefined ? null : clock.at(-last.daysAgo, '12:30'),
    created_at: enrolled_at,
  })
}

function addProgress(
  stage: Stage,
  who: string,
  { course }: EnrollmentSketch,
  lecture: TouchedLecture,
): void {
  const { schoolId, clock, rows } = stage
  const seen = clock.at(-lecture.daysAgo, '12:00')
  rows.add('lecture_progress', {
    school_id: schoolId,
    user_id: personId(who),
    course_id: courseId(stage, course),
    lecture_id: lecture.id,
    state: lecture.state,
    position_seconds: lecture.positionSeconds,
    first_read_at: seen,
    completed_at: lecture.state === 'completed' ? clock.at(-lecture.daysAgo, '12:30') : null,
    updated_at: seen,
  })
}

export function addComments(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, discussion] of school.discussions.entries()) {
    const { course, lecture, by, daysAgo, body, hidden, replies = [] } = discussion
    const lecture_id = lecturesOf(stage, course)[lecture]?.id
    if (lecture_id === undefined) throw new Error(`${course} has no lecture ${lecture}`)
    const parent_id = idAt(stage, 'comment', `${i}`)
    rows.add('comments', {
      school_id: schoolId,
      id: parent_id,
      lecture_id,
      user_id: personId(by),
      body,
      hidden_at: hidden === true ? clock.at(-daysAgo, '20:00') : null,
      created_at: clock.at(-daysAgo, '11:00'),
    })
    for (const [r, reply] of replies.entries()) {
      rows.add('comments', {
        school_id: schoolId,
        id: idAt(stage, 'comment', `${i}/${r}`),
        lecture_id,
        user_id: personId(reply.by),
        parent_id,
        body: reply.body,
        created_at: clock.at(-daysAgo, `${14 + r}:00`),
      })
    }
  }
}

const DAYS_BACK = 90

/** Days on which the member learned: those with progress, and others without recorded progress. */
export function addLearningDays(
  stage: Stage,
  who: string,
  withProgress: ReadonlySet<number>,
): void {
  const { school, schoolId, clock, rows } = stage
  const variety = varietyOf(`${school.key}/learning/${who}`)
  const zeal = who === 'ada' ? 0.6 : variety.integer(5, 45) / 100
  for (let daysAgo = 0; daysAgo <= DAYS_BACK; daysAgo++) {
    // Draw a random number for every day, so that a change of progress does not change later draws.
    const learned = variety.chance(zeal)
    if (!learned && !withProgress.has(daysAgo)) continue
    const day = clock.day(-daysAgo)
    rows.add('learning_days', { school_id: schoolId, day, user_id: personId(who) })
  }
}
