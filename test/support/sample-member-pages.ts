import type { MemberPayment } from '../../src/domain/commerce/payments-of-member.ts'
import { bookingPage, bookingsPage } from '../../src/surfaces/pages/member/bookings.tsx'
import { memberHomePage, strangerHomePage } from '../../src/surfaces/pages/member/home.tsx'
import { inboxPage } from '../../src/surfaces/pages/member/inbox.tsx'
import { coursesPage, downloadsPage, eventsPage } from '../../src/surfaces/pages/member/lists.tsx'
import { paymentPage, paymentsPage } from '../../src/surfaces/pages/member/payments.tsx'
import { harbor, hostileName, passkeyQuestion, person, school, student } from './sample-people.ts'

const day = (text: string) => new Date(`${text}Z`)
const now = day('2026-11-17T12:00')
const id = (place: number) => `01981c5e-7c00-7000-8000-0000000f00${String(place).padStart(2, '0')}`
const keyed = (place: number) => ({ id: id(place), key: { at: now, id: id(place) } })
const arabic = 'مقدمة في الخط العربي: من الحرف الأول إلى اللوحة الكاملة'
const longTitle = 'A very long title that a school wrote to say everything at once, '.repeat(4)

const course = {
  ...keyed(1),
  slug: 'typescript',
  title: 'TypeScript from the ground up',
  expiresAt: null,
  hasEnded: false,
  progress: { completedLectures: 12, totalLectures: 40, percent: 30 },
  hasStarted: true,
  next: { id: id(2), title: 'Narrowing: how the compiler follows you' },
  goesOnAt: 760,
  opensAt: undefined,
}

const courses = [
  course,
  {
    ...course,
    id: id(3),
    title: arabic,
    progress: { completedLectures: 0, totalLectures: 8, percent: 0 },
    hasStarted: false,
    expiresAt: day('2026-12-24T23:00'),
  },
  {
    ...course,
    id: id(4),
    title: 'Sourdough at home',
    progress: { completedLectures: 6, totalLectures: 6, percent: 100 },
    next: undefined,
  },
  {
    ...course,
    id: id(5),
    title: longTitle,
    next: undefined,
    opensAt: day('2026-11-20T01:00'),
  },
  {
    ...course,
    id: id(6),
    title: 'Ink drawing',
    next: undefined,
    hasEnded: true,
    expiresAt: day('2026-11-01T01:00'),
  },
]

const atm: MemberPayment & {
  lines: { title: string; quantity: number; unitAmount: number; amount: number }[]
} = {
  ...keyed(10),
  tradeNo: 'DEMO20261115001',
  amount: 360000,
  currency: 'TWD',
  paymentType: 'atm',
  paymentState: 'pending',
  createdAt: day('2026-11-15T08:00'),
  paidAt: null,
  refundingState: 'none',
  refundedAmount: 0,
  refundedAt: null,
  refundRequestedAt: null,
  installment: null,
  invoice: null,
  bankCode: '822',
  bankName: 'CTBC Bank',
  codeNo: '9103522175887271',
  expiredAt: day('2026-11-19T15:59'),
  lines: [
    { title: 'TypeScript from the ground up', quantity: 1, unitAmount: 300000, amount: 300000 },
    { title: 'Workbook', quantity: 1, unitAmount: 60000, amount: 60000 },
  ],
}

const store = {
  ...atm,
  ...keyed(11),
  tradeNo: 'DEMO20261116002',
  paymentType: 'convenience_store' as const,
  bankCode: null,
  bankName: 'FamilyMart',
  codeNo: 'GW261116B0042',
  expiredAt: day('2026-11-17T15:59'),
  lines: [{ title: longTitle, quantity: 1, unitAmount: 60000, amount: 60000 }],
}

const booking = {
  ...keyed(20),
  title: 'Office hour with Lecturer One',
  kind: 'consulting' as const,
  state: 'scheduled' as const,
  startedAt: day('2026-11-17T11:45'),
  endedAt: day('2026-11-17T12:45'),
  roomUrl: 'https://meet.example/office-hour',
  lecturers: ['Lecturer One'],
  changesUntil: day('2026-11-16T11:45'),
}
const nextBooking = {
  ...booking,
  id: id(21),
  startedAt: day('2026-11-20T11:45'),
  endedAt: day('2026-11-20T12:30'),
  changesUntil: day('2026-11-19T11:45'),
}
const oneBooking = { school, viewer: student, timeZone: 'Asia/Taipei', now, openTimes: undefined }

const message = {
  ...keyed(30),
  kind: 'payment_due',
  title: 'Your transfer is still open',
  body: 'The account number is in your payments. It expires in two days.',
  url: '/account',
  createdAt: day('2026-11-16T16:00'),
  readAt: null,
}

const registration = {
  ...keyed(40),
  state: 'registered' as const,
  registeredAt: day('2026-11-10T10:00'),
  event: {
    id: id(41),
    slug: 'open-day',
    title: 'Open day',
    description: '',
    state: 'published' as const,
    startsAt: day('2026-12-05T10:00'),
    endsAt: day('2026-12-05T18:00'),
    location: 'Harbour Street 4',
    onlineUrl: 'https://meet.example/open-day',
  },
}

const product = {
  ...keyed(50),
  slug: 'workbook',
  title: 'Workbook',
  description: '',
  grantedAt: day('2026-11-02T10:00'),
}

const home = {
  school,
  here: '/account',
  viewer: student,
  person,
  now,
  timeZone: 'Asia/Taipei',
  courses,
  bookings: [booking],
  toPay: [atm, store],
  inbox: [message, { ...message, id: id(31), title: arabic, body: arabic, url: null, readAt: now }],
  unread: 12,
  events: [registration],
  downloads: [product],
  waitingDeletions: [],
  removalDueAt: undefined,
  passkey: undefined,
}

