import { type RawBuilder, sql } from 'kysely'
import { groupRows } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { cappedCount } from '../operation/list-page.ts'
import { mayNamePerson } from './connected-apps.ts'
import { MOST_PEOPLE } from './people-of-app.ts'

export const ACTIVITY_DAYS = 30

/** What an app did with one kind of data in the last 30 days. */
export interface Activity {
  readonly kind: string
  /** On how many days it read, and when for the last time, to within a minute. */
  readonly readDays: number
  readonly lastReadAt: Date | undefined
  /** How many times it changed something. */
  readonly changes: number
  readonly lastChangedAt: Date | undefined
}

export interface ActivityAtSchool {
  /** By kind, those with the latest use first. */
  readonly activities: readonly Activity[]
  /** On behalf of how many people, counted to one more than `MOST_PEOPLE`. */
  readonly people: number
}

interface Row {
  client_id: string
  kind: string
  read_days: number
  last_read_at: Date | null
  changes: string
  last_changed_at: Date | null
}

const FIGURES = sql`
  count(distinct w.day) filter (where w.reads > 0)::int as read_days, max(w.last_read_at) as last_read_at,
  sum(w.changes) as changes, max(w.last_changed_at) as last_changed_at`
/** Rows have the days of the school. */
const isRecent = (db: SchoolDb) => sql<boolean>`
  w.day > (select (now() at time zone s.time_zone)::date from schools s where s.id = ${db.schoolId})
    - ${sql.lit(ACTIVITY_DAYS)}`
const LATEST_FIRST = sql`greatest(max(w.last_read_at), max(w.last_changed_at)) desc, w.kind`

/**
 * What apps of one person read and changed, by app. Authorizations that ended count too, until they
 * are purged.
 */
export async function activityOfPerson(
  db: SchoolDb,
  userId: string,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Activity[]>> {
  if (clientIds.length === 0) return new Map()
  const { rows } = await db.run(sql<Row>`
    select a.client_id, w.kind, ${FIGURES}
    from authorizations a join app_activity w on w.school_id = a.school_id and w.authorization_id = a.id
    where a.school_id = ${db.schoolId} and a.user_id = ${userId} and a.client_id = any (${clientIds}::text[])
      and ${isRecent(db)}
    group by a.client_id, w.kind order by ${LATEST_FIRST}`)
  return byApp(rows)
}

/**
 * What apps read and changed at this school for all people together. An app that was not used is
 * not in the map.
 */
export async function activityOfApps(
  db: SchoolDb,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, ActivityAtSchool>> {
  if (clientIds.length === 0) return new Map()
  const [sums, people] = await Promise.all([
    db.run(sql<Row>`
      select w.client_id, w.kind, ${FIGURES} from app_activity_sums w
      where w.school_id = ${db.schoolId} and w.client_id = any (${clientIds}::text[]) and ${isRecent(db)}
      group by w.client_id, w.kind order by ${LATEST_FIRST}`),
    db.run(sql<{ client_id: string; people: number }>`
      select app.client_id, ${recentPeople(sql`app.client_id`, db)}::int as people
      from unnest(${clientIds}::text[]) app (client_id)`),
  ])
  const activities = byApp(sums.rows)
  return new Map(
    people.rows.flatMap(({ client_id, people: used }) => {
      const own = activities.get(client_id) ?? []
      return used + own.length === 0 ? [] : [[client_id, { activities: own, people: used }]]
    }),
  )
}

/**
 * Of an app that many people authorized and few use, so many authorizations are looked at, the
 * newest first.
 */
const LOOKED_AT = 500

/**
 * The mark of the last use is durable, so it counts people also where the counts of a crash are
 * lost, or of the time before there were counts. An ID token tells who a person is without a use.
 */
function recentPeople(clientId: RawBuilder<unknown>, db: SchoolDb): RawBuilder<number> {
  const begin = sql`now() - make_interval(days => ${sql.lit(ACTIVITY_DAYS)})`
  const used = sql`distinct a.user_id from (
      select user_id, last_used_at, created_at, scopes from authorizations
      where school_id = ${db.schoolId} and client_id = ${clientId}
      order by id desc limit ${sql.lit(LOOKED_AT)}) a
    where (a.last_used_at > ${begin} or (a.created_at > ${begin} and ${mayNamePerson('a')}))`
  return cappedCount(used, MOST_PEOPLE)
}

function byApp(rows: readonly Row[]): ReadonlyMap<string, readonly Activity[]> {
  const apps = groupRows(rows, ({ client_id }) => client_id)
  return new Map([...apps].map(([clientId, own]) => [clientId, own.map(activityFromRow)]))
}

function activityFromRow(row: Row): Activity {
  return {
    kind: row.kind,
    readDays: row.read_days,
    lastReadAt: row.last_read_at ?? undefined,
    changes: Number(row.changes),
    lastChangedAt: row.last_changed_at ?? undefined,
  }
}
