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
import {
  type AdminResource,
  type Choice,
  type FormField,
  type Related,
  type Show,
  textOf,
} from '../resource.ts'
import { address, moment, number, text } from '../views/cells.tsx'
import { inWords } from '../views/words.ts'
import { enrollments, enrollmentsOfStudent } from './enrollments.tsx'
import { orderList, orders, purchaseColumns } from './orders.tsx'
import { subscriptionList, subscriptions } from './subscriptions.tsx'

const sorts: readonly Choice[] = [
  ['-joined_at', 'Newest first'],
  ['joined_at', 'Oldest first'],
  ['name', 'Name, A to Z'],
  ['-name', 'Name, Z to A'],
  ['email', 'Email, A to Z'],
]

const roles: Show = (member) =>
  Array.isArray(member.roles) && (
    <span class="badges">
      {member.roles.map((role) => (
        <Badge>{inWords(String(role))}</Badge>
      ))}
    </span>
  )

const whoTheyAre: readonly FormField[] = [
  { name: 'email', label: 'Email' },
  {
    name: 'name',
    label: 'Name',
    hint: 'For an account that does not exist yet; somebody who has one keeps their own name.',
  },
]

const bought: Related = {
  path: 'orders',
  title: 'Orders',
  of: orders,
  list: { ...orderList, filters: [{ name: 'state', label: 'State' }] },
  by: 'member_id',
  columns: purchaseColumns,
  empty: 'Nothing was bought yet.',
}

const subscribed: Related = {
  path: 'subscriptions',
  title: 'Subscriptions',
  of: subscriptions,
  list: subscriptionList,
  by: 'member_id',
  empty: 'There is no subscription.',
}

export const students: AdminResource = {
  path: 'students',
  one: 'student',
  many: 'Students',
  lead: 'Everybody who learns here, with what they have and how far they are.',
  list: { operation: listStudents, searchHint: 'Name or email', sorts },
  read: readStudent,
  name: (student) => textOf(student, 'name') || textOf(student, 'email'),
  columns: [
    { label: 'Name', show: text('name'), sort: 'name' },
    { label: 'Email', show: address('email'), sort: 'email' },
    { label: 'Courses now', show: number('active_enrollment_count') },
    { label: 'Joined', show: moment('joined_at'), sort: 'joined_at' },
  ],
  facts: [
    { label: 'Email', show: address('email') },
    { label: 'Courses now', show: number('active_enrollment_count') },
    { label: 'Joined', show: moment('joined_at') },
  ],
  fields: whoTheyAre,
  create: createStudent,
  createLabel: 'Add a student',
  actions: [
    {
      path: 'remove',
      label: 'Remove',
      operation: removeStudent,
      question: 'Remove this student?',
      consequence:
        'They lose the student role here. Their account, what they bought and their progress stay, and come back with the role.',
      done: 'The student is removed.',
      tone: 'danger',
    },
  ],
  related: [
    {
      path: 'enrollments',
      title: 'Enrollments',
      of: enrollments,
      list: enrollmentsOfStudent,
      by: 'student_id',
      add: 'Grant a course',
      empty: 'This student has no course yet.',
    },
    bought,
  ],
  links: (student) => [{ url: `/admin/members/${textOf(student, 'id')}`, label: 'Roles' }],
}

export const members: AdminResource = {
  path: 'members',
  one: 'member',
  many: 'Members',
  lead: 'Everybody with a role here. Owners and admins run the school; lecturers teach; students learn.',
  list: {
    operation: listMembers,
    searchHint: 'Name or email',
    filters: [{ name: 'role', label: 'Role' }],
    sorts,
  },
  read: readMember,
  name: (member) => textOf(member, 'name') || textOf(member, 'email'),
  badges: roles,
  columns: [
    { label: 'Name', show: text('name'), sort: 'name' },
    { label: 'Email', show: address('email'), sort: 'email' },
    { label: 'Roles', show: roles },
    { label: 'Joined', show: moment('joined_at'), sort: 'joined_at' },
  ],
  facts: [
    { label: 'Email', show: address('email') },
    { label: 'Joined', show: moment('joined_at') },
  ],
  fields: [
    ...whoTheyAre,
    {
      name: 'roles',
      label: 'Roles',
      hint: 'Only an owner may give or take the owner role.',
    },
  ],
  create: createMember,
  createLabel: 'Add a member',
  change: changeMember,
  changeLabel: 'Change roles',
  actions: [
    {
      path: 'remove',
      label: 'Remove',
      operation: removeMember,
      question: 'Remove this member?',
      consequence:
        'They lose every role here, and apps lose the access that they gave. Their account and what they bought stay.',
      done: 'The member is removed.',
      tone: 'danger',
    },
  ],
  related: [bought, subscribed],
  links: (member) => [
    ...(Array.isArray(member.roles) && member.roles.includes('student')
      ? [{ url: `/admin/students/${textOf(member, 'id')}`, label: 'Courses of this student' }]
      : []),
    {
      url: `/admin/notifications/new?member_id=${encodeURIComponent(textOf(member, 'email'))}`,
      label: 'Send a notification',
    },
  ],
}
