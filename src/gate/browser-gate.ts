import type { FastifyRequest } from 'fastify'
import { type BrowserSession, findSession } from '../domain/people/sessions.ts'
import { inLane } from '../foundation/db/school-db.ts'
import { findCookie, sessionCookieName } from '../foundation/http/cookies.ts'
import { noteCallerRead } from './bearer-gate.ts'

/** The browser session of a request, if the browser is signed in. */
export async function findBrowserSession(
  request: FastifyRequest,
): Promise<BrowserSession | undefined> {
  const name = sessionCookieName(request.school.origin)
  const session = await findSession(request.schoolDb, findCookie(request.headers.cookie, name))
  if (session === undefined) return undefined
  request.schoolDb = inLane(request.schoolDb, 'interactive')
  noteCallerRead(request)
  request.outcome.personId = session.person.id
  return session
}
