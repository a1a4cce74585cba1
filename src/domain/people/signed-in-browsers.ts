import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { record } from '../audit/audit.ts'
import { endAccessOfPerson } from '../grants/end-access.ts'
import { type BrowserSession, endSessionsOfPerson, isOpen } from './sessions.ts'
import { lockPerson } from './set-password.ts'

export interface SignedInBrowser {
  readonly id: string
  /** Such as "Firefox on Windows"; empty if the browser did not say. */
  readonly device: string
  readonly since: Date
  /** May be up to ten minutes before the real last use. */
  readonly lastSeenAt: Date
}

export interface SignedInElsewhere {
  readonly name: string
  readonly origin: string
  readonly count: number
}

export interface SignedInBrowsers {
  /** At this school, the one that was seen last first. */
  readonly browsers: readonly SignedInBrowser[]
  /** At the other schools, by name. */
  readonly elsewhere: readonly SignedInElsewhere[]
}

interface Row {
  id: string
  school_id: string
  school_name: string
  origin: string
  device: string
  created_at: Date
  last_seen_at: Date
}

/**
 * Crosses schools: where a person is signed in. Only for the person: a school learns nothing of
 * sessions at another one. A person has at most a hundred sessions (`sessions.ts`), so this needs
 * no pages.
 */
export async function signedInBrowsers(
  db: Db,
  schoolId: string,
  userId: string,
): Promise<SignedInBrowsers> {
  const { rows } = await sql<Row>`
    select b.id, b.school_id, s.name as school_name, s.origin, b.device, b.created_at, b.last_seen_at
    from browser_sessions b join schools s on s.id = b.school_id
    where b.user_id = ${userId} and ${isOpen}
    order by b.last_seen_at desc, b.id desc`.execute(db)
  const own = rows.filter((row) => row.school_id === schoolId)
  return {
    browsers: own.map(({ id, device, created_at, last_seen_at }) => ({
      ...{ id, device },
      since: created_at,
      lastSeenAt: last_seen_at,
    })),
    elsewhere: countBySchool(rows.filter((row) => row.school_id !== schoolId)),
  }
}

function countBySchool(rows: readonly Row[]): readonly SignedInElsewhere[] {
  const schools = new Map<string, { name: string; origin: string; count: number }>()
  for (const { school_id, school_name: name, origin } of rows) {
    const known = schools.get(school_id) ?? { name, origin, count: 0 }
    known.count++
    schools.set(school_id, known)
  }
  return [...schools.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Ends another browser of the same person at this school. A trusted browser is not known by its
 * session, so none stays trusted here: each asks for a code at its next sign-in. False if there is
 * no such session.
 */
export async function endBrowser(
  db: SchoolDb,
  session: BrowserSession,
  id: string,
  requestId: string,
): Promise<boolean> {
  if (id === session.id) return false
  return await db.transaction(async (tx) => {
    await lockPerson(tx, session.person.id)
    const ended = await tx
      .delete('browser_sessions')
      .where('id', '=', id)
      .where('user_id', '=', session.person.id)
      .returning('device')
      .executeTakeFirst()
    if (ended === undefined) return false
    await tx.delete('trusted_devices').where('user_id', '=', session.person.id).execute()
    await record(tx, {
      action: 'session.ended',
      outcome: 'ok',
      actorUserId: session.person.id,
      detail: { device: ended.device },
      requestId,
    })
    return true
  })
}

/**
 * Ends all other sessions of the person, at every school, and all their apps if they want that. The
 * audit entry of this school does not say how many: most may be of other schools.
 */
export async function endOtherBrowsers(
  db: SchoolDb,
  session: BrowserSession,
  { endsApps, requestId }: { readonly endsApps: boolean; readonly requestId: string },
): Promise<void> {
  const userId = session.person.id
  await db.transaction(async (tx) => {
    await lockPerson(tx, userId)
    await endSessionsOfPerson(acrossSchools(tx), userId, session.id)
    if (endsApps) await endAccessOfPerson(acrossSchools(tx), userId, 'sign_out', requestId)
    await record(tx, {
      action: 'session.ended',
      outcome: 'ok',
      actorUserId: session.person.id,
      detail: { which: 'all_others' },
      requestId,
    })
  })
}
