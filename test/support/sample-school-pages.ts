import { createEvent } from '../../src/domain/events/event-operations.ts'
import type { readCourse } from '../../src/domain/learning/course-operations.ts'
import type { readCurriculum } from '../../src/domain/learning/section-operations.ts'
import { changeAppearance } from '../../src/domain/schools/appearance-operations.ts'
import { renderMarkdown } from '../../src/foundation/markdown/render-markdown.ts'
import { planForm } from '../../src/surfaces/pages/admin/crud/field-rules.ts'
import { formPage } from '../../src/surfaces/pages/admin/crud/form.tsx'
import { listPage } from '../../src/surfaces/pages/admin/crud/list.tsx'
import { objectPage } from '../../src/surfaces/pages/admin/crud/object.tsx'
import { listPath, objectPath } from '../../src/surfaces/pages/admin/crud/resource.ts'
import type { OutputOf, Row } from '../../src/surfaces/pages/admin/crud/row.ts'
import { checkInColumns } from '../../src/surfaces/pages/admin/resources/check-in.tsx'
import { courses } from '../../src/surfaces/pages/admin/resources/courses.tsx'
import { curriculumPage } from '../../src/surfaces/pages/admin/resources/curriculum-page.tsx'
import { events, registrationList } from '../../src/surfaces/pages/admin/resources/events.tsx'
import { payments } from '../../src/surfaces/pages/admin/resources/payments.tsx'
import {
  AppearancePanels,
  PREVIEW_SCRIPT,
} from '../../src/surfaces/pages/admin/settings/appearance.tsx'
import { at, filtersOf, id, place } from './sample-admin-frame.ts'
import { hostileName, school } from './sample-people.ts'

const typescript: OutputOf<typeof readCourse> = {
  object: 'course',
  id: id(1),
  slug: 'practical-typescript',
  title: 'Practical TypeScript',
  summary: 'Eight chapters from an empty folder to a typed service that you can hand over.',
  description: 'Bring a laptop.\n\n## What you will go through\n\n* Shapes of data\n* Testing',
  state: 'published',
  price_amount: 480000,
  currency: 'TWD',
  published_at: '2026-07-08T09:00:00.000Z',
  archived_at: null,
  created_at: '2026-06-24T09:00:00.000Z',
  updated_at: '2026-11-14T21:05:00.000Z',
  version: 4,
  lecturer_ids: [],
  cover_file_id: null,
  comments_allowed: true,
}
const drawing = { ...typescript, id: id(2), title: 'Drawing, from the first line', state: 'draft' }
const free = { ...typescript, id: id(3), title: hostileName, state: 'archived', price_amount: 0 }

const enrollment = (end: number, name: string, expires_at: string | null, state: string): Row => ({
  id: id(end),
  student: { id: id(end + 100), name, email: `${name.toLowerCase()}@demo.test` },
  course: typescript,
  state,
  enrolled_at: '2026-09-01T05:00:00.000Z',
  expires_at,
})

const registration = (end: number, name: string, state: string): Row => ({
  id: id(end),
  member: { id: id(end + 100), name, email: `member${end}@demo.test` },
  state,
  registered_at: '2026-09-01T05:00:00.000Z',
})

const planned = planForm(createEvent, events.fields)
const wrong: Readonly<Record<string, readonly string[]>> = {
  slug: ['Use lower-case letters and digits, in words joined by single hyphens.'],
  starts_at: ['Fill this in.'],
  price_amount: ['Write an amount such as 49 or 49.50.'],
}
const typed: Readonly<Record<string, string>> = {
  title: 'Open studio',
  slug: 'Open Studio',
  price_amount: 'a little',
  capacity: '40',
}

type Curriculum = OutputOf<typeof readCurriculum>
type Lecture = Curriculum['sections'][number]['lectures'][number]

const lecture = (end: number, title: string, more: Partial<Lecture> = {}): Lecture => ({
  id: id(end),
  title,
  kind: 'video',
  duration_seconds: 540,
  is_preview: false,
  unlock_after_days: null,
  unlock_at: null,
  ...more,
})

const look = planForm(changeAppearance, [
  { name: 'primary_color', label: 'Main color', kind: 'color', hint: 'Buttons and links.' },
  { name: 'accent_color', label: 'Second color', kind: 'color' },
  { name: 'tagline', label: 'Tagline' },
])
const looks = {
  primary_color: '#ffe066',
  accent_color: '#0f766e',
  tagline: 'Learn one thing well.',
}

const nothingWrong = { fields: {}, whole: [] }

