import { everyKindOfPurchase } from './billing.ts'
import { operatorStory } from './operator-story.ts'
import type { MemberStory, NotificationSketch } from './school-content.ts'

const adaInbox: readonly NotificationSketch[] = [
  {
    kind: 'meeting_confirmed',
    title: 'Your Code Review Hour is confirmed',
    body: 'The room opens five minutes before the start.',
    hoursAgo: 2,
    unread: true,
  },
  {
    kind: 'comment_reply',
    title: 'Lecturer One answered you',
    body: 'Collect both: the good ones and the complaints.',
    hoursAgo: 9,
    unread: true,
  },
  {
    kind: 'payment_due',
    title: 'Your transfer is still open',
    body: 'The account number is in your payments. It expires in two days.',
    url: '/account',
    hoursAgo: 20,
    unread: true,
  },
  {
    kind: 'refund_requested',
    title: 'We received your refund request',
    body: 'You will hear from us within two working days.',
    hoursAgo: 47,
    unread: true,
  },
  {
    kind: 'course_expiring',
    title: 'Mandarin Pronunciation Clinic ends soon',
    body: 'Your access ends in three days. Extend it, or finish the last lectures.',
    hoursAgo: 47,
    unread: true,
  },
  {
    kind: 'event_canceled',
    title: 'Rooftop Sketching is called off',
    body: 'The forecast leaves us no choice. Your ticket was refunded.',
    hoursAgo: 98,
    unread: true,
  },
  {
    kind: 'refund_completed',
    title: 'Your refund is on its way',
    body: 'Banks take up to five days to show it.',
    url: '/account',
    hoursAgo: 99,
    unread: true,
  },
  {
    kind: 'payment_received',
    title: 'Your plan was renewed',
    body: 'All Access, monthly. Thank you for staying.',
    url: '/account',
    hoursAgo: 24 * 5 + 3,
  },
  {
    kind: 'app_connected',
    title: 'An app was connected to your account',
    body: 'Not you? End it under connected apps.',
    url: '/account/apps',
    hoursAgo: 24 * 9,
    unread: true,
  },
  {
    kind: 'meeting_canceled',
    title: 'A meeting was canceled',
    body: 'Database Office Hours will not take place this week.',
    hoursAgo: 24 * 15,
  },
  {
    kind: 'announcement',
    title: 'What is new this season',
    body: 'Two new services, a reading group and a rebuilt capstone.',
    url: '/',
    hoursAgo: 24 * 24,
  },
  {
    kind: 'lecture_unlocked',
    title: 'Testing what matters is open',
    body: 'Six lectures of Practical TypeScript opened for you.',
    hoursAgo: 24 * 45,
  },
]

const adaDigests: readonly NotificationSketch[] = Array.from({ length: 12 }, (_, week) => ({
  kind: 'weekly_summary',
  title: 'Your week of learning',
  body: `${3 + ((week * 5) % 7)} lectures, ${1 + (week % 3)} meetings. Well done.`,
  hoursAgo: 24 * (6 + 7 * week),
  unread: week === 0,
}))

