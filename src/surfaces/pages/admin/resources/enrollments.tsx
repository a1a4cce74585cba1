import { listCourses } from '../../../../domain/learning/course-operations.ts'
import {
  changeEnrollment,
  createEnrollment,
  listEnrollments,
  listEnrollmentsOfStudent,
  readEnrollment,
  revokeEnrollment,
} from '../../../../domain/learning/enrollment-operations.ts'
import {
  canExtend,
  EXTENSIONS,
  extendEnrollment,
} from '../../../../domain/learning/extend-enrollment.ts'
import { markInEnrollment, readProgress } from '../../../../domain/learning/progress-operations.ts'
import { oneMember } from '../../../../domain/notifications/reach.ts'
import { listStudents } from '../../../../domain/people/student-operations.ts'
import { Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { CourseMeter } from '../../frame/parts.tsx'
import { choicesFrom } from '../crud/choices.ts'
import { asking, type Choice } from '../crud/field.ts'
import { type Column, listPlan } from '../crud/list-plan.ts'
import {
  FORMER_MEMBER,
  inWords,
  moment,
  momentOf,
  nameOf,
  ObjectTable,
  person,
  related,
  state,
  text,
} from '../crud/object-table.tsx'
import { defineResource } from '../crud/resource.ts'
import type { OutputOf } from '../crud/row.ts'
import type { Ask, Place } from '../frame/operator.ts'
import { aPerson } from './people-fields.ts'

type Enrollment = OutputOf<typeof readEnrollment>

const until = {
  label: 'Access until',
  show: ({ expires_at }: Enrollment, place: Place) => momentOf(expires_at, place) ?? 'For life',
}
const enrolled = { label: 'Enrolled', show: moment('enrolled_at'), sort: 'enrolled_at' } as const

const filters = [{ name: 'state', label: 'State' }] as const
const sorts = [
  ['-enrolled_at', 'Newest first'],
  ['enrolled_at', 'Oldest first'],
] as const

/** For the page of a student. */
export const enrollmentsOfStudent = listPlan({
  operation: listEnrollmentsOfStudent,
  expand: ['course'],
  columns: [
    { label: 'Course', show: nameOf('course', 'title', 'Deleted course') },
    { label: 'State', show: state('state') },
    enrolled,
    until,
  ],
  filters,
  sorts,
})

/** For the page of a course. */
export const enrollmentsInCourse = listPlan({
  operation: listEnrollments,
  expand: ['student'],
  columns: [
    { label: 'Student', show: nameOf('student', 'name', FORMER_MEMBER) },
    { label: 'State', show: state('state') },
    enrolled,
    until,
  ],
  searchHint: 'Name or email',
  filters,
  sorts,
})

/** The lectures of the course, each with how far the student is. */
async function lecturesOf(ask: Ask, enrollment: Enrollment): Promise<readonly Choice[]> {
  const progress = await ask(readProgress, { id: enrollment.id })
  return progress.lectures.map((lecture) => [
    lecture.lecture_id,
    `${lecture.title} (${lecture.state})`,
  ])
}

export const enrollments = defineResource({
  path: 'enrollments',
  menu: '/admin/students',
  one: 'enrollment',
  many: 'Enrollments',
  read: readEnrollment,
  expand: ['student', 'course'],
  name: ({ student, course }) => [student?.name, course?.title].filter(Boolean).join(', '),
  badges: state('state'),
  facts: [
    { label: 'Student', show: person('student', 'students') },
    { label: 'Course', show: related('course', 'courses', 'title') },
    { label: 'Source', show: (row) => inWords(row.source) },
    { label: 'Enrolled', show: moment('enrolled_at') },
    until,
    { label: 'Revoked', show: moment('revoked_at') },
    { label: 'Last watched', show: moment('last_watched_at') },
  ],
  fields: [
    aPerson('student_id', 'Email of the student', listStudents),
    { name: 'course_id', label: 'Course', choices: choicesFrom(listCourses, 'title') },
    { name: 'expires_at', label: 'Access until', hint: 'Empty means for life.' },
  ],
  create: createEnrollment,
  change: changeEnrollment,
  changeLabel: 'Change access',
  actions: [
    {
      path: 'extend',
      label: 'Extend access',
      does: asking(extendEnrollment, [
        {
          name: 'by',
          label: 'By',
          choices: EXTENSIONS.map((by) => [by, inWords(by)] as const),
          startsAs: () => '1 month',
        },
      ]),
      question: 'Extend access to this course?',
      consequence:
        'Counted from the end of the access, or from now if it has ended. The student is told. To take it back, change the access.',
      tells: ({ student_id }) => oneMember('course_extended', student_id),
      done: 'The access is extended, and the student is told.',
      when: (enrollment) => canExtend(enrollment),
    },
    {
      path: 'mark',
      label: 'Mark a lecture',
      does: asking(markInEnrollment, [
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
      ]),
      question: 'Mark a lecture for this student?',
      consequence: 'The student sees it at once, and it counts as learning today.',
      done: 'The lecture is marked.',
    },
    {
      path: 'revoke',
      label: 'Revoke',
      does: revokeEnrollment,
      question: 'Revoke this enrollment?',
      consequence:
        'The student loses access at once. Their progress is kept, and comes back if you enroll them again.',
      done: 'The enrollment is revoked.',
      tone: 'danger',
      when: (enrollment) => enrollment.state !== 'revoked',
    },
  ],
  up: ({ student }) =>
    student === null
      ? { url: '/admin/students', label: 'Students' }
      : { url: `/admin/students/${student.id}`, label: student.name },
  panels: async (enrollment, place, ask) => (
    <ProgressPanel progress={await ask(readProgress, { id: enrollment.id })} place={place} />
  ),
})

type Progress = OutputOf<typeof readProgress>

const columns: readonly Column<Progress['lectures'][number]>[] = [
  { label: 'Lecture', show: text('title') },
  { label: 'State', show: state('state') },
  { label: 'Completed', show: moment('completed_at') },
]

/** How far a student is, as a whole and lecture by lecture. */
function ProgressPanel({ progress, place }: { progress: Progress; place: Place }) {
  const { completed_lectures: completed, total_lectures: total, percent, lectures } = progress
  return (
    <Panel id="progress" title="Progress">
      {lectures.length === 0 ? (
        <Empty>
          <p>This course has no lectures yet.</p>
        </Empty>
      ) : (
        <>
          <CourseMeter progress={{ percent, completedLectures: completed, totalLectures: total }} />
          <details>
            <summary>Lecture by lecture</summary>
            <ObjectTable caption="Lectures" columns={columns} rows={lectures} place={place} />
          </details>
        </>
      )}
    </Panel>
  )
}
