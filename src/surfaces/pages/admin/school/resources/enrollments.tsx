import { listCourses } from '../../../../../domain/learning/course-operations.ts'
import {
  changeEnrollment,
  createEnrollment,
  listEnrollments,
  listEnrollmentsOfStudent,
  readEnrollment,
  revokeEnrollment,
} from '../../../../../domain/learning/enrollment-operations.ts'
import { markInEnrollment } from '../../../../../domain/learning/progress-operations.ts'
import { readProgress } from '../../../../../domain/learning/student-progress.ts'
import { listStudents } from '../../../../../domain/people/student-operations.ts'
import {
  type AdminResource,
  type Ask,
  type Choice,
  type Column,
  type ListPlan,
  partOf,
  type Row,
  rowsOf,
  textOf,
} from '../resource.ts'
import { choicesFrom } from '../routes/choices.ts'
import { moment, momentOf, nameOf, person, related, state } from '../views/cells.tsx'
import { inWords } from '../views/words.ts'
import { byEmail } from './people-fields.ts'
import { ProgressPanel } from './progress-panel.tsx'

const filters = [{ name: 'state', label: 'State' }]
const sorts = [
  ['-enrolled_at', 'Newest first'],
  ['enrolled_at', 'Oldest first'],
] as const

export const enrollmentsOfStudent: ListPlan = {
  operation: listEnrollmentsOfStudent,
  filters,
  sorts,
}
export const enrollmentsInCourse: ListPlan = { operation: listEnrollments, filters, sorts }

const until: Column = {
  label: 'Access until',
  show: (enrollment, place) => momentOf(enrollment, 'expires_at', place) ?? 'For life',
}
const course = related('course', 'courses', 'title')
const courseTitle = (enrollment: Row) => textOf(partOf(enrollment, 'course') ?? {}, 'title')
const studentName = (enrollment: Row) => textOf(partOf(enrollment, 'student') ?? {}, 'name')

/** The lectures of the course, each with how far the student is. */
async function lecturesOf(ask: Ask, enrollment: Row): Promise<readonly Choice[]> {
  const progress = await ask(readProgress, { id: enrollment.id })
  return rowsOf(progress, 'lectures').map((lecture) => [
    textOf(lecture, 'lecture_id'),
    `${textOf(lecture, 'title')} (${textOf(lecture, 'state')})`,
  ])
}

/** The columns on a course's page, where the course is known. */
export const studentColumns: readonly Column[] = [
  { label: 'Student', show: nameOf('student', 'name', 'Somebody who left') },
  { label: 'State', show: state() },
  { label: 'Enrolled', show: moment('enrolled_at'), sort: 'enrolled_at' },
  until,
]

export const enrollments: AdminResource = {
  path: 'enrollments',
  menu: '/admin/students',
  one: 'enrollment',
  many: 'Enrollments',
  read: readEnrollment,
  expand: ['student', 'course'],
  name: (enrollment) =>
    [studentName(enrollment), courseTitle(enrollment)].filter(Boolean).join(', '),
  badges: state(),
  columns: [
    { label: 'Course', show: nameOf('course', 'title', 'A course that is gone') },
    { label: 'State', show: state() },
    { label: 'Enrolled', show: moment('enrolled_at'), sort: 'enrolled_at' },
    until,
  ],
  facts: [
    { label: 'Student', show: person('student', 'students') },
    { label: 'Course', show: course },
    { label: 'Came by', show: (row) => inWords(textOf(row, 'source')) },
    { label: 'Enrolled', show: moment('enrolled_at') },
    until,
    { label: 'Revoked', show: moment('revoked_at') },
    { label: 'Last watched', show: moment('last_watched_at') },
  ],
  fields: [
    byEmail('student_id', 'Email of the student', listStudents),
    { name: 'course_id', label: 'Course', choices: choicesFrom(listCourses, 'title') },
    { name: 'expires_at', label: 'Access until', hint: 'Empty means for life.' },
  ],
  create: createEnrollment,
  change: changeEnrollment,
  changeLabel: 'Change the end',
  actions: [
    {
      path: 'mark',
      label: 'Mark a lecture',
      operation: markInEnrollment,
      question: 'Mark a lecture for this student?',
      consequence: 'The student sees it at once, and it counts as learning today.',
      done: 'The lecture is marked.',
      fields: [
        { name: 'lecture_id', label: 'Lecture', choices: lecturesOf },
        {
          name: 'state',
          label: 'State',
          choices: [
            ['completed', 'Completed'],
            ['read', 'Read, not completed'],
            ['unread', 'Unread'],
          ],
        },
      ],
    },
    {
      path: 'revoke',
      label: 'Revoke',
      operation: revokeEnrollment,
      question: 'Take this course away?',
      consequence:
        'The student loses access at once. Their progress is kept, and comes back if you grant the course again.',
      done: 'The course is taken away.',
      tone: 'danger',
      when: (enrollment) => enrollment.state !== 'revoked',
    },
  ],
  up: (enrollment) => {
    const name = studentName(enrollment)
    return name === ''
      ? { url: '/admin/students', label: 'Students' }
      : { url: `/admin/students/${textOf(enrollment, 'student_id')}`, label: name }
  },
  panels: async (enrollment, place, ask) => (
    <ProgressPanel progress={await ask(readProgress, { id: enrollment.id })} place={place} />
  ),
}