export const sampleSchoolPages: Record<string, string> = {
  'admin-courses': listPage({
    ...at('/admin/courses'),
    title: 'Courses',
    heading: 'Courses',
    lead: courses.lead,
    add: { url: '/admin/courses/new', label: 'New course' },
    transfers: [
      { url: '/admin/jobs/import?resource=courses', label: 'Import' },
      { url: '/admin/jobs/export?resource=courses', label: 'Export' },
    ],
    path: listPath(courses),
    query: { search: 'type', sort: 'title', filters: { state: 'published' } },
    defaultSort: '-created_at',
    searchable: true,
    searchHint: 'Title or address',
    filters: filtersOf(courses),
    sorts: courses.list?.sorts ?? [],
    columns: courses.list?.columns ?? [],
    rows: [typescript, drawing, free],
    urlOf: (row) => objectPath(courses, row),
    total: 1203,
    next: 'cursor',
    isFirst: false,
    empty: '',
    place,
  }),
  'admin-payments-none': listPage({
    ...at('/admin/payments'),
    title: 'Payments',
    heading: 'Payments',
    lead: payments.lead,
    transfers: [],
    path: listPath(payments),
    query: {
      search: '',
      sort: '-created_at',
      filters: { state: 'paid', created_after: '2026-11-01T00:00' },
    },
    defaultSort: '-created_at',
    searchable: true,
    searchHint: payments.list?.searchHint,
    filters: filtersOf(payments),
    sorts: payments.list?.sorts ?? [],
    columns: payments.list?.columns ?? [],
    rows: [],
    urlOf: (row) => objectPath(payments, row),
    total: 0,
    next: undefined,
    isFirst: true,
    empty: '',
    place,
  }),
  'admin-course': objectPage({
    ...at(objectPath(courses, typescript)),
    notice: 'The course is published.',
    resource: courses,
    object: typescript,
    text: renderMarkdown(typescript.description),
    actions: courses.actions.map((action) => ({
      action,
      whyNot:
        action.path === 'delete'
          ? 'Students are or were enrolled in this course. Archive it instead.'
          : undefined,
    })),
    related: (courses.related ?? []).map((related) => ({
      related,
      list: related.rows.list,
      hasMore: related.path === 'enrollments',
      rows:
        related.path === 'enrollments'
          ? [
              enrollment(31, 'Ada', null, 'active'),
              enrollment(32, 'Ben', '2026-10-01T00:00:00.000Z', 'expired'),
            ]
          : [],
    })),
    uploads: (courses.uploads ?? []).map((upload) => ({
      upload,
      current: { name: 'cover.png', sizeBytes: 184_320, url: '/files/x' },
    })),
    panels: undefined,
    place,
  }),
  'admin-new-event-wrong': formPage({
    ...at('/admin/events/new'),
    title: 'New event',
    up: { url: '/admin/events', label: 'Events' },
    action: '/admin/events/new',
    hidden: {},
    fields: planned.map((field) => ({
      field,
      typed: [typed[field.name] ?? ''],
      problems: wrong[field.name] ?? [],
      choices: [],
    })),
    problems: { fields: wrong, whole: ['An event must end after it starts.'] },
    submit: 'Create event',
    back: { url: '/admin/events', label: 'Cancel' },
  }),
  'admin-edit-conflict': formPage({
    ...at('/admin/events'),
    title: 'Edit event',
    up: { url: '/admin/events', label: 'Events' },
    action: `/admin/events/${id(1)}/edit`,
    hidden: { shown: '{}' },
    fields: planned.map((field) => ({
      field,
      typed: [typed[field.name] ?? ''],
      problems: [],
      choices: [],
    })),
    stored: { title: [hostileName], capacity: ['40'], location: ['Harbour Street 4'] },
    overwritten: ['title', 'location'],
    problems: {
      fields: {},
      whole: [
        'Another person saved a change while you were writing. Both versions are shown below. If you save now, yours replaces theirs.',
      ],
    },
    submit: 'Save',
    back: { url: '/admin/events', label: 'Cancel' },
  }),
  'admin-check-in': listPage({
    ...at('/admin/events'),
    title: 'Check in',
    heading: 'Check in',
    lead: 'Find the person by name or email, and press the button. A second press undoes it.',
    up: { url: `/admin/events/${id(1)}`, label: 'Open studio' },
    transfers: [],
    path: `/admin/events/${id(1)}/check-in`,
    query: { search: '', sort: '-registered_at', filters: {} },
    defaultSort: '-registered_at',
    searchable: true,
    searchHint: registrationList.searchHint,
    filters: [],
    sorts: registrationList.sorts,
    columns: checkInColumns(`/admin/events/${id(1)}/check-in`, 'token'),
    rows: [
      registration(51, 'Ada', 'registered'),
      registration(52, hostileName, 'attended'),
      registration(53, 'Ben', 'canceled'),
    ],
    urlOf: (row) => objectPath(events, row),
    total: 3,
    next: undefined,
    isFirst: true,
    empty: '',
    place,
  }),
  'admin-curriculum': curriculumPage({
    ...at(`/admin/courses/${id(1)}/curriculum`),
    notice: 'Moved.',
    course: typescript,
    problem: undefined,
    path: `/admin/courses/${id(1)}/curriculum`,
    place,
    curriculum: {
      object: 'curriculum',
      id: id(1),
      version: 7,
      sections: [
        {
          id: id(11),
          title: 'Setting the table',
          lectures: [
            lecture(21, 'How this course works', { is_preview: true }),
            lecture(22, 'A project from an empty folder', { unlock_after_days: 7 }),
          ],
        },
        {
          id: id(12),
          title: hostileName,
          lectures: [
            lecture(23, 'Exercise: a form that cannot lie', {
              kind: 'file',
              unlock_at: '2027-01-31T01:00:00.000Z',
            }),
          ],
        },
        { id: id(13), title: 'Capstone', lectures: [] },
      ],
    },
  }),
  'admin-appearance': formPage({
    ...at('/admin/appearance'),
    title: 'Appearance',
    lead: 'How your pages look to everybody, sign-in and consent included.',
    action: '/admin/appearance',
    hidden: { if_version: '2' },
    fields: look.map((field) => ({
      field,
      typed: [looks[field.name as keyof typeof looks]],
      problems: [],
      choices: [],
    })),
    problems: nothingWrong,
    submit: 'Save',
    preview: true,
    script: PREVIEW_SCRIPT,
    panels: AppearancePanels({
      name: school.name,
      tagline: looks.tagline,
      primary: looks.primary_color,
      stylesheet: '/admin/appearance/preview.css',
      logo: { name: 'logo.svg', sizeBytes: 420, url: '/logo.svg' },
      logoPath: '/admin/appearance/logo',
    }),
  }),
}
