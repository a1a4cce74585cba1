import { sql } from 'kysely'
import { putBackUsage, takeUsage, type Usage } from '../../foundation/concurrency/usage-meter.ts'
import type { Db } from '../../foundation/db/database.ts'
import { oldestFirst } from '../../foundation/db/sweep.ts'

/** Rows of one statement. */
const ROWS_AT_ONCE = 1000

/**
 * Crosses schools: adds what this process has counted to the five minutes of now. What cannot be
 * written is counted again.
 */
export async function writeUsage(db: Db): Promise<void> {
  const taken = takeUsage()
  const rows = [...taken].filter(([school]) => school !== '')
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const some = rows.slice(start, start + ROWS_AT_ONCE)
    try {
      await writeRows(db, some)
    } catch (error) {
      putBackUsage(new Map(rows.slice(start)))
      throw error
    }
  }
}

/** In the order of their keys, so that two processes wait for each other and never both. */
async function writeRows(db: Db, rows: readonly (readonly [string, Usage])[]): Promise<void> {
  const columnOf = (name: keyof Usage) => rows.map(([, usage]) => usage[name])
  await sql`
    insert into school_usage as u (school_id, begins_at, requests, statements, cpu_micros, bytes)
    select s.id, date_bin('5 minutes', now(), 'epoch'), n.requests, n.statements,
      round(n.cpu_ms * 1000), n.bytes
    from unnest(${rows.map(([school]) => school)}::uuid[], ${columnOf('requests')}::bigint[],
        ${columnOf('statements')}::bigint[], ${columnOf('cpuMs')}::float8[], ${columnOf('bytes')}::bigint[])
      n (id, requests, statements, cpu_ms, bytes) join schools s on s.id = n.id
    order by s.id
    on conflict (school_id, begins_at) do update set requests = u.requests + excluded.requests,
      statements = u.statements + excluded.statements, cpu_micros = u.cpu_micros + excluded.cpu_micros,
      bytes = u.bytes + excluded.bytes`.execute(db)
}

export interface SchoolUsage extends Usage {
  readonly school: string
}

/**
 * Crosses schools: what each has used since so many minutes ago, by subdomain, the one that took
 * the most CPU first. Schools without a request are left out.
 */
export async function readUsage(db: Db, minutes: number): Promise<readonly SchoolUsage[]> {
  const { rows } = await sql<SchoolUsage>`
    select s.subdomain as school, sum(u.requests)::bigint as requests, sum(u.statements)::bigint as statements,
      round(sum(u.cpu_micros) / 1000)::bigint as "cpuMs", sum(u.bytes)::bigint as bytes
    from school_usage u join schools s on s.id = u.school_id
    where u.begins_at > now() - make_interval(mins => ${minutes}) and s.deleted_at is null
    group by s.id order by sum(u.cpu_micros) desc, s.subdomain`.execute(db)
  return rows
}

export const usageSweep = oldestFirst({
  table: 'school_usage',
  key: ['school_id', 'begins_at'],
  order: 'begins_at',
  dead: sql`t.begins_at < now() - interval '25 hours'`,
})
