import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'

/** A counter of failures, named by a keyed hash, so that the table lists no emails or addresses. */
export interface ThrottleLimit {
  readonly bucket: Buffer
  readonly failures: number
}

/** Seconds until every limit admits another try; 0 if they do now. */
export async function throttledFor(db: Db, limits: readonly ThrottleLimit[]): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    select ceil(extract(epoch from max(t.window_ends_at) - now()))::int as seconds
    from sign_in_throttles t
      join unnest(${limits.map((limit) => limit.bucket)}::bytea[],
                  ${limits.map((limit) => limit.failures)}::int[]) as l (bucket, failures)
        on l.bucket = t.bucket
    where t.failures >= l.failures and t.window_ends_at > now()`.execute(db)
  return Math.max(0, rows[0]?.seconds ?? 0)
}

export async function countFailure(
  db: Db,
  limits: readonly ThrottleLimit[],
  windowMinutes: number,
): Promise<void> {
  // Sorted, so that two failures at once never wait for each other's row.
  const buckets = limits.map((limit) => limit.bucket).sort(Buffer.compare)
  await sql`
    insert into sign_in_throttles as t (bucket, failures, window_ends_at)
    select bucket, 1, now() + make_interval(mins => ${windowMinutes})
    from unnest(${buckets}::bytea[]) as bucket
    on conflict (bucket) do update set
      failures = case when t.window_ends_at > now() then t.failures + 1 else 1 end,
      window_ends_at = case when t.window_ends_at > now() then t.window_ends_at
                            else excluded.window_ends_at end`.execute(db)
}

export async function clearFailures(db: Db, limits: readonly ThrottleLimit[]): Promise<void> {
  await db
    .deleteFrom('sign_in_throttles')
    .where('bucket', '=', sql<Buffer>`any(${limits.map((limit) => limit.bucket)}::bytea[])`)
    .execute()
}
