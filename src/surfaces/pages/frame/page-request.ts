import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { LimiterFull } from '../../../foundation/concurrency/limiter.ts'
import { randomSecret } from '../../../foundation/crypto/random.ts'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { assetUrl } from '../../../foundation/html/assets.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import {
  anonymousCookieName,
  checkFormToken,
  type FormOwner,
  findCookie,
  isFormToken,
  issueFormToken,
  serializeCookie,
} from '../../../foundation/http/cookies.ts'
import { checkSameOriginPost } from '../../../foundation/http/cross-origin.ts'
import {
  type PageKind,
  policyWithScript,
  setPageHeaders,
} from '../../../foundation/http/security-headers.ts'
import { sealOwner } from './form-owner.ts'

const PURPOSE = 'form-tokens'

type SessionOfForm = Pick<BrowserSession, 'id' | 'person'>

/** Sends a page with the headers that every page has, or with another policy. */
export function sendPage(
  reply: FastifyReply,
  request: FastifyRequest,
  kind: PageKind,
  html: string,
  status = 200,
  policy?: string,
): FastifyReply {
  setPageHeaders(reply, request.school.origin, kind)
  if (policy !== undefined) reply.header('content-security-policy', policy)
  return reply.code(status).type('text/html; charset=utf-8').send(html)
}

/** Sends a page with this script of `assets/`. */
export function sendScriptedPage(
  reply: FastifyReply,
  request: FastifyRequest,
  kind: PageKind,
  script: string,
  html: string,
  status = 200,
): FastifyReply {
  const policy = policyWithScript(request.school.origin, assetUrl(script), kind)
  return sendPage(reply, request, kind, html, status, policy)
}

/** Redirects with 303, so that the browser does not post a password again (RFC 9700 §4.12). */
export function redirectTo(
  reply: FastifyReply,
  request: FastifyRequest,
  kind: PageKind,
  location: string,
): FastifyReply {
  return setPageHeaders(reply, request.school.origin, kind).redirect(location, 303)
}

/**
 * The hidden fields of a form, bound to the session or, before sign-in, to a separate cookie. A dot
 * and the sealed owner follow the token of a session; `FormToken` makes two fields of it.
 */
export function formTokenFor(
  keyring: Keyring,
  request: FastifyRequest,
  reply: FastifyReply,
  session: SessionOfForm | undefined,
): string {
  const token = issueFormToken(keyring.key(PURPOSE), ownerFor(request, reply, session))
  if (session === undefined) return token
  return `${token}.${sealOwner(keyring, request.school.id, session)}`
}

/** Whether a form was made for this session, which may have ended. */
export function isFormOf(keyring: Keyring, form: URLSearchParams, sessionId: string): boolean {
  const owner = { kind: 'session', id: sessionId } as const
  return isFormToken(keyring.keys(PURPOSE), owner, form.get('form_token') ?? undefined)
}

/** Whether a form was made for this browser before it signed in. */
export function isFormOfVisitor(
  keyring: Keyring,
  request: FastifyRequest,
  form: URLSearchParams,
): boolean {
  const token = form.get('form_token') ?? undefined
  return anonymousOwner(request).some((owner) => isFormToken(keyring.keys(PURPOSE), owner, token))
}

function ownerFor(
  request: FastifyRequest,
  reply: FastifyReply,
  session: SessionOfForm | undefined,
): FormOwner {
  if (session !== undefined) return { kind: 'session', id: session.id }
  return anonymousOwnerFor(request, reply, request.school.origin)
}

function anonymousOwnerFor(
  request: FastifyRequest,
  reply: FastifyReply,
  origin: string,
): FormOwner {
  const name = anonymousCookieName(origin)
  const known = findCookie(request.headers.cookie, name)
  if (known !== undefined) return { kind: 'anonymous', id: known }
  const fresh = randomSecret(18).toString('base64url')
  reply.header('set-cookie', serializeCookie(origin, name, fresh))
  return { kind: 'anonymous', id: fresh }
}

