import { sql } from 'kysely'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { BrowserSession, ProofMethod } from '../sessions.ts'

/*
 * A person who has a passkey or an authenticator app proves one of them before another is added, or a passkey is
 * removed: a thief of the password would otherwise add their own, and count as two factors from then on. What was
 * added since the last proof does not count, so that a first sign-in can add several.
 */

const FACTORS: ReadonlySet<ProofMethod | undefined> = new Set<ProofMethod>([
  'passkey',
  'unverified_passkey',
  'code',
  'recovery_code',
])

/** Whether the last proof of the session was a passkey or a code. */
export function isProvedByFactor({ methods }: BrowserSession): boolean {
  return FACTORS.has(methods.at(-1))
}

/** Whether the person must prove a passkey or a code before they change the passkeys of this school. */
export async function mustProveFactor(at: SchoolDb, session: BrowserSession): Promise<boolean> {
  if (isProvedByFactor(session)) return false
  const userId = session.person.id
  const { rows } = await at.run(sql<{ has: boolean }>`
    select exists (select from authenticators where user_id = ${userId}) or exists (
      select from passkeys
      where school_id = ${at.schoolId} and user_id = ${userId} and cloned_at is null
        and created_at < ${session.authenticatedAt}) as has`)
  return rows[0]?.has === true
}

/**
 * Crosses schools: an authenticator app counts at all of them. So it is added where the person has had a passkey for
 * longest (`elsewhere`: not here): at a school without one, a thief of the password could make a passkey first.
 */
export async function provesForAuthenticator(
  at: SchoolDb,
  session: BrowserSession,
): Promise<'enough' | 'factor' | 'elsewhere'> {
  const { rows } = await at.run(sql<{ here: boolean }>`
    select school_id = ${at.schoolId} as here from passkeys
    where user_id = ${session.person.id} and cloned_at is null
      and created_at < ${session.authenticatedAt}
    order by created_at, id limit 1`)
  const [oldest] = rows
  if (oldest === undefined) return 'enough'
  if (!oldest.here) return 'elsewhere'
  return isProvedByFactor(session) ? 'enough' : 'factor'
}
