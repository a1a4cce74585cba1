import { expect, test } from 'vitest'
import { trendsOf } from './waiting.tsx'

const NONE = {
  students: 0,
  publishedCourses: 0,
  activeSubscriptions: 0,
  upcomingEvents: 0,
  revenue: [],
  enrollments: [],
  learners: [],
  countedAt: null,
}
const PERIOD = { from: '2026-11-03', to: '2026-11-04', interval: 'day' } as const

test('a period is compared with the days before it, each currency by itself', () => {
  const paid = (starts_on: string, currency: string, paid_amount: number, refunded_amount = 0) => ({
    ...{ starts_on, currency, paid_amount, refunded_amount },
  })
  const trends = trendsOf(
    {
      ...NONE,
      revenue: [
        paid('2026-11-02', 'USD', 900),
        paid('2026-11-03', 'USD', 500, 100),
        paid('2026-11-04', 'EUR', 70),
      ],
      enrollments: [
        { starts_on: '2026-11-01', enrollment_count: 1 },
        { starts_on: '2026-11-04', enrollment_count: 3 },
      ],
      learners: [
        { starts_on: '2026-11-01', learner_count: 4 },
        { starts_on: '2026-11-03', learner_count: 2 },
        { starts_on: '2026-11-04', learner_count: 3 },
      ],
    },
    PERIOD,
  )
  expect(trends).toEqual({
    days: 2,
    revenue: [
      { currency: 'EUR', value: 70, before: 0 },
      { currency: 'USD', value: 400, before: 900 },
    ],
    enrollments: { value: 3, before: 1 },
    learners: { value: 2.5, before: 2 },
  })
})

test('a school without any row has trends of zero', () => {
  const nothing = { value: 0, before: 0 }
  const trends = { days: 2, revenue: [], enrollments: nothing, learners: nothing }
  expect(trendsOf(NONE, PERIOD)).toEqual(trends)
})
