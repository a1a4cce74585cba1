import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeDevice } from '../../domain/people/device.ts'
import type { Person } from '../../domain/people/person.ts'
import { type BrowserSession, startSession } from '../../domain/people/sessions.ts'
import {
  serializeCookie,
  serializeExpiredCookie,
  sessionCookieName,
} from '../../foundation/http/cookies.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'

const SESSION_COOKIE_SECONDS = 90 * 24 * 60 * 60

/** Thrown if a page needs a session. The answer redirects to sign-in, which returns to the page. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded'
  /** A path of ours: a constant, or the path of the request. */
  readonly returnTo: string

  constructor(returnTo: string) {
    super('The browser has no session.')
    this.returnTo = returnTo
  }
}

/**
 * The session of the browser. A post cannot be repeated after signing in, so it passes the page of
 * its form as `returnTo`.
 */
export async function loadBrowserSession(
  request: FastifyRequest,
  returnTo: string = request.raw.url ?? '/account',
): Promise<BrowserSession> {
  const session = await findBrowserSession(request)
  if (session === undefined) throw new SignInNeeded(returnTo)
  return session
}

/** Starts a new session for this browser. */
export async function beginSession(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
): Promise<void> {
  const device = describeDevice(request.headers['user-agent'])
  const { cookie } = await startSession(request.at, person, device)
  const { origin } = request.school
  reply.header(
    'set-cookie',
    serializeCookie(origin, sessionCookieName(origin), cookie, SESSION_COOKIE_SECONDS),
  )
  request.outcome.personId = person.id
}

/** Makes the browser delete its session cookie. */
export function forgetSession(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.school
  reply.header('set-cookie', serializeExpiredCookie(origin, sessionCookieName(origin)))
}
