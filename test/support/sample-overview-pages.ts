import { stepsOf } from '../../src/surfaces/pages/admin/overview/first-steps.tsx'
import { overviewPage } from '../../src/surfaces/pages/admin/overview/overview.tsx'
import { at, id, place } from './sample-admin-frame.ts'
import { hostileName } from './sample-people.ts'

const NOTHING_WAITS = {
  refundRequests: 0,
  paymentsDue: 0,
  newComments: 0,
  appsToReview: 0,
  failedJobs: 0,
}
const none = { value: 0, before: 0 }
const noTotals = {
  ...{ students: 0, publishedCourses: 0, activeSubscriptions: 0, upcomingEvents: 0 },
  ...{ revenue: [], enrollments: [], learners: [], countedAt: new Date(0) },
}

const refund = (end: number, name: string, amount: number) => ({
  id: id(end),
  amount,
  refunded_amount: 0,
  currency: 'TWD',
  refund_requested_at: '2026-11-03T02:10:00.000Z',
  member: { name, email: 'mei@people.example' },
})

const bare = {
  description: '',
  appearance: {
    primaryColor: '#3b4cca',
    accentColor: '#f2a33a',
    tagline: '',
    logoFileId: undefined,
    version: 1,
  },
  mcpConnections: true,
}

const overview = {
  ...at('/admin'),
  origin: 'http://localhost:3000',
  currency: place.currency,
  totals: {
    ...noTotals,
    ...{ students: 1203, publishedCourses: 12, activeSubscriptions: 87, upcomingEvents: 1001 },
  },
  trends: {
    days: 30,
    revenue: [
      { currency: 'TWD', value: 18_240_000, before: 16_900_000 },
      { currency: 'USD', value: 42_000, before: 90_500 },
    ],
    enrollments: { value: 64, before: 64 },
    learners: { value: 8.3, before: 2.1 },
  },
  lateSince: undefined,
  waiting: {
    refundRequests: 7,
    paymentsDue: 3,
    newComments: 1001,
    appsToReview: 1,
    failedJobs: 1,
  },
  commentsSince: '2026-10-27T00:00',
  eventsFrom: '2026-10-12T09:30',
  refunds: [
    refund(1, 'Mei Tanaka', 360_000),
    refund(2, 'Ben Shaw', 120_000),
    { ...refund(3, '', 480_000), member: null },
  ],
  steps: [],
}

/** The first page of the admin area: in use, new, and at a large school that is being counted. */
export const sampleOverviewPages: Record<string, string> = {
  'admin-overview': overviewPage(overview),
  'admin-overview-new-school': overviewPage({
    ...overview,
    totals: noTotals,
    trends: { days: 30, revenue: [], enrollments: none, learners: none },
    waiting: NOTHING_WAITS,
    refunds: [],
    steps: stepsOf(bare, {
      totals: noTotals,
      found: { hasSecondOwner: false, hasApp: false },
      means: { hasPassword: true, hasPasskey: true, hasSecondFactor: false },
      isOwner: true,
      sendsMail: false,
    }),
  }),
  'admin-overview-counting': overviewPage({
    ...overview,
    developersShown: false,
    lateSince: null,
    waiting: { ...NOTHING_WAITS, refundRequests: 1, failedJobs: 2 },
    refunds: [refund(4, hostileName, 120_000)],
  }),
}
