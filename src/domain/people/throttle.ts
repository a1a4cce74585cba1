import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'

/** A counter of failures, named by a keyed hash, so that the table lists no emails or addresses. */
export interface ThrottleLimit {
  readonly bucket: Buffer
  readonly failures: number
  /** If it is another than that of the other counters of the try. */
  readonly windowMinutes?: number
}

/**
 * Counts a try before its outcome is known and returns how many seconds to wait; 0 if the try may go
 * on. If it counted afterwards, many guesses at the same time would all pass. The caller takes a try
 * that was not a failed guess back with `uncountTries`.
 */
export async function countTry(
  db: Db,
  limits: readonly ThrottleLimit[],
  windowMinutes: number,
): Promise<number> {
  // Rows are locked in one order, here and below, so that two tries never wait for each other.
  const ordered = [...limits].sort((a, b) => Buffer.compare(a.bucket, b.bucket))
  const { rows } = await sql<{ seconds: number | null }>`
    with limits as materialized (
      select bucket, failures, minutes
      from unnest(${ordered.map((limit) => limit.bucket)}::bytea[],
                  ${ordered.map((limit) => limit.failures)}::int[],
                  ${ordered.map((limit) => limit.windowMinutes ?? windowMinutes)}::int[])
        as l (bucket, failures, minutes)),
    counted as (
      insert into sign_in_throttles as t (bucket, failures, window_ends_at)
      select bucket, 1, now() + make_interval(mins => minutes) from limits
      on conflict (bucket) do update set
        failures = case when t.window_ends_at > now() then t.failures + 1 else 1 end,
        window_ends_at = case when t.window_ends_at > now() then t.window_ends_at
                              else excluded.window_ends_at end
      returning bucket, failures, window_ends_at)
    select ceil(extract(epoch from max(c.window_ends_at) - now()))::int as seconds
    from counted c join limits l on l.bucket = c.bucket
    where c.failures > l.failures`.execute(db)
  return Math.max(0, rows[0]?.seconds ?? 0)
}

/** The seconds to wait, as a query of one row: null or less if a try may go on. Counts nothing. */
export function waitOf(limits: readonly ThrottleLimit[]): RawBuilder<unknown> {
  return sql`
    select ceil(extract(epoch from max(t.window_ends_at) - now()))::int as seconds
    from sign_in_throttles t
      join unnest(${limits.map((limit) => limit.bucket)}::bytea[],
                  ${limits.map((limit) => limit.failures)}::int[]) as l (bucket, failures) on l.bucket = t.bucket
    where t.failures >= l.failures and t.window_ends_at > now()`
}

/** Subtracts one try from each of `returned`, and removes all failures of `cleared`. */
export async function uncountTries(
  db: Db,
  { returned = [], cleared = [] }: Uncounted,
): Promise<void> {
  const all = [...returned, ...cleared].map((limit) => limit.bucket)
  // The failures that the lock has read: another try may have changed them since the statement began.
  const forgotten = sql<boolean>`mine.bucket = any(${cleared.map((limit) => limit.bucket)}::bytea[]) or mine.failures <= 1`
  await sql`
    with mine as materialized (
      select bucket, failures from sign_in_throttles where bucket = any(${all}::bytea[])
      order by bucket for update),
    gone as (
      delete from sign_in_throttles t using mine
      where t.bucket = mine.bucket and (${forgotten}))
    update sign_in_throttles t set failures = mine.failures - 1 from mine
    where t.bucket = mine.bucket and not (${forgotten})`.execute(db)
}

interface Uncounted {
  readonly returned?: readonly ThrottleLimit[]
  readonly cleared?: readonly ThrottleLimit[]
}
