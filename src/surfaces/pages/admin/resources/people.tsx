import { listCourses } from '../../../../domain/learning/course-operations.ts'
import { createEnrollment } from '../../../../domain/learning/enrollment-operations.ts'
import { sendInvitation } from '../../../../domain/people/invitations.ts'
import {
  changeMember,
  createMember,
  listMembers,
  readMember,
  removeMember,
} from '../../../../domain/people/member-operations.ts'
import { correctName } from '../../../../domain/people/person-operations.ts'
import {
  createStudent,
  listStudents,
  readStudent,
  removeStudent,
} from '../../../../domain/people/student-operations.ts'
import { Badge } from '../../../../foundation/html/site-components.tsx'
import { choicesFrom } from '../crud/choices.ts'
import { asking } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import { address, inWords, moment, number, text } from '../crud/object-table.tsx'
import {
  type Action,
  defineResource,
  type Fact,
  type Related,
  rowsBy,
  withRows,
} from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'
import { enrollments, enrollmentsOfStudent } from './enrollments.tsx'
import { orders, ordersOfMember } from './orders.tsx'
import { subscriptionList, subscriptions } from './subscriptions.tsx'

interface Arriving {
  readonly name: string
  readonly invited_at: string | null
  readonly invitation_opened_at: string | null
  readonly first_signed_in_at: string | null
}

const NOT_SENT = 'Not sent yet. They got no email about this school.'

/** How far a person has come: invited, opened, signed in. */
const arrival: readonly Fact<Arriving>[] = [
  {
    label: 'Invitation',
    show: (person) => (person.invited_at === null && isToCome(person) ? NOT_SENT : undefined),
  },
  { label: 'Invited', show: moment('invited_at') },
  { label: 'Invitation opened', show: moment('invitation_opened_at') },
  { label: 'First signed in', show: moment('first_signed_in_at') },
]

const nameOf = ({ name }: Arriving) => name
const isToCome = ({ first_signed_in_at }: Arriving) => first_signed_in_at === null

/** What a school does for people who have not signed in yet. */
const beforeArrival: readonly Action<Arriving>[] = [
  {
    path: 'name',
    label: 'Correct name',
    does: asking(correctName, [{ name: 'name', label: 'Name', startsAs: nameOf }]),
    question: 'Correct the name?',
    done: 'The name is corrected.',
    when: isToCome,
  },
  {
    path: 'invite',
    label: 'Send invitation',
    labelFor: ({ invited_at }) => (invited_at === null ? undefined : 'Send invitation again'),
    does: sendInvitation,
    question: 'Send an invitation?',
    consequence:
      'They get an email with a link to choose a password, or to sign in if they have an account. The link works for seven days.',
    consequenceOfMany:
      'Each of them gets an email with a link to choose a password, or to sign in if they have an account. The links work for seven days.',
    done: 'The invitation is on its way.',
    when: isToCome,
  },
]

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
