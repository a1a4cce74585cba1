import { sql } from 'kysely'
import { z } from 'zod'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { openMessage, sealMessage } from '../../../foundation/crypto/sealed-message.ts'
import { acrossSchools, type SchoolDb } from '../../../foundation/db/school-db.ts'
import type { NamedSchool } from '../mails/mail-contents.ts'
import { type BrowserSession, isOpen } from '../sessions.ts'

/*
 * A passkey works at one school. A person who needs it at another one proves it where it works, and says there that it is
 * meant for their session at the other school. The answer goes from session to session in the database: an address with
 * a secret in it could be read by the school that is asked for.
 */

const PURPOSE = 'proof-for-other-school'
const LIFETIME_MS = 10 * 60 * 1000

const asked = z.object({ userId: z.string(), sessionId: z.string(), path: z.string() })

/** For a link to the school that has the passkey. */
export function sealProofRequest(
  keyring: Keyring,
  passkeySchoolId: string,
  { id, person }: BrowserSession,
  path: string,
): string {
  const request = { userId: person.id, sessionId: id, path }
  return sealMessage(keyring, PURPOSE, passkeySchoolId, request, Date.now() + LIFETIME_MS)
}

/** The session at the other school that waits for the proof. */
export interface WaitingSession {
  readonly sessionId: string
  readonly school: NamedSchool
  /** The page there to go back to. */
  readonly path: string
  /** Such as "Firefox on Windows". */
  readonly device: string
}

/** Crosses schools. Undefined if the request is forged, too old or of another person, or that session has ended. */
export async function findWaitingSession(
  at: SchoolDb,
  keyring: Keyring,
  { person }: BrowserSession,
  sealed: string,
): Promise<WaitingSession | undefined> {
  const opened = openMessage(keyring, PURPOSE, at.schoolId, sealed, Date.now())
  const { data } = asked.safeParse(opened)
  if (data === undefined || data.userId !== person.id) return undefined
  const { rows } = await sql<NamedSchool & { device: string }>`
    select s.name, s.origin, b.device
    from browser_sessions b join schools s on s.id = b.school_id and s.deleted_at is null
    where b.id = ${data.sessionId} and b.user_id = ${person.id} and ${isOpen}`.execute(
    acrossSchools(at),
  )
  const [found] = rows
  if (found === undefined) return undefined
  const { device, ...school } = found
  return { sessionId: data.sessionId, path: data.path, school, device }
}

/** Crosses schools: the other session counts as proved, by a passkey or a code that was proved in this one. */
export async function proveForOtherSchool(
  at: SchoolDb,
  session: BrowserSession,
  { sessionId }: WaitingSession,
): Promise<void> {
  await at.transaction((tx) =>
    sql`
      update browser_sessions set authenticated_at = now(), factor_since = ${session.factorSince ?? null},
        methods = array_append(array_remove(methods, 'other_school'), 'other_school')
      where id = ${sessionId} and user_id = ${session.person.id}`.execute(acrossSchools(tx)),
  )
}
