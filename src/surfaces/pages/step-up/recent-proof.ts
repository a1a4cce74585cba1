import type { FastifyRequest } from 'fastify'
import { isKeyAlone } from '../../../domain/people/authentication-context.ts'
import { mustProveFactor } from '../../../domain/people/factors/own-factor.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'

/** For this long after a proof nothing asks for another one. */
const RECENT_MS = 10 * 60 * 1000

/** Thrown if the person must prove again who they are. The answer asks for it and then returns to the page. */
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
 * Call it before whatever a stolen session must not do. A device that is trusted, or a session that is used all day,
 * does not count: only the time of the last proof, by the clock of the database. A post passes the page of its form as
 * `returnTo`, unless it passed it when it loaded the session.
 */
export function requireRecentProof(
  request: FastifyRequest,
  session: BrowserSession,
  returnTo: string = request.returnTo ?? '/account',
): void {
  if (!isRecent(session)) throw new ProofNeeded(session, returnTo)
}

export function isRecent({ readAt, authenticatedAt, methods }: BrowserSession): boolean {
  // Of whatever role here: the account is also that of other schools, where its person may be an owner.
  if (isKeyAlone(methods)) return false
  // In a trusted browser no code was asked for: the person has not proved all that they can.
  if (methods.includes('trusted_device')) return false
  return readAt.getTime() - authenticatedAt.getTime() <= RECENT_MS
}

/** Call it before passkeys, recovery codes or the second factor are changed (`own-factor.ts`). The proof must be recent, and not the password alone. */
export async function requireOwnFactor(
  request: FastifyRequest,
  session: BrowserSession,
): Promise<void> {
  requireRecentProof(request, session)
  if (await mustProveFactor(request.at, session)) askForFactor(request, session)
}

export function askForFactor({ returnTo }: FastifyRequest, session: BrowserSession): never {
  throw new ProofNeeded(session, returnTo ?? '/account', true)
}
