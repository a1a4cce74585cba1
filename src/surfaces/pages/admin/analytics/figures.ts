import {
  readActiveLearners,
  readCompletion,
  readEnrollmentSeries,
  readRevenue,
} from '../../../../domain/analytics/analytics-operations.ts'
import type { Outcome } from '../../../../domain/operation/operation.ts'
import { currencyOf } from '../../../../foundation/text/currency.ts'
import type { OperatorVisit } from '../frame/operator.ts'
import { type Interval, type Period, periodBefore, unfinishedStep } from './period.tsx'

/** Revenue of one currency. Each list has one value per step. */
export interface RevenueSeries {
  readonly currency: string
  readonly paid: readonly number[]
  readonly refunded: readonly number[]
  readonly payments: readonly number[]
  /** Paid minus refunded in the period before. */
  readonly before: number
}

export interface EnrollmentStep {
  readonly enrollment_count: number
  readonly purchase_count: number
  readonly plan_count: number
  readonly grant_count: number
}

export interface CourseCompletion {
  readonly course_id: string
  readonly title: string
  readonly student_count: number
  readonly completed_count: number
  readonly average_percent: number
}

export interface SchoolFigures {
  /** If what was written after this time is not counted yet. */
  readonly lateSince: Date | null | undefined
  /** The first day of each step. */
  readonly steps: readonly string[]
  /** The place of the step that is not over yet. */
  readonly unfinished: number | undefined
  readonly revenue: readonly RevenueSeries[]
  readonly enrollments: readonly EnrollmentStep[]
  readonly enrollmentsBefore: number
  readonly learners: readonly number[]
  /** The highest value of a step in the period before. */
  readonly learnersBefore: number
  readonly completion: readonly CourseCompletion[]
}

type Refused = Extract<Outcome, { kind: 'invalid' }>

/** Returns the refusal of the operation if the period is invalid. */
export async function readFigures(
  perform: OperatorVisit['perform'],
  period: Period,
  today: string,
): Promise<SchoolFigures | Refused> {
  const first = await perform(readEnrollmentSeries, { ...period })
  if (first.kind === 'invalid') return first
  const before = periodBefore(period)
  const [
    enrollments,
    enrollmentsBefore,
    revenue,
    revenueBefore,
    learners,
    learnersBefore,
    courses,
  ] = await Promise.all([
    dataOf(first),
    perform(readEnrollmentSeries, { ...before }).then(dataOf),
    perform(readRevenue, { ...period }).then(dataOf),
    perform(readRevenue, { ...before }).then(dataOf),
    perform(readActiveLearners, { ...period }).then(dataOf),
    perform(readActiveLearners, { ...before }).then(dataOf),
    perform(readCompletion, { limit: 20 }).then(dataOf),
  ])
  const steps = enrollments.map(({ starts_on }) => starts_on)
  return {
    lateSince: lateSince(countedAtOf(first)),
    steps,
    unfinished: unfinishedStep(steps, period, today),
    revenue: revenueByCurrency(steps, revenue, revenueBefore),
    enrollments,
    enrollmentsBefore: sum(enrollmentsBefore.map((step) => step.enrollment_count)),
    learners: learners.map((step) => step.learner_count),
    learnersBefore: Math.max(0, ...learnersBefore.map((step) => step.learner_count)),
    completion: courses.filter(({ student_count }) => student_count > 0),
  }
}

/** A large school is counted in turns; what is a minute old is not worth a word. */
const LATE_MS = 60_000

/**
 * Null while a large school is counted for the first time; undefined if the figures are not late.
 */
export function lateSince(countedAt: Date | null): Date | null | undefined {
  if (countedAt === null) return null
  return Date.now() - countedAt.getTime() > LATE_MS ? countedAt : undefined
}

function countedAtOf(outcome: Outcome<{ readonly counted_at: string | null }>): Date | null {
  if (outcome.kind !== 'done') return new Date()
  const { counted_at } = outcome.output
  return counted_at === null ? null : new Date(counted_at)
}

interface RevenuePoint {
  readonly starts_on: string
  readonly currency: string
  readonly paid_amount: number
  readonly refunded_amount: number
  readonly payment_count: number
}

/** Empty if the operation refuses the period before because it is before the first valid year. */
function dataOf<Point>(outcome: Outcome<{ readonly data: readonly Point[] }>): readonly Point[] {
  return outcome.kind === 'done' ? outcome.output.data : []
}

/** Steps without payments have no points; the result has a value for every step. */
function revenueByCurrency(
  steps: readonly string[],
  points: readonly RevenuePoint[],
  before: readonly RevenuePoint[],
): RevenueSeries[] {
  const currencies = [...new Set([...points, ...before].map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const own = new Map(
      points
        .filter((point) => point.currency === currency)
        .map((point) => [point.starts_on, point]),
    )
    const earlier = before.filter((point) => point.currency === currency)
    return {
      currency,
      paid: steps.map((step) => own.get(step)?.paid_amount ?? 0),
      refunded: steps.map((step) => own.get(step)?.refunded_amount ?? 0),
      payments: steps.map((step) => own.get(step)?.payment_count ?? 0),
      before: sum(earlier.map((point) => point.paid_amount - point.refunded_amount)),
    }
  })
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

const UTC = { timeZone: 'UTC' } as const
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { ...UTC, day: 'numeric', month: 'short' })
const wholeDay = new Intl.DateTimeFormat('en-GB', {
  ...UTC,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const monthAndYear = new Intl.DateTimeFormat('en-GB', { ...UTC, month: 'short', year: 'numeric' })

/** A day of the calendar, which has no time zone: 2026-11-03 is 3 Nov 2026. */
export function dayInWords(day: string): string {
  return wholeDay.format(new Date(day))
}

/** The name of a step in the table. */
export function stepInWords(startsOn: string, interval: Interval): string {
  if (interval === 'month') return monthAndYear.format(new Date(startsOn))
  return interval === 'week' ? `Week of ${dayInWords(startsOn)}` : dayInWords(startsOn)
}

/** A shorter name for the axis of a chart. */
export function stepOnAxis(startsOn: string, interval: Interval): string {
  const format = interval === 'month' ? monthAndYear : dayAndMonth
  return format.format(new Date(startsOn))
}

/** Said below a chart about its dashed part. */
export function unfinishedNote(interval: Interval): string {
  return `Dashed: ${interval === 'day' ? 'today' : `this ${interval}`}, which is not over yet.`
}

const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact' })

export const number = (value: number) => whole.format(value)
export const shortNumber = (value: number) => short.format(value)

/** Formats amounts of one currency, given in its minor unit. */
export function moneyIn(currency: string) {
  const { digits, format } = currencyOf(currency)
  const axis = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  })
  const unit = 10 ** digits
  return {
    unit,
    full: format,
    short: (amount: number) => axis.format(amount / unit),
  }
}

/** Compares a figure with the period before. */
export function comparedWith(value: number, before: number, days: number): string {
  const then = `the ${days === 1 ? 'day' : `${number(days)} days`} before`
  if (before <= 0) return value > 0 ? `None in ${then}` : `The same as in ${then}`
  if (value >= 3 * before) return `${number(Math.round(value / before))} times that of ${then}`
  const percent = Math.round(((value - before) / before) * 100)
  if (percent === 0) return `The same as in ${then}`
  return `${number(Math.abs(percent))}% ${percent > 0 ? 'more' : 'less'} than in ${then}`
}
