/** A stretch of days, both ends included, in steps. Days are the school's own. */
export interface Period {
  readonly from: string
  readonly to: string
  readonly interval: Interval
}

export const INTERVALS = ['day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

/** Stretches that end today, by the name that an address has for them. */
export const STRETCHES = [
  { name: '30-days', label: '30 days', interval: 'day' },
  { name: '12-weeks', label: '12 weeks', interval: 'week' },
  { name: '12-months', label: '12 months', interval: 'month' },
] as const

export type Stretch = (typeof STRETCHES)[number]['name']

/** What the address asks for: a stretch by its name, or days that somebody wrote. */
export type AskedPeriod =
  | { readonly kind: 'stretch'; readonly name: Stretch; readonly period: Period }
  | { readonly kind: 'written'; readonly period: Period }

export function readPeriod(query: URLSearchParams, now: Date, timeZone: string): AskedPeriod {
  const [from, to] = [query.get('from'), query.get('to')]
  if (from !== null || to !== null) {
    const interval = INTERVALS.find((known) => known === query.get('interval')) ?? 'day'
    return { kind: 'written', period: { from: from ?? '', to: to ?? '', interval } }
  }
  const name = STRETCHES.find((known) => known.name === query.get('last'))?.name ?? '30-days'
  return { kind: 'stretch', name, period: lastStretch(name, dayAt(now, timeZone)) }
}

/** Whole steps: weeks begin on a Monday, months on the first. */
function lastStretch(name: Stretch, today: string): Period {
  switch (name) {
    case '30-days':
      return { from: shifted(today, -29), to: today, interval: 'day' }
    case '12-weeks': {
      const sinceMonday = (new Date(today).getUTCDay() + 6) % 7
      return { from: shifted(today, -sinceMonday - 77), to: today, interval: 'week' }
    }
    case '12-months': {
      const first = new Date(`${today.slice(0, 7)}-01`)
      first.setUTCMonth(first.getUTCMonth() - 11)
      return { from: isoDay(first), to: today, interval: 'month' }
    }
  }
}

/** As many days, right before: what the figures are compared with. */
export function periodBefore({ from, to, interval }: Period): Period {
  const days = daysIn({ from, to })
  return { from: shifted(from, -days), to: shifted(from, -1), interval }
}

export function daysIn({ from, to }: Pick<Period, 'from' | 'to'>): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1
}

/** The day that it is somewhere; a zone that this Node does not know counts as UTC. */
function dayAt(now: Date, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now)
  } catch {
    return isoDay(now)
  }
}

function shifted(day: string, days: number): string {
  return isoDay(new Date(Date.parse(day) + days * 86_400_000))
}

function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}
