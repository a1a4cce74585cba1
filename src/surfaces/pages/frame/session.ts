import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import {
  describeDevice,
  findKnownDevice,
  type KnownBy,
  rememberDevice,
} from '../../../domain/people/known-device.ts'
import { noteNewBrowser } from '../../../domain/people/notices.ts'
import {
  type BrowserSession,
  isSessionOpen,
  type ProvenPerson,
  sessionHolds,
  startSession,
} from '../../../domain/people/sessions.ts'
import type { Requester } from '../../../domain/people/sign-in-counters.ts'
import { confirmedBy } from '../../../foundation/db/school-db.ts'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import {
  deviceCookieName,
  findCookie,
  LONGEST_COOKIE_SECONDS,
  serializeCookie,
  serializeExpiredCookie,
  sessionCookieName,
} from '../../../foundation/http/cookies.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'

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

declare module 'fastify' {
  interface FastifyRequest {
    /** The page to continue to if the person has to sign in or to confirm first. */
    returnTo: string | undefined
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
  request.returnTo = returnTo
  const session = await findBrowserSession(request)
  if (session === undefined) throw new SignInNeeded(returnTo)
  actAs(request, session, returnTo)
  return session
}

/**
 * From here on the request writes as the person of this session: nothing is committed once it has
 * ended, or a role is gone.
 */
export function actAs(request: FastifyRequest, session: BrowserSession, returnTo: string): void {
  const { schoolDb: db } = request
  request.schoolDb = confirmedBy(db, {
    key: session.id,
    // Made only for a write: most pages read.
    get holds() {
      return sessionHolds(db, session)
    },
    async confirm(tx) {
      const { rows } = await tx.run(
        sql<{ held: boolean }>`select ${sessionHolds(tx, session)} as held`,
      )
      if (rows[0]?.held === true) return
      if (await isSessionOpen(tx, session.id)) throw new MemberNeeded('A role is gone.')
      throw new SignInNeeded(returnTo)
    },
  })
}

/**
 * The member that a page is made for. A person may be signed in without a role at this school, also
 * one who was a member before: they read what a visitor reads.
 */
export function memberOf(session: BrowserSession | undefined): string | undefined {
  return session === undefined || session.roles.length === 0 ? undefined : session.person.id
}

/**
 * Thrown if a page is for members alone. The answer redirects to /account, which says that the
 * person is not one.
 */
export class MemberNeeded extends Error {
  override readonly name = 'MemberNeeded'
}

/** The session of a member. */
export async function loadMemberSession(
  request: FastifyRequest,
  returnTo?: string,
): Promise<BrowserSession> {
  const session = await loadBrowserSession(request, returnTo)
  if (memberOf(session) === undefined) throw new MemberNeeded('The person has no role.')
  return session
}

/**
 * Starts a new session for this browser, and tells the person if the browser is new. Undefined if
 * the password was changed since it was checked.
 */
export async function beginSession(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  proven: ProvenPerson,
  knownBy?: readonly KnownBy[],
): Promise<Pick<BrowserSession, 'id' | 'person' | 'roles'> | undefined> {
  const device = describeDevice(request.headers['user-agent'])
  const session = await startSession(request.schoolDb, proven, device)
  if (session === undefined) return undefined
  keepSession(request, reply, session.cookie)
  const { person } = proven
  if (requesterOf(context, request, person.email).device === undefined) {
    const isTold = context.mailer !== undefined
    const fresh = { person, sessionId: session.id, device, isTold, requestId: request.id }
    await noteNewBrowser(request.schoolDb, fresh)
    if (isTold) request.queuedMail = true
  }
  rememberBrowser(context, request, reply, person.email, knownBy)
  request.outcome.personId = person.id
  return { id: session.id, person, roles: session.roles }
}

/** Makes the browser keep the cookie of a session. */
export function keepSession(request: FastifyRequest, reply: FastifyReply, cookie: string): void {
  const { origin } = request.school
  reply.header(
    'set-cookie',
    serializeCookie(origin, sessionCookieName(origin), cookie, LONGEST_COOKIE_SECONDS),
  )
}

/** Makes the browser delete its session cookie. */
export function forgetSession(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.school
  reply.header('set-cookie', serializeExpiredCookie(origin, sessionCookieName(origin)))
  // The explorer keeps its tokens in the storage of its tab: the next person at this browser must
  // not find them.
  reply.header('clear-site-data', '"storage"')
}

const PURPOSE = 'known-devices'
const COOKIE_SECONDS = 365 * 24 * 60 * 60

/**
 * Who tries: the address, and the browser if it knows this account in one of these ways; if none
 * are said, for a password.
 */
export function requesterOf(
  context: AppContext,
  request: FastifyRequest,
  email: string,
  ways?: readonly KnownBy[],
): Requester {
  const { id } = request.school
  const device = findKnownDevice(context.keyring.keys(PURPOSE), id, cookieOf(request), email, ways)
  return { address: clientAddress(request), device }
}

/** After a sign-in, or a link by mail. Signing out does not undo it. */
export function rememberBrowser(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
  ways?: readonly KnownBy[],
): void {
  const { id, origin } = request.school
  const value = rememberDevice(context.keyring.key(PURPOSE), id, cookieOf(request), email, ways)
  reply.header(
    'set-cookie',
    serializeCookie(origin, deviceCookieName(origin), value, COOKIE_SECONDS),
  )
}

function cookieOf(request: FastifyRequest): string | undefined {
  return findCookie(request.headers.cookie, deviceCookieName(request.school.origin))
}
