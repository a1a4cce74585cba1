import { listCourses } from '../../../../domain/learning/course-operations.ts'
import {
  changeLecturer,
  createLecturer,
  listLecturers,
  readLecturer,
  removeLecturer,
} from '../../../../domain/learning/lecturer-operations.ts'
import { listMembers } from '../../../../domain/people/member-operations.ts'
import { listPlan } from '../crud/list-plan.ts'
import { cappedNumber, moment, text } from '../crud/object-table.tsx'
import { defineResource, rowsBy } from '../crud/resource.ts'
import { courseColumns, courses } from './courses.tsx'
import { aPerson } from './people-fields.ts'

const coursesOfLecturer = listPlan({
  operation: listCourses,
  columns: courseColumns,
  sorts: ['title', '-created_at'],
})

export const lecturers = defineResource({
  path: 'lecturers',
  one: 'lecturer',
  many: 'Lecturers',
  lead: 'The people whom your school presents as its teachers.',
  list: listPlan({
    operation: listLecturers,
    columns: [
      { label: 'Name', show: text('name'), sort: 'name' },
      { label: 'Headline', show: text('headline') },
      { label: 'Courses', show: cappedNumber('course_count') },
    ],
    searchHint: 'Name or headline',
    sorts: ['name', '-name', '-created_at'],
  }),
  read: readLecturer,
  name: (lecturer) => lecturer.name,
  facts: [
    { label: 'Headline', show: text('headline') },
    { label: 'Presented since', show: moment('created_at') },
  ],
  markdown: { title: 'About', member: 'bio' },
  fields: [
    {
      ...aPerson('member_id', 'Email of the member', listMembers),
      hint: 'A member with the lecturer role.',
    },
    { name: 'headline', label: 'Headline', hint: 'One line under the name.' },
    { name: 'bio', label: 'About', kind: 'markdown', hint: 'Markdown.' },
  ],
  create: createLecturer,
  createLabel: 'Add a lecturer profile',
  change: changeLecturer,
  actions: [
    {
      path: 'delete',
      label: 'Remove profile',
      does: removeLecturer,
      question: 'Remove this profile?',
      consequence: 'It disappears, also from courses. The member keeps their roles.',
      consequenceOfMany: 'They disappear, also from courses. The members keep their roles.',
      done: 'The profile is deleted.',
      tone: 'danger',
    },
  ],
  related: [
    {
      path: 'courses',
      title: 'Courses',
      of: courses,
      rows: rowsBy('lecturer_id', coursesOfLecturer),
      empty: 'Not named on any course yet.',
    },
  ],
  links: (lecturer) => [{ url: `/admin/members/${lecturer.id}`, label: 'Roles' }],
})