const empty = {
  ...{ courses: [], bookings: [], toPay: [], inbox: [], events: [], downloads: [] },
  unread: 0,
}

const frame = { school, viewer: student, timeZone: 'Asia/Taipei' }
const page = <Row>(rows: readonly Row[], next?: string) => ({ rows, next, isFirst: true })
const none = { rows: [], next: undefined, isFirst: true }
const paid = {
  ...atm,
  ...keyed(12),
  paymentState: 'paid' as const,
  paymentType: 'credit_card' as const,
  createdAt: day('2026-10-02T08:28'),
  paidAt: day('2026-10-02T08:30'),
  refundingState: 'partially_refunded' as const,
  refundedAmount: 60000,
  refundRequestedAt: day('2026-10-05T08:30'),
  refundedAt: day('2026-10-06T08:30'),
  installment: { count: 3, amount: 120000 },
  invoice: { number: 'AB-12345678', issuedAt: now, url: 'https://invoices.example/1' },
  expiredAt: null,
  codeNo: null,
}
const payments = { ...frame, here: '/account/payments', now }
const messages = { ...frame, here: '/account/inbox', after: undefined }

/** What a member has at the school, and what a member without anything sees. */
export const sampleMemberPages: Record<string, string> = {
  'member-home': memberHomePage(home),
  'member-home-empty': memberHomePage({
    ...home,
    ...empty,
    school: harbor,
    passkey: { question: passkeyQuestion, silent: false },
  }),
  'member-home-hostile-name': memberHomePage({
    ...home,
    person: { name: hostileName, email: `${'long.'.repeat(40)}@people.example` },
    courses: [{ ...course, title: hostileName, next: { id: id(7), title: hostileName } }],
    bookings: [{ ...booking, title: hostileName, lecturers: [hostileName], roomUrl: '' }],
    toPay: [{ ...atm, bankName: hostileName, paymentType: 'credit_card', codeNo: null, lines: [] }],
    inbox: [{ ...message, title: hostileName, body: hostileName.repeat(20) }],
    downloads: [{ ...product, title: hostileName }],
  }),
  'member-courses': coursesPage({
    ...frame,
    here: '/account/courses',
    page: page(courses, 'c2VhbGVk'),
  }),
  'member-courses-none': coursesPage({ ...frame, here: '/account/courses', page: none }),
  'member-bookings': bookingsPage({
    ...{ ...frame, now, when: 'to_come' },
    here: '/account/bookings',
    page: page([
      booking,
      nextBooking,
      { ...nextBooking, id: id(22), title: arabic, lecturers: [arabic], roomUrl: '' },
      { ...booking, title: longTitle, state: 'canceled', kind: 'study_group', roomUrl: '' },
    ]),
  }),
  'member-booking': bookingPage({
    ...oneBooking,
    here: `/account/bookings/${id(21)}`,
    booking: nextBooking,
    openTimes: [18, 25].map((on) => ({
      slotId: id(23),
      on: `2026-11-${on}`,
      startsAt: day(`2026-11-${on}T01:30`),
      endsAt: day(`2026-11-${on}T02:15`),
      title: booking.title,
      meetingId: null,
    })),
  }),
  'member-booking-full': bookingPage({
    ...oneBooking,
    here: `/account/bookings/${id(21)}`,
    booking: { ...nextBooking, title: hostileName, lecturers: [hostileName, arabic] },
    openTimes: [],
  }),
  'member-booking-late': bookingPage({
    ...oneBooking,
    here: `/account/bookings/${id(20)}`,
    booking,
  }),
  'member-bookings-past': bookingsPage({
    ...{ ...frame, now, when: 'past' },
    here: '/account/bookings',
    page: none,
  }),
  'member-payments': paymentsPage({ ...payments, toPay: [atm, store], page: page([store, paid]) }),
  'member-payments-none': paymentsPage({ ...payments, toPay: [], page: none }),
  'member-payment': paymentPage({
    ...payments,
    payment: { ...atm, amount: 320000 },
    adjustments: [{ kind: 'coupon', label: 'SUMMER10', amount: -40000 }],
    contactEmail: undefined,
  }),
  'member-payment-paid': paymentPage({
    ...payments,
    payment: paid,
    adjustments: [],
    contactEmail: undefined,
  }),
  'member-payment-expired': paymentPage({
    ...payments,
    payment: { ...store, paymentState: 'expired', lines: [] },
    adjustments: [],
    contactEmail: 'office@school.example',
  }),
  'member-inbox': inboxPage({ ...messages, unread: 1, page: page(home.inbox, 'c2VhbGVk') }),
  'member-inbox-none': inboxPage({ ...messages, unread: 0, page: none }),
  'member-events': eventsPage({
    ...{ ...frame, now },
    here: '/account/events',
    page: page([
      registration,
      { ...registration, event: { ...registration.event, title: arabic, state: 'canceled' } },
      { ...registration, state: 'attended', event: { ...registration.event, title: longTitle } },
    ]),
  }),
  'member-events-none': eventsPage({ ...frame, now, here: '/account/events', page: none }),
  'member-downloads': downloadsPage({
    ...frame,
    here: '/account/downloads',
    page: page([product, { ...product, title: arabic }]),
  }),
  'member-downloads-none': downloadsPage({ ...frame, here: '/account/downloads', page: none }),
  'member-home-stranger': strangerHomePage({
    ...{ school, here: '/account', viewer: student },
    signUp: true,
    contactEmail: 'office@demo.test',
  }),
}
