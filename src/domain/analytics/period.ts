import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { utc } from '../operation/fields.ts'
import { invalid } from '../operation/refusal.ts'

const MAX_STEPS = 400

export const day = z.iso.date({ error: 'Write a day such as 2027-01-31.' })

export const periodInput = z.strictObject({
  from: day.meta({ description: 'The first day.' }),
  to: day.meta({ description: 'The last day, inclusive.' }),
  interval: z.enum(['day', 'week', 'month']).default('day'),
})

export const described = {
  from: day,
  to: day,
  interval: z.enum(['day', 'week', 'month']),
  time_zone: z
    .string()
    .meta({ description: 'The time zone of the school, which decides when a day begins.' }),
}

/** Figures may lag behind at a large school. */
export const countedTime = utc.nullable().meta({
  description:
    'Everything that was written before this time is counted. Null while a large school is counted for the first time: the figures are not complete yet.',
})

export type Period = z.output<typeof periodInput>

/** Every step of a period, empty ones included, by days in the school's time zone. */
export function steps(db: SchoolDb, { from, to, interval }: Period): RawBuilder<unknown> {
  return sql`
    zone as (select time_zone from schools where id = ${db.schoolId}),
    steps as (
      select step::date as starts_on, (step + ${`1 ${interval}`}::interval)::date as ends_before
      from generate_series(date_trunc(${interval}, ${from}::timestamp), ${to}::timestamp,
        ${`1 ${interval}`}::interval) step)`
}

const DAYS = { day: 1, week: 7, month: 28 } as const

export function checkPeriod({ from, to, interval }: Period): void {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
  if (from < '1970' || to > '2999')
    throw invalid('from', 'out_of_range', 'Use years from 1970 to 2998.')
  if (days < 0) throw invalid('to', 'before_from', 'The last day must not be before the first.')
  if (days / DAYS[interval] <= MAX_STEPS) return
  throw invalid('interval', 'too_many_steps', `Ask for at most ${MAX_STEPS} steps at once.`)
}