/** Returns the fields of a form. Refuses a form that we did not serve to this browser. */
export function checkedForm(
  keyring: Keyring,
  request: FastifyRequest,
  session: BrowserSession | undefined,
): URLSearchParams {
  const owners = session === undefined ? anonymousOwner(request) : sessionOwner(session)
  return formOf(keyring, request, owners)
}

/**
 * The fields of a sign-in form. One from before the sign-in of another tab is accepted: a person
 * who connects two apps at once signs in in both tabs.
 */
export function checkedSignInForm(
  keyring: Keyring,
  request: FastifyRequest,
  session: BrowserSession | undefined,
): URLSearchParams {
  return formOf(keyring, request, signInOwners(request, session))
}

/** What proves this browser during a sign-in: its session, and its cookie from before a session. */
export function provenBrowsers(
  request: FastifyRequest,
  session: BrowserSession | undefined,
): readonly string[] {
  return signInOwners(request, session).map(({ kind, id }) => `${kind} ${id}`)
}

function signInOwners(
  request: FastifyRequest,
  session: BrowserSession | undefined,
): readonly FormOwner[] {
  return [...sessionOwner(session), ...anonymousOwner(request)]
}

/**
 * The fields of a form whose session has ended or expired. Use them only to redirect to sign-in.
 * Posts from another site are still refused.
 */
export function uncheckedForm(
  request: FastifyRequest,
  origin: string = request.school.origin,
): URLSearchParams {
  checkSameOriginPost(request.headers, origin)
  if (request.body instanceof URLSearchParams) return request.body
  throw new RequestRefusedError(400, 'The form is missing. Open the page and send it again.')
}

/** The hidden field of a form on a page that belongs to no school. */
export function anonymousFormToken(
  keyring: Keyring,
  request: FastifyRequest,
  reply: FastifyReply,
  origin: string,
): string {
  return issueFormToken(keyring.key(PURPOSE), anonymousOwnerFor(request, reply, origin))
}

/**
 * The fields of such a form. Refuses a form that we did not serve to this browser at this origin.
 */
export function anonymousForm(
  keyring: Keyring,
  request: FastifyRequest,
  origin: string,
): URLSearchParams {
  return formOf(keyring, request, anonymousOwner(request, origin), origin)
}

/** Checks a form with files. Its token is one of the parts, which the caller reads. */
export function checkPostToken(
  keyring: Keyring,
  request: FastifyRequest,
  session: BrowserSession,
  token: string | undefined,
): void {
  checkSameOriginPost(request.headers, request.school.origin)
  checkFormToken(keyring.keys(PURPOSE), sessionOwner(session), token)
}

function formOf(
  keyring: Keyring,
  request: FastifyRequest,
  owners: readonly FormOwner[],
  origin: string = request.school.origin,
): URLSearchParams {
  const form = uncheckedForm(request, origin)
  checkFormToken(keyring.keys(PURPOSE), owners, form.get('form_token') ?? undefined)
  return form
}

function sessionOwner(session: BrowserSession | undefined): readonly FormOwner[] {
  return session === undefined ? [] : [{ kind: 'session', id: session.id }]
}

function anonymousOwner(
  request: FastifyRequest,
  origin: string = request.school.origin,
): readonly FormOwner[] {
  const id = findCookie(request.headers.cookie, anonymousCookieName(origin))
  return id === undefined ? [] : [{ kind: 'anonymous', id }]
}

const RETRY_AFTER_SECONDS = 5

export interface Busy {
  readonly kind: 'busy'
  readonly retryAfterSeconds: number
}

/**
 * For work that hashes a password: only some are hashed at once, and a line that is too long
 * refuses further ones.
 */
export async function catchBusy<T>(work: Promise<T>): Promise<T | Busy> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof LimiterFull)) throw error
    return { kind: 'busy', retryAfterSeconds: RETRY_AFTER_SECONDS }
  }
}
