import type { FastifyRequest } from 'fastify'
import { isKeyAlone } from '../../../domain/people/authentication-context.ts'
import { type FactorPlaces, findFactorPlaces } from '../../../domain/people/factors/demand.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'

/** For this long after a proof nothing asks for another one. */
const RECENT_MS = 10 * 60 * 1000

/**
 * Thrown if the person must prove again who they are. The answer asks for it and then returns to
 * the page.
 */
export class ProofNeeded extends Error {
  override readonly name = 'ProofNeeded'
  readonly session: BrowserSession
  /** A path of ours: a constant, or the path of the request. */
  readonly returnTo: string
  /** A passkey or a code; the password is not enough, however recent it is. */
  readonly byFactor: boolean

  constructor(session: BrowserSession, returnTo: string, byFactor = false) {
    super('The last proof of the person is too old or too weak for this.')
    this.session = session
    this.returnTo = returnTo
    this.byFactor = byFactor
  }
}

/**
 * Call it before whatever a stolen session must not do. A device that is trusted, or a session that
 * is used all day, does not count: only the time of the last proof, by the clock of the database. A
 * post passes the page of its form as `returnTo`, unless it passed it when it loaded the session.
 */
export function requireRecentProof(
  request: FastifyRequest,
  session: BrowserSession,
  returnTo: string = request.returnTo ?? '/account',
): void {
  if (!isRecent(session)) throw new ProofNeeded(session, returnTo)
}

export function isRecent({ readAt, authenticatedAt, methods }: BrowserSession): boolean {
  // Of whatever role here: the account is also that of other schools, where its person may be an
  // owner.
  if (isKeyAlone(methods)) return false
  // In a trusted browser no code was asked for: the person has not proved all that they can.
  if (methods.includes('trusted_device')) return false
  return readAt.getTime() - authenticatedAt.getTime() <= RECENT_MS
}

/** Thrown if the person must prove a passkey that works at other schools only. */
export class FactorElsewhere extends Error {
  override readonly name = 'FactorElsewhere'
  readonly session: BrowserSession
  readonly schools: FactorPlaces['elsewhere']
  /** The page to open once it was proved. */
  readonly path: string

  constructor(session: BrowserSession, schools: FactorPlaces['elsewhere'], path: string) {
    super('The person has a passkey at another school, and proved less.')
    this.session = session
    this.schools = schools
    this.path = path
  }
}

/**
 * Call it before what `demand.ts` names. The proof must be recent, and a passkey or a code if the
 * person has one at any school.
 */
export async function requireOwnFactor(
  request: FastifyRequest,
  session: BrowserSession,
  returnTo: string = request.returnTo ?? '/account',
): Promise<void> {
  requireRecentProof(request, session, returnTo)
  const places = await findFactorPlaces(request.schoolDb, session)
  if (places?.isHere) throw new ProofNeeded(session, returnTo, true)
  if (places !== undefined) throw new FactorElsewhere(session, places.elsewhere, returnTo)
}
