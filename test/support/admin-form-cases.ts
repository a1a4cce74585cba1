import type { AdminBrowser, Typed } from './admin-browser.ts'
import type { TestPerson, TestSchool, World } from './world.ts'

/** What the forms of one kind of object need. */
export interface FormCaseSetup {
  readonly world: World
  readonly school: TestSchool
  readonly browser: AdminBrowser
  /** Two members: a student and a lecturer. */
  readonly student: TestPerson
  readonly lecturer: TestPerson
}

/** How an operator creates, finds, edits and removes one kind of object. */
export interface FormCase {
  /** The page that shows the new object: a list, or the page of its parent. */
  readonly list: string
  /** The form for a new object. */
  readonly form: string
  readonly bad: Typed
  /** The fields of `bad` that are wrong. */
  readonly wrong: readonly string[]
  readonly good: Typed
  /** A text in the list that shows the object. */
  readonly shown: string
  /** Fields that accept any text, and so any attack. */
  readonly free: readonly string[]
  readonly edit?: { readonly typed: Typed; readonly shown: string }
  /** Each action with the message on the next page. */
  readonly actions: readonly (readonly [path: string, words: string])[]
  readonly remove?: string
  /** Creating one leaves no entry in the audit log: the work that it starts does, at its end. */
  readonly isWork?: true
}

let made = 0
/** A slug, or part of a code, that no other case uses. */
const fresh = () => `case-${++made}`

const idIn = (path: string) => path.split('/').at(-1) ?? ''

async function aCourse(browser: AdminBrowser): Promise<string> {
  const slug = fresh()
  const { path } = await browser.done('/admin/courses/new', { title: `Course ${slug}`, slug })
  return path
}

async function aPlan(browser: AdminBrowser): Promise<Typed> {
  await aCourse(browser)
  return { name: 'Studio', slug: fresh(), price_amount: '12', interval: 'month' }
}

