import { announceToCourse, studentsOf } from '../../../../domain/learning/announcements.ts'
import {
  archiveCourse,
  changeCourse,
  createCourse,
  listCourses,
  publishCourse,
  readCourse,
  removeCourse,
} from '../../../../domain/learning/course-operations.ts'
import { listLecturers } from '../../../../domain/learning/lecturer-operations.ts'
import { choicesFrom } from '../crud/choices.ts'
import { asking } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import { address, moment, money, state, text } from '../crud/object-table.tsx'
import { defineResource, deleting, rowsBy } from '../crud/resource.ts'
import { curriculumPath, sectionList, sections } from './curriculum.tsx'
import { enrollments, enrollmentsInCourse } from './enrollments.tsx'
import { siteLink, slugFrom } from './site-link.ts'

export const courseColumns = [
  { label: 'Title', show: text('title'), sort: 'title' },
  { label: 'State', show: state('state') },
  { label: 'Price', show: money('price_amount'), sort: 'price_amount' },
  { label: 'Created', show: moment('created_at'), sort: 'created_at' },
] as const

const courseList = listPlan({
  operation: listCourses,
  columns: courseColumns,
  searchHint: 'Title or address',
  filters: [{ name: 'state', label: 'State' }],
  sorts: [
    '-created_at',
    'created_at',
    '-updated_at',
    'title',
    '-title',
    'price_amount',
    '-price_amount',
  ],
})

export const courses = defineResource({
  path: 'courses',
  one: 'course',
  many: 'Courses',
  lead: 'What your school teaches, from the first draft to the archive.',
  list: courseList,
  read: readCourse,
  name: (course) => course.title,
  badges: state('state'),
  facts: [
    { label: 'Address', show: address('slug') },
    { label: 'Price', show: money('price_amount') },
    { label: 'Summary', show: text('summary', 1000), wide: true },
    {
      label: 'Comments',
      show: ({ comments_allowed: allowed }) => (allowed ? 'Allowed' : 'Not allowed'),
    },
    { label: 'Published', show: moment('published_at') },
    { label: 'Archived', show: moment('archived_at') },
    { label: 'Last changed', show: moment('updated_at') },
  ],
  markdown: { title: 'Description', member: 'description', isKept: true },
  fields: [
    { name: 'title', label: 'Title' },
    slugFrom('title'),
    { name: 'summary', label: 'Summary', hint: 'One or two sentences for lists.', rows: 3 },
    {
      name: 'description',
      label: 'Description',
      kind: 'markdown',
      hint: 'Markdown. Save to see it as readers will.',
    },
    { name: 'price_amount', label: 'Price', kind: 'money', hint: '0 makes it free.' },
    { name: 'currency', label: 'Currency', kind: 'currency' },
    {
      name: 'lecturer_ids',
      label: 'Lecturers',
      choices: choicesFrom(listLecturers, 'name'),
    },
    {
      name: 'comments_allowed',
      label: 'Comments below lectures',
      hint: 'Students of the course read and write them, and its lecturers answer.',
    },
  ],
  uploads: [
    {
      path: 'cover',
      title: 'Cover',
      hint: 'A picture: PNG, JPEG or WebP.',
      field: 'cover_file_id',
      accept: 'image/png,image/jpeg,image/webp',
    },
  ],
  create: createCourse,
  change: changeCourse,
  actions: [
    {
      path: 'publish',
      label: 'Publish',
      does: publishCourse,
      question: 'Publish this course?',
      consequence: 'It goes on sale at once, and everybody can find it.',
      consequenceOfMany: 'They go on sale at once, and everybody can find them.',
      done: 'The course is published.',
      when: (course) => course.state !== 'published',
    },
    {
      path: 'archive',
      label: 'Archive',
      does: archiveCourse,
      question: 'Archive this course?',
      consequenceOfMany: 'Their sale ends. Students who have one keep it.',
      done: 'The course is in the archive.',
      when: (course) => course.state === 'published',
    },
    {
      path: 'announce',
      label: 'Send announcement',
      does: asking(announceToCourse, [
        { name: 'title', label: 'Title' },
        { name: 'body', label: 'Text', rows: 5, hint: 'Plain text.' },
        {
          name: 'url',
          label: 'Leads to',
          hint: 'A path of your school, such as /account, or a whole web address.',
        },
      ]),
      question: 'Send an announcement to this course?',
      consequence:
        'Everybody who has the course now is told, unless they turned announcements off. It cannot be undone.',
      tells: ({ id }) => ({ cause: 'announcement', people: (db) => studentsOf(db, id) }),
      done: 'The announcement is sent.',
    },
    deleting('course', removeCourse, {
      consequence: 'The course and its whole curriculum are deleted for good.',
      confirmsName: true,
    }),
  ],
  related: [
    {
      path: 'sections',
      title: 'Sections',
      of: sections,
      rows: rowsBy('course_id', sectionList),
      add: 'Add a section',
      empty: 'There is nothing to learn in it yet. Begin with a section.',
    },
    {
      path: 'enrollments',
      title: 'Enrollments',
      of: enrollments,
      rows: rowsBy('course_id', enrollmentsInCourse),
      add: 'Enroll a student',
      empty: 'There are no enrollments yet.',
    },
  ],
  links: (course) => [
    { url: curriculumPath(course.id), label: 'Curriculum', button: true },
    siteLink('courses', course),
  ],
})
