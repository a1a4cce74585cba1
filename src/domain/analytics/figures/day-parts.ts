import { type RawBuilder, sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import type { FigurePart } from './figure-part.ts'

/** A day has few rows even at a large school. */
const findLarge = async () => []

/**
 * The days of the school that a day in UTC touches, at most two, and when they begin and end. Marks are in UTC, so that a
 * write need not know the time zone, which may be changing.
 */
const localDays = (tx: SchoolTx, utcDays: readonly string[]): RawBuilder<unknown> => sql`
  zone as (select time_zone from schools where id = ${tx.schoolId}),
  days as (
    select local.day, local.day::timestamp at time zone zone.time_zone as begins,
      (local.day + 1)::timestamp at time zone zone.time_zone as ends
    from zone, (
      select distinct (t.at at time zone 'UTC' at time zone z.time_zone)::date as day
      from zone z, unnest(${utcDays}::date[]) utc (day), lateral (
        values (utc.day::timestamp), (utc.day + interval '1 day' - interval '1 millisecond')) t (at)) local)`

/** The days in UTC that rows are in, by one look at the index for each day: there may be very many rows. */
function daysWith(tx: SchoolTx, table: string, column: string): RawBuilder<unknown> {
  const at = sql.ref(`n.${column}`)
  const next = (since: RawBuilder<unknown>) => sql`(
    select (${at} at time zone 'UTC')::date as day from ${sql.table(table)} n
    where n.school_id = ${tx.schoolId} and ${at} >= ${since} order by ${at} limit 1)`
  return sql`(
    with recursive days as (
      select first.day from ${next(sql`'-infinity'::timestamptz`)} first
      union all
      select later.day from days d cross join lateral ${next(sql`(d.day + 1)::timestamp at time zone 'UTC'`)} later)
    select day::text as key from days)`
}

export const revenueDays: FigurePart = {
  name: 'revenue',
  findLarge,
  async count(tx, keys) {
    await tx.run(sql`
      with ${localDays(tx, keys)}
      delete from revenue_days r using days where r.school_id = ${tx.schoolId} and r.day = days.day`)
    await tx.run(sql`
      with ${localDays(tx, keys)},
      moves as (
        select d.day, p.currency, p.amount as paid, 0 as refunded, 1 as payments
        from days d join payments p on p.school_id = ${tx.schoolId} and p.paid_at >= d.begins and p.paid_at < d.ends
        union all
        select d.day, p.currency, 0, p.refunded_amount, 0
        from days d join payments p on p.school_id = ${tx.schoolId} and p.refunded_at >= d.begins and p.refunded_at < d.ends)
      insert into revenue_days (school_id, day, currency, paid_amount, refunded_amount, payment_count)
      select ${tx.schoolId}::uuid, day, currency, sum(paid), sum(refunded), sum(payments)
      from moves group by day, currency`)
  },
  keys: (tx) => sql`
    ${daysWith(tx, 'payments', 'paid_at')} union ${daysWith(tx, 'payments', 'refunded_at')} union
    select day::text from revenue_days where school_id = ${tx.schoolId}`,
}

export const enrollmentDays: FigurePart = {
  name: 'enrollments',
  findLarge,
  async count(tx, keys) {
    await tx.run(sql`
      with ${localDays(tx, keys)}
      delete from enrollment_days r using days where r.school_id = ${tx.schoolId} and r.day = days.day`)
    await tx.run(sql`
      with ${localDays(tx, keys)}
      insert into enrollment_days (school_id, day, source, enrollment_count)
      select ${tx.schoolId}::uuid, d.day, e.source, count(*)
      from days d join enrollments e
        on e.school_id = ${tx.schoolId} and e.enrolled_at >= d.begins and e.enrolled_at < d.ends
      group by d.day, e.source`)
  },
  keys: (tx) => sql`
    ${daysWith(tx, 'enrollments', 'enrolled_at')} union
    select day::text from enrollment_days where school_id = ${tx.schoolId}`,
}
