import { everyKindOfPurchase } from './billing.ts'
import { operatorStory } from './operator-story.ts'
import type { MemberStory } from './school-content.ts'

const ada: MemberStory = {
  who: 'ada',
  enrollments: [
    { course: 'history-of-the-book', daysAgo: 75, source: 'purchase', progress: 0.6 },
    {
      course: 'bookbinding-by-hand',
      daysAgo: 59,
      source: 'purchase',
      expiresInDays: 300,
      progress: 0.5,
    },
    { course: 'calligraphy-foundations', daysAgo: 110, source: 'purchase', progress: 1 },
    {
      course: 'watercolor-landscapes',
      daysAgo: 90,
      source: 'grant',
      expiresInDays: 40,
      progress: 0,
    },
    {
      course: 'speaking-with-ease',
      daysAgo: 380,
      source: 'plan',
      expiresInDays: -15,
      progress: 0.8,
    },
    { course: 'paper-marbling', daysAgo: 600, source: 'import', progress: 1 },
  ],
  products: [
    { product: 'exercise-book', daysAgo: 33 },
    { product: 'cheat-sheets', daysAgo: 28 },
    { product: 'binding-patterns', daysAgo: 28, revokedDaysAgo: 3 },
  ],
  registrations: [
    { event: 'open-house', daysAgo: 50, state: 'attended' },
    { event: 'evening-of-speeches', daysAgo: 20 },
    { event: 'paper-mill-visit', daysAgo: 26 },
  ],
  subscriptions: [
    {
      plan: 'all-access-monthly',
      startedDaysAgo: 125,
      periodStartedDaysAgo: 5,
      state: 'active',
      cancelAtPeriodEnd: true,
    },
  ],
  bookings: [
    { service: 'manuscript-hour', slot: 0, weeks: [-8, 4], together: ['student-22'] },
    { service: 'bench-time', slot: 0, weeks: [-3, 3] },
  ],
  purchases: everyKindOfPurchase({
    prefix: 'ada',
    courses: [
      'history-of-the-book',
      'bookbinding-by-hand',
      'calligraphy-foundations',
      'speaking-with-ease',
    ],
    products: ['exercise-book', 'cheat-sheets', 'binding-patterns'],
    events: ['open-house', 'evening-of-speeches', 'paper-mill-visit'],
    plans: ['all-access-monthly', 'all-access-yearly'],
    coupons: ['WELCOME10', 'GUILD', 'PATRON'],
    extra: { title: 'Hour at the bench', price: 26 },
    months: 5,
    extras: 3,
  }),
  notifications: [
    {
      kind: 'lecture_unlocked',
      title: 'Readers is open',
      body: 'Six lectures of A History of the Book opened for you.',
      hoursAgo: 6,
      unread: true,
    },
    {
      kind: 'event_canceled',
      title: 'No visit to the mill',
      body: 'The mill is being repaired. Your ticket was refunded.',
      hoursAgo: 100,
      unread: true,
    },
    {
      kind: 'announcement',
      title: 'News from the workshop',
      body: 'The hand press is repaired.',
      url: '/',
      hoursAgo: 24 * 31,
    },
    {
      kind: 'payment_received',
      title: 'Reading Room renewed',
      body: 'Reading Room, monthly.',
      url: '/account',
      hoursAgo: 24 * 5 + 1,
    },
  ],
  muted: [['events', 'email']],
}

export const heritageStories: readonly MemberStory[] = [
  ada,
  operatorStory({
    who: 'owner',
    school: 'Heritage School',
    product: 'binding-patterns',
    event: 'evening-of-speeches',
  }),
]
