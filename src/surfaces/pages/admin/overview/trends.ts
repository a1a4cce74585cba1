import type { SchoolTotals } from '../../../../domain/analytics/school-totals.ts'
import { type RevenueSeries, sum } from '../analytics/figures.ts'
import { daysIn, type Period } from '../analytics/period.ts'

/** A figure of a period, beside that of the same number of days before. */
export interface Trend {
  readonly value: number
  readonly before: number
}

export interface Trends {
  readonly days: number
  /** By currency, refunds taken off. */
  readonly revenue: readonly (Trend & Pick<RevenueSeries, 'currency'>)[]
  readonly enrollments: Trend
  /** Different students on an average day. */
  readonly learners: Trend
}

/** `totals` has the days of the period and of the one before. */
export function trendsOf(totals: SchoolTotals, period: Period): Trends {
  const days = daysIn(period)
  const trend = <Point extends { readonly starts_on: string }>(
    points: readonly Point[],
    of: (point: Point) => number,
  ): Trend => ({
    value: sum(points.filter(({ starts_on }) => starts_on >= period.from).map(of)),
    before: sum(points.filter(({ starts_on }) => starts_on < period.from).map(of)),
  })
  const currencies = [...new Set(totals.revenue.map(({ currency }) => currency))].sort()
  const learnt = trend(totals.learners, ({ learner_count }) => learner_count)
  return {
    days,
    revenue: currencies.map((currency) => ({
      currency,
      ...trend(
        totals.revenue.filter((point) => point.currency === currency),
        ({ paid_amount, refunded_amount }) => paid_amount - refunded_amount,
      ),
    })),
    enrollments: trend(totals.enrollments, ({ enrollment_count }) => enrollment_count),
    learners: { value: learnt.value / days, before: learnt.before / days },
  }
}
