import { everyKindOfPurchase } from './billing.ts'
import { operatorStory } from './operator-story.ts'
import type { MemberStory } from './school-content.ts'

const ada: MemberStory = {
  who: 'ada',
  enrollments: [
    { course: 'coastal-navigation', daysAgo: 75, source: 'purchase', progress: 0.7 },
    {
      course: 'knots-and-splices',
      daysAgo: 59,
      source: 'purchase',
      expiresInDays: 200,
      progress: 1,
    },
    { course: 'watercolor-landscapes', daysAgo: 110, source: 'purchase', progress: 0.35 },
    {
      course: 'weather-for-sailors',
      daysAgo: 5,
      source: 'plan',
      expiresInDays: 25,
      progress: 0,
    },
    {
      course: 'one-camera-one-lens',
      daysAgo: 90,
      source: 'purchase',
      revokedDaysAgo: 80,
      progress: 0.2,
    },
  ],
  products: [
    { product: 'exercise-book', daysAgo: 33 },
    { product: 'cheat-sheets', daysAgo: 28 },
    { product: 'tide-tables', daysAgo: 28 },
  ],
  registrations: [
    { event: 'open-house', daysAgo: 50, state: 'attended' },
    { event: 'night-sail', daysAgo: 20 },
    { event: 'knot-derby', daysAgo: 26, state: 'canceled' },
  ],
  subscriptions: [
    { plan: 'all-access-monthly', startedDaysAgo: 155, periodStartedDaysAgo: 5, state: 'active' },
  ],
  bookings: [
    { service: 'passage-check', slot: 0, weeks: [-9, 5], together: ['student-15'] },
    { service: 'sketchbook-review', slot: 0, weeks: [-4, 2] },
  ],
  purchases: everyKindOfPurchase({
    prefix: 'ada',
    courses: [
      'coastal-navigation',
      'knots-and-splices',
      'watercolor-landscapes',
      'one-camera-one-lens',
    ],
    products: ['exercise-book', 'cheat-sheets', 'tide-tables'],
    events: ['open-house', 'night-sail', 'knot-derby'],
    plans: ['all-access-monthly', 'all-access-yearly'],
    coupons: ['WELCOME10', 'FAIRWIND', 'CREW'],
    extra: { title: 'Private hour afloat', price: 38 },
    months: 6,
    extras: 4,
  }),
  notifications: [
    {
      kind: 'meeting_confirmed',
      title: 'Your Passage Check is confirmed',
      body: 'Bring the chart and your plan.',
      hoursAgo: 4,
      unread: true,
    },
    {
      kind: 'payment_due',
      title: 'A transfer is still open',
      body: 'Your private hour afloat is held for two more days.',
      url: '/account',
      hoursAgo: 21,
      unread: true,
    },
    {
      kind: 'event_reminder',
      title: 'Night Sail in twelve days',
      body: 'Warm clothes, pale soles.',
      hoursAgo: 30,
      unread: true,
    },
    {
      kind: 'comment_reply',
      title: 'Lecturer Four answered you',
      body: 'Say the rhyme, then check it on the chart.',
      hoursAgo: 24 * 32,
    },
    {
      kind: 'payment_received',
      title: 'Your berth was renewed',
      body: 'Berth, monthly.',
      url: '/account',
      hoursAgo: 24 * 5 + 2,
    },
  ],
  muted: [['meetings', 'email']],
}

export const harborStories: readonly MemberStory[] = [
  ada,
  operatorStory({
    who: 'owner',
    school: 'Harbor School',
    product: 'tide-tables',
    event: 'night-sail',
  }),
]