const ada: MemberStory = {
  who: 'ada',
  enrollments: [
    { course: 'practical-typescript', daysAgo: 75, source: 'purchase', progress: 0.55 },
    {
      course: 'sql-from-the-ground-up',
      daysAgo: 59,
      source: 'purchase',
      expiresInDays: 120,
      progress: 0.6,
    },
    { course: 'typography-for-screens', daysAgo: 110, source: 'purchase', progress: 1 },
    {
      course: 'speaking-with-ease',
      daysAgo: 35,
      source: 'plan',
      expiresInDays: 25,
      progress: 0,
    },
    {
      course: 'mandarin-pronunciation-clinic',
      daysAgo: 362,
      source: 'grant',
      expiresInDays: 3,
      progress: 0.4,
    },
    { course: 'one-camera-one-lens', daysAgo: 500, source: 'import', progress: 1 },
    {
      course: 'watercolor-landscapes',
      daysAgo: 395,
      source: 'purchase',
      expiresInDays: -30,
      progress: 0.7,
    },
    {
      course: 'bookkeeping-for-freelancers',
      daysAgo: 90,
      source: 'purchase',
      revokedDaysAgo: 80,
      progress: 0.2,
    },
  ],
  products: [
    { product: 'exercise-book', daysAgo: 33 },
    { product: 'cheat-sheets', daysAgo: 28 },
    { product: 'type-specimens', daysAgo: 28 },
    { product: 'darkroom-notes', daysAgo: 500 },
    { product: 'slide-templates', daysAgo: 131, revokedDaysAgo: 121 },
  ],
  registrations: [
    { event: 'open-house', daysAgo: 50, state: 'attended' },
    { event: 'code-and-coffee', daysAgo: 21, state: 'attended' },
    { event: 'query-tuning-live', daysAgo: 20 },
    { event: 'graduation-day', daysAgo: 4 },
    { event: 'portfolio-evening', daysAgo: 18, state: 'canceled' },
    { event: 'rooftop-sketching', daysAgo: 26 },
  ],
  subscriptions: [
    {
      plan: 'all-access-monthly',
      startedDaysAgo: 635,
      periodStartedDaysAgo: 5,
      state: 'active',
    },
    {
      plan: 'all-access-yearly',
      startedDaysAgo: 1040,
      periodStartedDaysAgo: 1040,
      state: 'canceled',
      canceledDaysAgo: 700,
    },
  ],
  bookings: [
    {
      service: 'code-review-hour',
      slot: 0,
      weeks: [-20, 7],
      together: ['student-02', 'student-04'],
    },
    { service: 'database-office-hours', slot: 0, weeks: [-12, 4] },
    { service: 'speech-rehearsal', slot: 0, weeks: [-4, 1], together: ['student-09'] },
  ],
  purchases: everyKindOfPurchase({
    prefix: 'ada',
    courses: [
      'practical-typescript',
      'sql-from-the-ground-up',
      'typography-for-screens',
      'bookkeeping-for-freelancers',
    ],
    products: ['exercise-book', 'cheat-sheets', 'type-specimens'],
    events: ['open-house', 'query-tuning-live', 'rooftop-sketching'],
    plans: ['all-access-monthly', 'all-access-yearly'],
    coupons: ['WELCOME10', 'THANKS200', 'GIFT100'],
    extra: { title: 'Extra consulting session', price: 900 },
    months: 22,
    extras: 14,
  }),
  notifications: [...adaInbox, ...adaDigests],
  muted: [
    ['announcements', 'email'],
    ['comments', 'email'],
    ['events', 'in_app'],
  ],
}

const ben: MemberStory = {
  who: 'ben',
  enrollments: [
    { course: 'telling-stories-with-data', daysAgo: 40, source: 'purchase', progress: 0.5 },
    { course: 'home-recording', daysAgo: 25, source: 'grant', expiresInDays: 90, progress: 0.7 },
  ],
  products: [{ product: 'chart-gallery', daysAgo: 38 }],
  registrations: [{ event: 'microphone-shootout', daysAgo: 7 }],
  bookings: [{ service: 'chart-clinic', slot: 0, weeks: [-5, 2] }],
  purchases: [
    {
      key: 'ben/course',
      goods: [{ course: 'telling-stories-with-data' }],
      attempts: [
        { type: 'credit_card', outcome: 'failed', daysAgo: 41 },
        { type: 'credit_card', outcome: 'paid', daysAgo: 40, invoice: true },
      ],
    },
    {
      key: 'ben/product',
      goods: [{ product: 'chart-gallery' }],
      attempts: [{ type: 'convenience_store', outcome: 'paid', daysAgo: 38, invoice: true }],
    },
    {
      key: 'ben/ticket',
      goods: [{ event: 'microphone-shootout' }],
      attempts: [{ type: 'atm', outcome: 'pending', daysAgo: 1, expiresInDays: 10 }],
    },
    {
      key: 'ben/left',
      goods: [{ product: 'tone-drills' }],
      attempts: [{ type: null, outcome: 'pending', daysAgo: 1, expiresInDays: 20 }],
    },
    {
      key: 'ben/refunded',
      goods: [{ extra: { title: 'Studio hour', price: 500 } }],
      attempts: [
        {
          type: 'credit_card',
          outcome: 'refunded',
          daysAgo: 19,
          invoice: true,
          refund: { state: 'refunded', requestedDaysAgo: 17, settledDaysAgo: 12 },
        },
      ],
    },
  ],
  notifications: [
    {
      kind: 'payment_due',
      title: 'Your ticket waits for a transfer',
      body: 'Microphone Shoot-out: the account number is in your payments.',
      url: '/account',
      hoursAgo: 8,
      unread: true,
    },
    {
      kind: 'comment_reply',
      title: 'Student 10 answered you',
      body: 'Try the water agency of your region first.',
      hoursAgo: 24 * 21,
      unread: true,
    },
    {
      kind: 'payment_received',
      title: 'Thank you for your purchase',
      body: 'Telling Stories with Data is yours.',
      url: '/account',
      hoursAgo: 24 * 40,
    },
  ],
  muted: [['courses', 'email']],
}

export const demoStories: readonly MemberStory[] = [
  ada,
  ben,
  operatorStory({
    who: 'owner',
    school: 'Demo Academy',
    product: 'slide-templates',
    event: 'portfolio-evening',
  }),
  operatorStory({
    who: 'admin',
    school: 'Demo Academy',
    product: 'tone-drills',
    event: 'portfolio-evening',
  }),
]
