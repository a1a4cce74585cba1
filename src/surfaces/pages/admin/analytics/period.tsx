import type { InputProblem } from '../../../../domain/operation/refusal.ts'
import { DayField, Select } from '../../../../foundation/html/form-fields.tsx'
import { adminPaths } from '../../frame/paths.ts'

/** Days from `from` to `to`, both included, in steps. Days are in the time zone of the school. */
export interface Period {
  readonly from: string
  readonly to: string
  readonly interval: Interval
}

export const INTERVALS = ['day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

/** Periods that end today, with their names in addresses. */
export const PRESETS = [
  { name: '30-days', label: '30 days', interval: 'day' },
  { name: '12-weeks', label: '12 weeks', interval: 'week' },
  { name: '12-months', label: '12 months', interval: 'month' },
] as const

export type Preset = (typeof PRESETS)[number]['name']

/** The period that the address asks for: a preset by its name, or days that an operator typed. */
export type AskedPeriod =
  | { readonly kind: 'preset'; readonly name: Preset; readonly period: Period }
  | { readonly kind: 'custom'; readonly period: Period }

export function readPeriod(query: URLSearchParams, now: Date, timeZone: string): AskedPeriod {
  const [from, to] = [query.get('from'), query.get('to')]
  if (from !== null || to !== null) {
    const interval = INTERVALS.find((known) => known === query.get('interval')) ?? 'day'
    return { kind: 'custom', period: { from: from ?? '', to: to ?? '', interval } }
  }
  const name = PRESETS.find((known) => known.name === query.get('last'))?.name ?? '30-days'
  return { kind: 'preset', name, period: presetPeriod(name, dayAt(now, timeZone)) }
}

/** Whole steps: weeks begin on a Monday, months on the first. */
function presetPeriod(name: Preset, today: string): Period {
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

/** As many days directly before, to compare the figures with. */
export function periodBefore({ from, to, interval }: Period): Period {
  const days = daysIn({ from, to })
  return { from: shifted(from, -days), to: shifted(from, -1), interval }
}

export function daysIn({ from, to }: Pick<Period, 'from' | 'to'>): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1
}

/** The day in a time zone; a zone that this Node does not know counts as UTC. */
export function dayAt(now: Date, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now)
  } catch {
    return isoDay(now)
  }
}

/**
 * The place of the step that contains today, which goes on; undefined if all of the period is over.
 */
export function unfinishedStep(
  steps: readonly string[],
  { to }: Pick<Period, 'to'>,
  today: string,
): number | undefined {
  const last = steps.findLastIndex((startsOn) => startsOn <= today)
  return to < today || last === -1 ? undefined : last
}

function shifted(day: string, days: number): string {
  return isoDay(new Date(Date.parse(day) + days * 86_400_000))
}

function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

const STEPS = [
  ['day', 'Days'],
  ['week', 'Weeks'],
  ['month', 'Months'],
] as const

/** Links for the usual periods and a form for all others. Neither needs a script. */
export function PeriodChooser(props: { asked: AskedPeriod; problems: readonly InputProblem[] }) {
  const { asked, problems } = props
  const { period } = asked
  return (
    <section class="panel period" aria-label="Period">
      <nav aria-label="Last">
        <ul class="presets">
          {PRESETS.map(({ name, label }) => (
            <li>
              <a
                href={`${adminPaths.analytics}?last=${name}`}
                aria-current={asked.kind === 'preset' && asked.name === name ? 'page' : undefined}
              >
                <span class="visually-hidden">Last </span>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <details open={asked.kind === 'custom'}>
        <summary>Other days</summary>
        <form method="get" action={adminPaths.analytics} class="period-form">
          <DayField
            name="from"
            label="From"
            required
            value={period.from}
            problems={problemsOfDay('from', problems)}
          />
          <DayField
            name="to"
            label="To"
            required
            value={period.to}
            problems={problemsOfDay('to', problems)}
          />
          <Select name="interval" label="In steps of" value={period.interval} options={STEPS} />
          <button type="submit" class="button button-primary">
            Show
          </button>
        </form>
      </details>
    </section>
  )
}

/** The problem of a period that is too long for its steps is shown once, at its end. */
function problemsOfDay(name: 'from' | 'to', problems: readonly InputProblem[]): string[] {
  return problems
    .filter(({ pointer }) => pointer === `/${name}` || (name === 'to' && pointer === '/interval'))
    .map(({ detail }) => detail)
}
