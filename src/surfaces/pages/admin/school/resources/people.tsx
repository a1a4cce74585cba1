import { listCourses } from '../../../../../domain/learning/course-operations.ts'
import { createEnrollment } from '../../../../../domain/learning/enrollment-operations.ts'
import {
  changeMember,
  createMember,
  listMembers,
  readMember,
  removeMember,
} from '../../../../../domain/people/member-operations.ts'
import {
  createStudent,
  listStudents,
  readStudent,
  removeStudent,
} from '../../../../../domain/people/student-operations.ts'
import { Badge } from '../../../../../foundation/html/site-components.tsx'
import { defineResource } from '../define-resource.ts'
import { listPlan } from '../list-plan.ts'
import { type Related, rowsBy, withRows } from '../resource.ts'
import { choicesFrom } from '../routes/choices.ts'
import type { OutputOf, Show } from '../row.ts'
import { address, moment, number, text } from '../views/cells.tsx'
import { inWords } from '../views/words.ts'
import { arrival, beforeArrival } from './arrival.ts'
import { enrollments, enrollmentsOfStudent } from './enrollments.tsx'
import { orders, ordersOfMember } from './orders.tsx'
import { subscriptionList, subscriptions } from './subscriptions.tsx'

const sorts = [
  ['-joined_at', 'Newest first'],
  ['joined_at', 'Oldest first'],
] as const

const roles: Show<OutputOf<typeof readMember>> = (member) => (
  <span class="badges">
    {member.roles.map((role) => (
      <Badge>{inWords(role)}</Badge>
    ))}
  </span>
)

const identity = [
  { name: 'email', label: 'Email' },
  {
    name: 'name',
    label: 'Name',
    hint: 'For an account that does not exist yet; an existing account keeps its own name.',
  },
] as const

const bought: Related = {
  path: 'orders',
  title: 'Orders',
  of: orders,
  rows: rowsBy('member_id', ordersOfMember),
  empty: 'Nothing was bought yet.',
}

const subscribed: Related = {
  path: 'subscriptions',
  title: 'Subscriptions',
  of: subscriptions,
  rows: rowsBy('member_id', subscriptionList),
  empty: 'There is no subscription.',
}

export const students = defineResource({
  path: 'students',
  one: 'student',
  many: 'Students',
  lead: 'Everybody who learns here, with their courses and their progress.',
  list: listPlan({
    operation: listStudents,
    columns: [
      { label: 'Name', show: text('name') },
      { label: 'Email', show: address('email') },
      { label: 'Courses now', show: number('active_enrollment_count') },
      { label: 'Joined', show: moment('joined_at'), sort: 'joined_at' },
    ],
    searchHint: 'Name or email',
    sorts,
  }),
  read: readStudent,
  name: ({ name, email }) => name || email,
  facts: [
    { label: 'Email', show: address('email') },
    { label: 'Courses now', show: number('active_enrollment_count') },
    { label: 'Joined', show: moment('joined_at') },
    ...arrival,
  ],
  fields: identity,
  create: createStudent,
  createLabel: 'Add a student',
  actions: [
    ...beforeArrival,
    {
      path: 'remove',
      label: 'Remove',
      does: removeStudent,
      question: 'Remove this student?',
      consequence:
        'They lose the student role here. Their account, what they bought and their progress stay, and come back with the role.',
      consequenceOfMany:
        'They lose the student role here. Their accounts, what they bought and their progress stay, and come back with the role.',
      done: 'The student is removed.',
      tone: 'danger',
    },
  ],
  forMany: [
    {
      path: 'enroll',
      label: 'Enroll in a course',
      ...withRows('student_id', createEnrollment, [
        { name: 'course_id', label: 'Course', choices: choicesFrom(listCourses, 'title') },
        { name: 'expires_at', label: 'Access until', hint: 'Empty means for life.' },
      ]),
      consequence: 'All of them get the course at once, without a purchase.',
      consequenceOfOne: 'They get the course at once, without a purchase.',
    },
  ],
  related: [
    {
      path: 'enrollments',
      title: 'Enrollments',
      of: enrollments,
      rows: rowsBy('student_id', enrollmentsOfStudent),
      add: 'Enroll',
      empty: 'This student has no course yet.',
    },
    bought,
  ],
  links: (student) => [{ url: `/admin/members/${student.id}`, label: 'Roles' }],
})

export const members = defineResource({
  path: 'members',
  one: 'member',
  many: 'Members',
  lead: 'Everybody with a role here. Owners and admins run the school; lecturers teach; students learn.',
  list: listPlan({
    operation: listMembers,
    columns: [
      { label: 'Name', show: text('name') },
      { label: 'Email', show: address('email') },
      { label: 'Roles', show: roles },
      { label: 'Joined', show: moment('joined_at'), sort: 'joined_at' },
    ],
    searchHint: 'Name or email',
    filters: [{ name: 'role', label: 'Role' }],
    sorts,
  }),
  read: readMember,
  name: ({ name, email }) => name || email,
  badges: roles,
  facts: [
    { label: 'Email', show: address('email') },
    { label: 'Joined', show: moment('joined_at') },
    ...arrival,
  ],
  fields: [
    ...identity,
    {
      name: 'roles',
      label: 'Roles',
      hint: 'Only an owner may give or take the owner role. A person who is no longer owner or admin loses the apps for owners and admins that they connected.',
    },
  ],
  create: createMember,
  createLabel: 'Add a member',
  change: changeMember,
  changeLabel: 'Change roles',
  actions: [
    ...beforeArrival,
    {
      path: 'remove',
      label: 'Remove',
      does: removeMember,
      question: 'Remove this member?',
      consequence:
        'They lose every role here, and apps lose the access that they gave. Their account and what they bought stay.',
      consequenceOfMany:
        'They lose every role here, and apps lose the access that they gave. Their accounts and what they bought stay.',
      done: 'The member is removed.',
      tone: 'danger',
    },
  ],
  related: [bought, subscribed],
  links: (member) => [
    ...(member.roles.includes('student')
      ? [{ url: `/admin/students/${member.id}`, label: 'Courses of this student' }]
      : []),
    {
      url: `/admin/notifications/new?member_id=${encodeURIComponent(member.email)}`,
      label: 'Send a notification',
    },
  ],
})
