import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
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
  const { rows } = await at.run(sql<Row>`
    select u.id, u.name, u.email, count(*)::int as authorizations,
      max(a.created_at) as last_authorized_at, max(a.last_used_at) as last_used_at
    from authorizations a ${ITS_CLIENT} join ${shownPeople(at)} u on u.id = a.user_id
    where a.school_id = ${at.schoolId} and a.client_id = ${clientId} and ${isLive}
      ${page.after === undefined ? sql`` : sql`and u.id > ${page.after}`}
    group by u.id, u.name, u.email
    order by u.id
    limit ${page.limit + 1}`)
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

/** How many people use each app of the school; apps without people are not in the map. */
export async function peoplePerApp(at: SchoolDb): Promise<ReadonlyMap<string, number>> {
  const { rows } = await at.run(sql<{ client_id: string; people: number }>`
    select a.client_id, count(distinct a.user_id)::int as people
    from authorizations a ${ITS_CLIENT}
    where a.school_id = ${at.schoolId} and ${isLive}
    group by a.client_id`)
  return new Map(rows.map((row) => [row.client_id, row.people]))
}

/** How many people use one app. */
export async function countPeopleOfApp(at: SchoolDb, clientId: string): Promise<number> {
  const { rows } = await at.run(sql<{ people: number }>`
    select count(distinct a.user_id)::int as people
    from authorizations a ${ITS_CLIENT}
    where a.school_id = ${at.schoolId} and a.client_id = ${clientId} and ${isLive}`)
  return rows[0]?.people ?? 0
}
