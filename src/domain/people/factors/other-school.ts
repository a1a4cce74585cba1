import { sql } from 'kysely'
import { z } from 'zod'
import { type Keyring, openMessage, sealMessage } from '../../../foundation/crypto/seal.ts'
import { acrossSchools, type SchoolDb } from '../../../foundation/db/school-db.ts'
import { mintToken } from '../../../foundation/protocol/token-format.ts'
import type { NamedSchool } from '../mails/mail-words.ts'
import { type BrowserSession, isOpen } from '../sessions.ts'

/*
 * A passkey works at one school. A person who needs it at another one proves it where it works, and
 * says there that it is meant for their session at the other school. Question and answer are
 * sealed, and travel in addresses of the person's browser.
 */

const PURPOSE = 'proof-for-other-school'
const PROOF = 'proof-of-other-school'
const LIFETIME_MS = 10 * 60 * 1000

const asked = z.object({ userId: z.string(), sessionId: z.string(), path: z.string() })
const proved = asked.extend({
  provedAt: z.iso.datetime(),
  factorSince: z.iso.datetime().optional(),
})

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
  readonly schoolId: string
  readonly school: NamedSchool
  /** The page there to go back to. */
  readonly path: string
  /** Such as "Firefox on Windows". */
  readonly device: string
}

/**
 * Crosses schools. Undefined if the request is forged, too old or of another person, or that
 * session has ended.
 */
export async function findWaitingSession(
  db: SchoolDb,
  keyring: Keyring,
  { person }: BrowserSession,
  sealed: string,
): Promise<WaitingSession | undefined> {
  const opened = openMessage(keyring, PURPOSE, db.schoolId, sealed, Date.now())
  const { data } = asked.safeParse(opened)
  if (data === undefined || data.userId !== person.id) return undefined
  const { rows } = await sql<NamedSchool & { schoolId: string; device: string }>`
    select s.id as "schoolId", s.name, s.origin, b.device
    from browser_sessions b join schools s on s.id = b.school_id and s.deleted_at is null
    where b.id = ${data.sessionId} and b.user_id = ${person.id} and ${isOpen}`.execute(
    acrossSchools(db),
  )
  const [found] = rows
  if (found === undefined) return undefined
  const { schoolId, device, ...school } = found
  return { sessionId: data.sessionId, path: data.path, schoolId, school, device }
}

/**
 * What that session is told: for an address at the other school, which works once and for that
 * session alone.
 */
export function sealProof(
  keyring: Keyring,
  { readAt, factorSince, person }: BrowserSession,
  { schoolId, sessionId, path }: WaitingSession,
): string {
  const proof = {
    ...{ userId: person.id, sessionId, path },
    provedAt: readAt.toISOString(),
    factorSince: factorSince?.toISOString(),
  }
  return sealMessage(keyring, PROOF, schoolId, proof, Date.now() + LIFETIME_MS)
}

/**
 * The session counts as proved by the passkey or code. It gets a new secret, so that a stolen copy
 * of its cookie ends here, as after any other proof. Undefined if the proof is forged, too old, of
 * another session, or was used.
 */
export async function acceptProof(
  db: SchoolDb,
  keyring: Keyring,
  { id, person }: BrowserSession,
  sealed: string,
): Promise<{ readonly cookie: string; readonly path: string } | undefined> {
  const { data } = proved.safeParse(openMessage(keyring, PROOF, db.schoolId, sealed, Date.now()))
  if (data === undefined || data.userId !== person.id || data.sessionId !== id) return undefined
  const token = mintToken('session', id)
  const isTaken = await db.transaction(async (tx) => {
    const { rows } = await tx.run(sql`
      update browser_sessions b set authenticated_at = now(), factor_since = ${data.factorSince ?? null}::timestamptz,
        secret_hash = ${token.hash}, methods = array_append(array_remove(methods, 'other_school'), 'other_school')
      where b.id = ${id} and b.school_id = ${tx.schoolId} and b.user_id = ${person.id} and ${isOpen}
        and b.authenticated_at < ${data.provedAt}::timestamptz
      returning b.id`)
    return rows.length > 0
  })
  return isTaken ? { cookie: token.value, path: data.path } : undefined
}
