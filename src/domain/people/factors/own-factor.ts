import { sql } from 'kysely'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { NamedSchool } from '../mails/mail-contents.ts'
import { type BrowserSession, isProvedByFactor } from '../sessions.ts'

/*
 * A person who has a passkey or an authenticator app at any school proves one of them before the email address changes,
 * the account is deleted, or another way to sign in is added or removed. A thief of the password, or of the mailbox that
 * sets a new one, could otherwise add a factor of their own and take the account. A person
 * who has lost it waits (`lost-factors.ts`).
 */

/** Where the person can prove a factor: here, or at the schools that have a passkey, because a passkey works at one school. */
export interface FactorPlaces {
  readonly isHere: boolean
  readonly elsewhere: readonly (NamedSchool & { readonly id: string })[]
}

/**
 * Crosses schools. Undefined if the session has proved a factor, or the person has none. A passkey that was added here since
 * the last proof does not count, so that a first sign-in can add several.
 */
export async function findFactorPlaces(
  at: SchoolDb,
  session: BrowserSession,
): Promise<FactorPlaces | undefined> {
  if (isProvedByFactor(session)) return undefined
  const { rows } = await at.run(sql<NamedSchool & { id: string }>`
    select s.id, s.name, s.origin
    from (
      select ${at.schoolId}::uuid as school_id, created_at from authenticators where user_id = ${session.person.id}
      union all
      select school_id, created_at from passkeys
      where user_id = ${session.person.id} and cloned_at is null
        and (school_id <> ${at.schoolId} or created_at < ${session.authenticatedAt})
    ) f join schools s on s.id = f.school_id and s.deleted_at is null
    group by s.id order by min(f.created_at)`)
  if (rows.length === 0) return undefined
  const elsewhere = rows.filter(({ id }) => id !== at.schoolId)
  return { isHere: elsewhere.length < rows.length, elsewhere }
}
