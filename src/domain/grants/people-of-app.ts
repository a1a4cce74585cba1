import { type RawBuilder, sql } from 'kysely'
import { cutPage } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { shownPeople } from '../actor/shown-person.ts'
import type { ClientKind } from '../clients/client.ts'
import { cappedCount } from '../operation/list-page.ts'
import { isLive } from './connected-apps.ts'

/** A person with a live authorization of the app. */
export interface PersonOfApp {
  readonly id: string
  readonly name: string
  readonly email: string
  /** How many devices, or authorizations, are alive. */
  readonly authorizations: number
  readonly lastAuthorizedAt: Date
  readonly lastUsedAt: Date | undefined
}

export const ITS_CLIENT = sql`join clients c on c.school_id = a.school_id and c.client_id = a.client_id`

interface Row {
  id: string
  name: string
  email: string | null
  authorizations: number
  last_authorized_at: Date
  last_used_at: Date | null
}

/** The people with a live authorization of one app, in a stable order, a page at a time. */
export async function peopleOfApp(
  db: SchoolDb,
  clientId: string,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly people: readonly PersonOfApp[]; readonly next: string | undefined }> {
  // First the page, then the names: grouping all people of a large app would take long.
  const { rows } = await db.run(sql<Row>`
    select u.id, u.name, u.email, a.authorizations, a.last_authorized_at, a.last_used_at
    from (
      select a.user_id, count(*)::int as authorizations,
        max(a.created_at) as last_authorized_at, max(a.last_used_at) as last_used_at
      from ${liveOfApp(sql`${clientId}`, db)}
        ${page.after === undefined ? sql`` : sql`and a.user_id > ${page.after}`}
      group by a.user_id
      order by a.user_id
      limit ${page.limit + 1}) a join ${shownPeople(db)} u on u.id = a.user_id
    order by u.id`)
  const { shown, last } = cutPage(rows, page.limit)
  const people = shown.map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email ?? '',
    authorizations: row.authorizations,
    lastAuthorizedAt: row.last_authorized_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }))
  return { people, next: last?.id }
}

/** How far the people of an app are counted: a list has many apps. */
export const MOST_PEOPLE = 100

/**
 * How many people use each app of the school, counted to one more than `MOST_PEOPLE`; apps without
 * people are not in the map.
 */
export async function peoplePerApp(
  db: SchoolDb,
  kind?: ClientKind,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.run(sql<{ client_id: string; people: number }>`
    select app.client_id, ${peopleOf(sql`app.client_id`, db)} as people
    from clients app where app.school_id = ${db.schoolId}
      ${kind === undefined ? sql`` : sql`and app.kind = ${kind}`}`)
  // Not in the statement: a condition would count everybody a second time.
  return new Map(rows.filter(({ people }) => people > 0).map((row) => [row.client_id, row.people]))
}

/** How many people use one app, counted in the same way. */
export async function countPeopleOfApp(db: SchoolDb, clientId: string): Promise<number> {
  const { rows } = await db.run(sql<{ people: number }>`
    select ${peopleOf(sql`${clientId}`, db)} as people`)
  return rows[0]?.people ?? 0
}

function peopleOf(clientId: RawBuilder<unknown>, db: SchoolDb): RawBuilder<number> {
  return cappedCount(sql`distinct a.user_id from ${liveOfApp(clientId, db)}`, MOST_PEOPLE)
}

/**
 * The live authorizations `a` of one app. An index has them in the order of people, without the
 * rounds that were ended: the round is asked for as one value, because the planner does not see
 * that a join finds one.
 */
function liveOfApp(clientId: RawBuilder<unknown>, db: SchoolDb): RawBuilder<unknown> {
  return sql`authorizations a ${ITS_CLIENT}
    where a.school_id = ${db.schoolId} and a.client_id = ${clientId} and ${isLive}
      and a.access_round = (
        select its.access_round from clients its
        where its.school_id = ${db.schoolId} and its.client_id = ${clientId})`
}
