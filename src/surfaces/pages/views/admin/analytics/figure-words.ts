import { currencyOf } from '../../../../../foundation/text/currency.ts'
import type { Interval } from '../../../admin/analytics/period.ts'

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
