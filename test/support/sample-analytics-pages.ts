import { analyticsPage } from '../../src/surfaces/pages/admin/analytics/analytics.tsx'
import type { SchoolFigures } from '../../src/surfaces/pages/admin/analytics/figures.ts'
import type { AskedPeriod } from '../../src/surfaces/pages/admin/analytics/period.tsx'
import { hostileName, owner, school } from './sample-people.ts'

const frame = {
  school,
  here: '/admin/analytics',
  viewer: owner,
  developersShown: true,
  timeZone: 'Asia/Taipei',
  currency: 'TWD',
}

const weeks = Array.from({ length: 12 }, (_, week) =>
  new Date(Date.UTC(2026, 7, 24 + week * 7)).toISOString().slice(0, 10),
)
/** Figures that go up and down, the same in every run. */
const wave = (week: number, height: number) =>
  Math.round(height * (1 + Math.sin(week * 0.9) * 0.5 + Math.cos(week * 0.37) * 0.4))

const asked: AskedPeriod = {
  kind: 'preset',
  name: '12-weeks',
  period: { from: weeks[0] ?? '', to: '2026-11-15', interval: 'week' },
}

const figures: SchoolFigures = {
  lateSince: new Date('2026-11-15T02:05:00Z'),
  steps: weeks,
  unfinished: weeks.length - 1,
  revenue: [
    {
      currency: 'TWD',
      paid: weeks.map((_, week) => (week % 6 === 2 ? 0 : wave(week, 640_000))),
      refunded: weeks.map((_, week) => (week % 11 === 7 ? 120_000 : 0)),
      payments: weeks.map((_, week) => (week % 6 === 2 ? 0 : wave(week, 7))),
      before: 13_900_000,
    },
    {
      currency: 'USD',
      paid: weeks.map((_, week) => (week === 7 ? 4900 : 0)),
      refunded: weeks.map(() => 0),
      payments: weeks.map((_, week) => (week === 7 ? 1 : 0)),
      before: 0,
    },
  ],
  enrollments: weeks.map((_, week) => ({
    enrollment_count: wave(week, 6) + 1,
    purchase_count: wave(week, 6),
    plan_count: 0,
    grant_count: 1,
  })),
  enrollmentsBefore: 260,
  learners: weeks.map((_, week) => wave(week, 42)),
  learnersBefore: 81,
  completion: [
    ['Watercolour from the first brush', 48, 12, 71],
    [hostileName, 20, 20, 100],
    ['Composition', 7, 0, 4],
  ].map(([title, students, completed, percent], place) => ({
    course_id: `0198f3c0-0000-7000-8000-00000000000${place}`,
    title: String(title),
    student_count: Number(students),
    completed_count: Number(completed),
    average_percent: Number(percent),
  })),
}

export const sampleAnalyticsPages: Record<string, string> = {
  'admin-analytics': analyticsPage({ ...frame, asked, problems: [], figures }),
  'admin-analytics-problem': analyticsPage({
    ...frame,
    asked: {
      kind: 'custom',
      period: { from: '2026-11-14', to: '2026-11-01', interval: 'day' },
    },
    problems: [
      {
        pointer: '/to',
        code: 'before_from',
        detail: 'The last day must not be before the first.',
      },
    ],
    figures: undefined,
  }),
}