/** Every kind of object that can be created in the admin area. */
export const FORM_CASES: Readonly<Record<string, (setup: FormCaseSetup) => Promise<FormCase>>> = {
  jobs: async () => ({
    list: '/admin/jobs',
    form: '/admin/jobs/new',
    bad: { resource: 'passwords', format: 'csv' },
    wrong: ['resource'],
    good: { resource: 'members', format: 'csv' },
    shown: 'Export of members',
    free: [],
    actions: [['cancel', 'The job ends after the step that it is at.']],
    isWork: true,
  }),
  courses: async () => ({
    list: '/admin/courses',
    form: '/admin/courses/new',
    bad: { title: '', slug: 'Not A Slug', price_amount: 'much' },
    wrong: ['title', 'slug', 'price_amount'],
    good: { title: 'Watercolour', slug: fresh(), price_amount: '49.50', currency: 'USD' },
    shown: '$49.50',
    free: ['title', 'summary', 'description'],
    edit: { typed: { description: '# Paint\n\n* one\n* two' }, shown: '<h2>Paint</h2>' },
    actions: [
      ['publish', 'The course is published.'],
      ['archive', 'The course is in the archive.'],
    ],
    remove: 'delete',
  }),
  sections: async ({ browser }) => {
    const course = await aCourse(browser)
    return {
      list: `${course}/sections`,
      form: `${course}/sections/new`,
      bad: { title: '  ' },
      wrong: ['title'],
      good: { title: 'First steps' },
      shown: 'First steps',
      free: ['title'],
      edit: { typed: { title: 'Second steps' }, shown: 'Second steps' },
      actions: [],
      remove: 'delete',
    }
  },
  lectures: async ({ browser }) => {
    const course = await aCourse(browser)
    await browser.done(`${course}/sections/new`, { title: 'First steps' })
    const section = /\/admin\/sections\/[0-9a-f-]{36}/.exec(await browser.page(course))?.[0] ?? ''
    return {
      list: section,
      form: `${section}/lectures/new`,
      bad: { title: '', duration_seconds: 'long', unlock_at: 'tomorrow' },
      wrong: ['title', 'duration_seconds', 'unlock_at'],
      good: { title: 'Mixing colours', duration_seconds: '540', unlock_after_days: '7' },
      shown: 'After 7 days',
      free: ['title', 'body'],
      edit: { typed: { unlock_at: '2099-03-01T09:00' }, shown: 'Opens: <time' },
      actions: [],
      remove: 'delete',
    }
  },
  students: async () => ({
    list: '/admin/students',
    form: '/admin/students/new',
    bad: { email: 'nobody', name: '' },
    wrong: ['email', 'name'],
    good: { email: `${fresh()}@people.test`, name: 'Kit Example' },
    shown: 'Kit Example',
    free: ['name'],
    actions: [],
    remove: 'remove',
  }),
  enrollments: async ({ browser, student }) => {
    const course = await aCourse(browser)
    return {
      list: `/admin/students/${student.id}`,
      form: `/admin/students/${student.id}/enrollments/new`,
      bad: { course_id: '', expires_at: '2001-01-01T09:00' },
      wrong: ['course_id'],
      good: { course_id: idIn(course), expires_at: '2099-01-01T09:00' },
      shown: '1 Jan 2099',
      free: [],
      edit: { typed: { expires_at: '' }, shown: 'For life' },
      actions: [['revoke', 'The enrollment is revoked.']],
    }
  },
  lecturers: async ({ world, school }) => {
    const person = await world.aMember(school, ['lecturer'])
    return {
      list: '/admin/lecturers',
      form: '/admin/lecturers/new',
      bad: { member_id: 'nobody@people.test' },
      wrong: ['member_id'],
      good: { member_id: person.email, headline: 'Paints outdoors' },
      shown: 'Paints outdoors',
      free: ['headline', 'bio'],
      edit: { typed: { bio: '* Oil\n* Ink' }, shown: '<li>Oil</li>' },
      actions: [],
      remove: 'delete',
    }
  },
  events: async () => ({
    list: '/admin/events',
    form: '/admin/events/new',
    bad: {
      title: '',
      slug: 'x y',
      starts_at: '',
      online_url: 'javascript:alert(1)',
      capacity: '0',
    },
    wrong: ['title', 'slug', 'starts_at', 'ends_at', 'online_url', 'capacity'],
    good: {
      title: 'Open studio',
      slug: fresh(),
      starts_at: '2099-02-01T18:00',
      ends_at: '2099-02-01T20:00',
      capacity: '40',
    },
    shown: '0 of 40',
    free: ['title', 'description', 'location'],
    edit: { typed: { capacity: '60', location: 'The hall' }, shown: 'The hall' },
    actions: [
      ['publish', 'The event is published.'],
      ['cancel', 'The event is canceled.'],
    ],
    remove: 'delete',
  }),
  registrations: async ({ browser, student }) => {
    const { path } = await browser.done('/admin/events/new', {
      title: 'Open studio',
      slug: fresh(),
      starts_at: '2099-02-01T18:00',
      ends_at: '2099-02-01T20:00',
    })
    return {
      list: path,
      form: `${path}/registrations/new`,
      bad: { member_id: 'nobody@people.test' },
      wrong: ['member_id'],
      good: { member_id: student.email },
      shown: student.name,
      free: [],
      actions: [
        ['attended', 'Marked as attended.'],
        ['undo-attended', 'The check-in is undone.'],
        ['cancel', 'The registration is canceled.'],
      ],
    }
  },
  forms: async () => ({
    list: '/admin/forms',
    form: '/admin/forms/new',
    bad: { title: '', slug: 'Not A Slug' },
    wrong: ['title', 'slug'],
    good: { title: `Survey ${fresh()}`, slug: fresh() },
    shown: 'Survey case-',
    free: ['title'],
    edit: { typed: { title: 'How was it?' }, shown: 'How was it?' },
    actions: [],
    remove: 'delete',
  }),
  services: async () => ({
    list: '/admin/services',
    form: '/admin/services/new',
    bad: { title: '' },
    wrong: ['title'],
    good: { title: `Review ${fresh()}`, description: 'Bring *three* pictures.' },
    shown: 'Review case-',
    free: ['title', 'description'],
    edit: { typed: { description: '## What to bring' }, shown: '<h2>What to bring</h2>' },
    actions: [
      ['pause', 'The service is paused.'],
      ['offer', 'The service is offered.'],
    ],
    remove: 'delete',
  }),
  slots: async ({ browser }) => {
    const { path } = await browser.done('/admin/services/new', { title: 'Review' })
    return {
      list: path,
      form: `${path}/slots/new`,
      bad: { start_times: 'noon', duration_minutes: 'long', time_zone: 'Middle/Earth' },
      wrong: ['weekdays', 'start_times', 'duration_minutes', 'time_zone'],
      good: { weekdays: ['friday'], start_times: '09:30', duration_minutes: '45' },
      shown: '09:30 to 10:15',
      free: [],
      actions: [],
      remove: 'delete',
    }
  },
  meetings: async ({ browser }) => {
    const { path } = await browser.done('/admin/services/new', { title: 'Review' })
    return {
      list: path,
      form: `${path}/meetings/new`,
      bad: { starts_at: 'soon', room_url: 'javascript:alert(1)' },
      wrong: ['starts_at', 'ends_at', 'room_url'],
      good: { starts_at: '2099-02-01T18:00', ends_at: '2099-02-01T20:00' },
      shown: '1 Feb 2099, 18:00',
      free: ['title'],
      edit: { typed: { room_url: 'https://rooms.test/1' }, shown: 'https://rooms.test/1' },
      actions: [
        ['confirm', 'The meeting is confirmed.'],
        ['move', 'The meeting is moved, and those who attend are told.'],
        ['cancel', 'The meeting is canceled.'],
        ['reopen', 'The meeting is available again.'],
      ],
    }
  },
  'study-groups': async () => ({
    list: '/admin/study-groups',
    form: '/admin/study-groups/new',
    bad: { name: ' ' },
    wrong: ['name'],
    good: { name: 'Night owls' },
    shown: 'Night owls',
    free: ['name'],
    edit: { typed: { name: 'Early birds' }, shown: 'Early birds' },
    actions: [],
    remove: 'delete',
  }),
  coupons: async () => ({
    list: '/admin/coupons',
    form: '/admin/coupons/new',
    bad: { code: 'lower case', percent_off: '120', ends_at: 'soon' },
    wrong: ['code', 'percent_off', 'ends_at'],
    good: { code: fresh().toUpperCase(), percent_off: '20', max_redemptions: '100' },
    shown: '0 of 100',
    free: [],
    edit: {
      typed: { max_redemptions: '', ends_at: '2099-01-01T09:00' },
      shown: '2099-01-01T09:00:00.000Z',
    },
    actions: [['archive', 'The coupon is in the archive.']],
    remove: 'delete',
  }),
  plans: async ({ browser }) => ({
    list: '/admin/plans',
    form: '/admin/plans/new',
    bad: { name: '', slug: '', price_amount: '-1', interval: '' },
    wrong: ['name', 'price_amount', 'interval'],
    good: await aPlan(browser),
    shown: '$12.00 a month',
    free: ['name', 'description'],
    edit: { typed: { interval: 'year' }, shown: '$12.00 a year' },
    actions: [
      ['publish', 'The plan is on offer.'],
      ['archive', 'The plan is in the archive.'],
    ],
  }),
  products: async () => ({
    list: '/admin/products',
    form: '/admin/products/new',
    bad: { title: '', slug: 'A', currency: 'dollars' },
    wrong: ['title', 'slug', 'currency'],
    good: { title: 'Workbook', slug: fresh(), price_amount: '9', currency: 'JPY' },
    shown: '¥9',
    free: ['title', 'description'],
    edit: { typed: { price_amount: '900' }, shown: '¥900' },
    actions: [
      ['publish', 'The product is on sale.'],
      ['archive', 'The product is in the archive.'],
    ],
    remove: 'delete',
  }),
  posts: async () => ({
    list: '/admin/posts',
    form: '/admin/posts/new',
    bad: { title: '   ', slug: 'double--hyphen' },
    wrong: ['title', 'slug'],
    good: { title: 'New term', slug: fresh(), body: 'It begins in *March*.' },
    shown: 'New term',
    free: ['title', 'body'],
    edit: { typed: { body: '## Dates\n\nSoon.' }, shown: '<h2>Dates</h2>' },
    actions: [
      ['publish', 'The post is published.'],
      ['unpublish', 'The post is a draft again.'],
    ],
    remove: 'delete',
  }),
  pages: async () => ({
    list: '/admin/pages',
    form: '/admin/pages/new',
    bad: { title: '', slug: '', position: 'first' },
    wrong: ['title', 'position'],
    good: { title: 'About us', slug: fresh(), position: '3' },
    shown: 'About us',
    free: ['title', 'body'],
    edit: { typed: { position: '-1' }, shown: '-1' },
    actions: [['publish', 'The page is published.']],
    remove: 'delete',
  }),
  payments: async ({ student }) => ({
    list: '/admin/payments',
    form: '/admin/payments/new',
    bad: { member_id: 'nobody@people.test', amount: 'much', expires_at: 'never' },
    wrong: ['member_id', 'order_number', 'trade_no', 'amount', 'expires_at'],
    good: {
      member_id: student.email,
      order_number: fresh(),
      trade_no: fresh(),
      amount: '25',
      currency: 'USD',
      payment_type: 'credit_card',
      state: 'paid',
      refunding_state: 'requested',
    },
    shown: '$25.00',
    free: ['order_number', 'trade_no'],
    actions: [
      ['approve-refund', 'The refund is recorded, and the member is told.'],
      ['undo-refund', 'The answer is undone, and the member is told.'],
      ['refuse-refund', 'The refund is refused, and the member is told.'],
      ['refund', 'The refund is recorded, and the member is told.'],
      ['undo-refund', 'The answer is undone, and the member is told.'],
    ],
  }),
  notifications: async ({ student }) => ({
    list: '/admin/notifications',
    form: '/admin/notifications/new',
    bad: { member_id: 'nobody@people.test', title: '', url: '//evil.example' },
    wrong: ['member_id', 'title', 'url'],
    good: { member_id: student.email, title: 'The hall is closed', body: 'Come on Monday.' },
    shown: 'The hall is closed',
    free: ['title', 'body'],
    actions: [],
  }),
  members: async () => ({
    list: '/admin/members',
    form: '/admin/members/new',
    bad: { email: '', name: '', roles: [] },
    wrong: ['email', 'name', 'roles'],
    good: { email: `${fresh()}@people.test`, name: 'Grace Example', roles: ['lecturer'] },
    shown: 'Grace Example',
    free: ['name'],
    edit: { typed: { roles: ['admin', 'student'] }, shown: 'Courses of this student' },
    actions: [],
    remove: 'remove',
  }),
}
