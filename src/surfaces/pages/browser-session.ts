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

/** Thrown where a page is for people who are signed in; answered by the way to sign-in and back. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded'
  /** A path of ours, written by us or taken from the request that was made. */
  readonly returnTo: string

  constructor(returnTo: string) {
    super('Nobody is signed in.')
    this.returnTo = returnTo
  }
}

/**
 * The session of whoever is signed in. A post cannot be repeated after signing in, so it names the
 * page that its form was on.
 */
export async function loadBrowserSession(
  request: FastifyRequest,
  returnTo: string = request.raw.url ?? '/account',
): Promise<BrowserSession> {
  const session = await findBrowserSession(request)
  if (session === undefined) throw new SignInNeeded(returnTo)
  return session
}

/** Signs this browser in with a session of its own. */
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

/** Makes this browser forget its session. */
export function forgetSession(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.school
  reply.header('set-cookie', serializeExpiredCookie(origin, sessionCookieName(origin)))
}
