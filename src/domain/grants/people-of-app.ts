import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { ClientKind } from '../clients/client.ts'
import { cappedCount } from '../operation/capped-count.ts'
import { shownPeople } from '../people/shown-person.ts'
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
  at: SchoolDb,
  clientId: string,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly people: readonly PersonOfApp[]; readonly next: string | undefined }> {
  // First the page, then the names: grouping all people of a large app would take long.
  const { rows } = await at.run(sql<Row>`
    select u.id, u.name, u.email, a.authorizations, a.last_authorized_at, a.last_used_at
    from (
      select a.user_id, count(*)::int as authorizations,
        max(a.created_at) as last_authorized_at, max(a.last_used_at) as last_used_at
      from authorizations a ${ITS_CLIENT}
      where a.school_id = ${at.schoolId} and a.client_id = ${clientId} and ${isLive}
        ${page.after === undefined ? sql`` : sql`and a.user_id > ${page.after}`}
      group by a.user_id
      order by a.user_id
      limit ${page.limit + 1}) a join ${shownPeople(at)} u on u.id = a.user_id
    order by u.id`)
  const people = rows.slice(0, page.limit).map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email ?? '',
    authorizations: row.authorizations,
    lastAuthorizedAt: row.last_authorized_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }))
  return { people, next: rows.length > page.limit ? people.at(-1)?.id : undefined }
}

/** A list has many apps, each with a count of its own. */
export const MOST_PEOPLE = 100

/** How many people use each app of the school, counted to one more than `MOST_PEOPLE`; apps without people are not in the map. */
export async function peoplePerApp(
  at: SchoolDb,
  kind?: ClientKind,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await at.run(sql<{ client_id: string; people: number }>`
    select client_id, people from (
      select app.client_id, ${peopleOf(sql`app.client_id`, at, MOST_PEOPLE)} as people
      from clients app where app.school_id = ${at.schoolId}
        ${kind === undefined ? sql`` : sql`and app.kind = ${kind}`}) counted
    where people > 0`)
  return new Map(rows.map((row) => [row.client_id, row.people]))
}

/** How many people use one app, as far as lists count. */
export async function countPeopleOfApp(at: SchoolDb, clientId: string): Promise<number> {
  const { rows } = await at.run(sql<{ people: number }>`
    select ${peopleOf(sql`${clientId}`, at)} as people`)
  return rows[0]?.people ?? 0
}

/** An index has the people of an app in order, so this reads no more than it counts. */
function peopleOf(clientId: RawBuilder<unknown>, at: SchoolDb, most?: number): RawBuilder<number> {
  const people = sql`distinct a.user_id from authorizations a ${ITS_CLIENT}
    where a.school_id = ${at.schoolId} and a.client_id = ${clientId} and ${isLive}`
  return cappedCount(people, most)
}
