import { enrollmentKind, progressKind } from '../../src/domain/learning/progress-bulk.ts'
import { notificationKind } from '../../src/domain/notifications/notification-bulk.ts'
import { studentKind } from '../../src/domain/people/people-bulk.ts'
import { idOf } from '../world/ids.ts'
import { courseOf, emailOf, slugOf, studentOf } from './classroom.ts'
import type { ContestKind } from './contest-kind.ts'

const TIMES = Array.from({ length: 1000 }, (_, n) =>
  new Date(Date.UTC(2026, 0, 1) + n * 1_234_567).toISOString(),
)
const timeOf = (n: number): string => TIMES[n % TIMES.length] ?? ''

const BODY = 'The new term begins on Monday. Your timetable is on your account page.'

export const notifications: ContestKind = {
  kind: notificationKind,
  title: 'Notifications, named by external_id, people by email',
  order: 'by time',
  row: (school, student, n) => ({
    external_id: `news-${student}-${n}`,
    member_email: emailOf(school, student),
    title: `News ${n}`,
    body: BODY,
    created_at: timeOf(n),
  }),
  bare: (school, student, n) => ({
    id: idOf(`news ${school} ${student}`, n),
    user_id: studentOf(school, student),
    kind: 'announcement',
    title: `News ${n}`,
    body: BODY,
    created_at: timeOf(n),
  }),
  types: {
    id: 'uuid',
    user_id: 'uuid',
    kind: 'text',
    title: 'text',
    body: 'text',
    created_at: 'timestamptz',
  },
  floor: `
    insert into notifications (school_id, id, user_id, kind, title, body, created_at)
    select $1::uuid, v.* from given v
    on conflict (school_id, id) do update set title = excluded.title, body = excluded.body`,
}

const enrollments: ContestKind = {
  kind: enrollmentKind,
  title: 'Enrollments, people by email, courses by slug',
  order: 'by time',
  row: (school, student, n) => ({
    student_email: emailOf(school, student),
    course_slug: slugOf(school, n),
    source: 'purchase',
    enrolled_at: timeOf(n),
  }),
  bare: (school, student, n) => ({
    id: idOf(`enrollment ${school} ${student}`, n),
    user_id: studentOf(school, student),
    course_id: courseOf(school, n),
    source: 'purchase',
    enrolled_at: timeOf(n),
  }),
  types: {
    id: 'uuid',
    user_id: 'uuid',
    course_id: 'uuid',
    source: 'text',
    enrolled_at: 'timestamptz',
  },
  floor: `
    insert into enrollments (school_id, id, user_id, course_id, source, enrolled_at)
    select $1::uuid, v.* from given v
    on conflict (school_id, user_id, course_id) do update
    set source = excluded.source, enrolled_at = excluded.enrolled_at`,
}

const progress: ContestKind = {
  kind: progressKind,
  title: 'Progress in lectures, all by id',
  order: 'by student',
  row: (school, student, n) => ({
    student_id: studentOf(school, student),
    lecture_id: idOf('long lecture', school * 1000 + n + 1),
    state: 'completed',
    position_seconds: 60 * (n + 1),
    updated_at: timeOf(n),
  }),
  bare: (school, student, n) => ({
    user_id: studentOf(school, student),
    course_id: courseOf(school, 0),
    lecture_id: idOf('long lecture', school * 1000 + n + 1),
    state: 'completed',
    position_seconds: 60 * (n + 1),
    completed_at: timeOf(n),
    updated_at: timeOf(n),
  }),
  types: {
    user_id: 'uuid',
    course_id: 'uuid',
    lecture_id: 'uuid',
    state: 'text',
    position_seconds: 'integer',
    completed_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  floor: `
    insert into lecture_progress
      (school_id, user_id, course_id, lecture_id, state, position_seconds, completed_at, updated_at)
    select $1::uuid, v.* from given v
    on conflict (school_id, user_id, course_id, lecture_id) do update
    set state = excluded.state, position_seconds = excluded.position_seconds,
      completed_at = excluded.completed_at, updated_at = excluded.updated_at`,
}

const students: ContestKind = {
  kind: studentKind,
  title: 'Students who are new, by email',
  order: 'by student',
  row: (school, student, n) => ({ email: newEmailOf(school, student, n), name: `New ${student}` }),
  bare: (school, student, n) => ({
    id: idOf(`new ${school} ${student}`, n),
    email: newEmailOf(school, student, n),
    name: `New ${student}`,
  }),
  types: { id: 'uuid', email: 'text', name: 'text' },
  floor: `,
    persons as (insert into users (id, email, name) select * from given returning id, name)
    insert into school_members (school_id, user_id, roles, typed_name)
    select $1::uuid, id, '{student}', name from persons`,
}

const newEmailOf = (school: number, student: number, n: number): string =>
  `new-${school}-${student}-${n}@bench.test`

export const CONTEST_KINDS: readonly ContestKind[] = [
  students,
  notifications,
  enrollments,
  progress,
]
