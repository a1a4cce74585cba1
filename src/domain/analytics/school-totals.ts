import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { isLive } from '../grants/connected-apps.ts'
import { ITS_CLIENT } from '../grants/people-of-app.ts'
import { prepareFigures } from './figures/prepare-figures.ts'

/** The numbers that an owner looks for first. */
export interface SchoolTotals {
  readonly students: number
  readonly publishedCourses: number
  readonly activeSubscriptions: number
  readonly upcomingEvents: number
}

export async function readSchoolTotals(at: SchoolDb): Promise<SchoolTotals> {
  const { isKept, countedAt } = await prepareFigures(at)
  const areKept = isKept && countedAt !== null
  const students = areKept
    ? sql`f.student_count`
    : sql`(select count(*) from school_members m where m.school_id = ${at.schoolId} and 'student' = any (m.roles))`
  const subscriptions = areKept
    ? sql`f.active_subscription_count`
    : sql`(select count(*) from subscriptions s where s.school_id = ${at.schoolId} and s.state = 'active')`
  const { rows } = await at.run(sql<SchoolTotals>`
    select ${students}::int as students, ${subscriptions}::int as "activeSubscriptions",
      (select count(*) from courses c
       where c.school_id = ${at.schoolId} and c.state = 'published')::int as "publishedCourses",
      (select count(*) from events e
       where e.school_id = ${at.schoolId} and e.state = 'published' and e.starts_at >= now())::int as "upcomingEvents"
    from (select ${at.schoolId}::uuid as school_id) here left join school_figures f using (school_id)`)
  return rows[0] ?? { students: 0, publishedCourses: 0, activeSubscriptions: 0, upcomingEvents: 0 }
}

/** Live authorizations that are counted at once; with more, the kept number is shown. */
const FEW = 500
/** How old the kept number may be, in seconds. */
const OLD = 60

/**
 * How many people of the school have authorized at least one app. Tokens leave no marks, because they are given out far too
 * often: at a school with many the number may be a minute old.
 */
export async function countConnectedPeople(at: SchoolDb): Promise<number> {
  const { rows } = await at.run(sql<{
    few: boolean
    people: number
    kept: number | null
    old: boolean
  }>`
    with live as (
      select a.user_id from authorizations a ${ITS_CLIENT} where a.school_id = ${at.schoolId} and ${isLive} limit ${FEW + 1})
    select count(*) <= ${FEW} as few, count(distinct live.user_id)::int as people,
      (select f.connected_person_count::int from school_figures f where f.school_id = ${at.schoolId}) as kept,
      coalesce((select f.connected_counted_at < now() - make_interval(secs => ${OLD}) from school_figures f
        where f.school_id = ${at.schoolId}), true) as old
    from live`)
  const { few = true, people = 0, kept = null, old = false } = rows[0] ?? {}
  if (few) return people
  if (old) await at.insert('figure_marks', { part: 'connected', key: '' }).execute()
  return kept ?? (await countAll(at))
}

async function countAll(at: SchoolDb): Promise<number> {
  const { rows } = await at.run(sql<{ people: number }>`
    select count(distinct a.user_id)::int as people
    from authorizations a ${ITS_CLIENT} where a.school_id = ${at.schoolId} and ${isLive}`)
  return rows[0]?.people ?? 0
}
