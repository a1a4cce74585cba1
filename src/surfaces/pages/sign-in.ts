import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findAuthorizingClient } from '../../domain/clients/authorizing-client.ts'
import type { DocumentClients } from '../../domain/clients/document-clients.ts'
import {
  openPending,
  type PendingAuthorization,
} from '../../domain/grants/pending-authorization.ts'
import { describeDevice } from '../../domain/people/device.ts'
import { endSession, startSession } from '../../domain/people/sessions.ts'
import { signIn } from '../../domain/people/sign-in.ts'
import { expiredRequestPage } from '../../foundation/html/error-pages.tsx'
import { addressBucket, clientAddress } from '../../foundation/http/client-address.ts'
import {
  serializeCookie,
  serializeExpiredCookie,
  sessionCookieName,
} from '../../foundation/http/cookies.ts'
import { rawQuery } from '../../foundation/http/raw-url.ts'
import { brandingOf } from '../../gate/branding.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { checkedForm, formTokenFor, sendOn, sendPage } from './page-request.ts'
import { type SignInProblem, signInPage } from './views/sign-in.tsx'

const SESSION_COOKIE_SECONDS = 90 * 24 * 60 * 60

export function addSignInRoutes(
  app: FastifyInstance,
  context: AppContext,
  documents: DocumentClients,
): void {
  app.get('/sign-in', async (request, reply) => {
    const sealed = new URLSearchParams(rawQuery(request.raw.url ?? '')).get('request') ?? undefined
    const pending = openPending(context.keyring, request.school.id, sealed)
    if (sealed !== undefined && pending === undefined) return expired(request, reply)
    return await showSignIn(context, documents, request, reply, { sealed, pending })
  })

  app.post('/sign-in', async (request, reply) => {
    const session = await findBrowserSession(request)
    const form = checkedForm(context.keyring, request, session)
    const sealed = form.get('continue') ?? undefined
    const pending = openPending(context.keyring, request.school.id, sealed)
    if (sealed !== undefined && pending === undefined) return expired(request, reply)
    const email = form.get('email') ?? ''
    const password = form.get('password') ?? ''
    const again = (problem: SignInProblem, status: number) =>
      showSignIn(context, documents, request, reply, { sealed, pending, email, problem }, status)
    if (email === '' || password === '') {
      return await again({ kind: 'missing', email: email === '', password: password === '' }, 400)
    }
    const outcome = await signIn(context.db, context.keyring.key('sign-in-throttle'), {
      email,
      password,
      address: addressBucket(clientAddress(request)),
    })
    if (outcome.kind === 'throttled' || outcome.kind === 'busy') {
      reply.header('retry-after', outcome.retryAfterSeconds)
      return await again(outcome, outcome.kind === 'busy' ? 503 : 429)
    }
    if (outcome.kind === 'refused') return await again({ kind: 'mismatch' }, 401)
    // A new session at every sign-in: one planted before it is worth nothing after.
    if (session !== undefined) await endSession(request.at, session.id)
    const device = describeDevice(request.headers['user-agent'])
    const { cookie } = await startSession(request.at, outcome.person, device)
    reply.header('set-cookie', sessionCookie(request, cookie))
    request.outcome.personId = outcome.person.id
    const next = sealed === undefined ? '/account/apps' : `/consent?request=${sealed}`
    return sendOn(reply, request, 'authorization', next)
  })

  app.post('/sign-out', async (request, reply) => {
    const session = await findBrowserSession(request)
    const form = checkedForm(context.keyring, request, session)
    if (session !== undefined) await endSession(request.at, session.id)
    const { origin } = request.school
    reply.header('set-cookie', serializeExpiredCookie(origin, sessionCookieName(origin)))
    const sealed = form.get('request') ?? undefined
    const pending = openPending(context.keyring, request.school.id, sealed)
    const next = pending === undefined ? '/' : `/sign-in?request=${sealed}`
    return sendOn(reply, request, 'authorization', next)
  })
}

function sessionCookie(request: FastifyRequest, value: string): string {
  const { origin } = request.school
  return serializeCookie(origin, sessionCookieName(origin), value, SESSION_COOKIE_SECONDS)
}

interface SignInState {
  readonly sealed: string | undefined
  readonly pending: PendingAuthorization | undefined
  readonly email?: string
  readonly problem?: SignInProblem
}

async function showSignIn(
  context: AppContext,
  documents: DocumentClients,
  request: FastifyRequest,
  reply: FastifyReply,
  state: SignInState,
  status = 200,
): Promise<FastifyReply> {
  const session = await findBrowserSession(request)
  const page = signInPage({
    school: brandingOf(request.school),
    action: '/sign-in',
    formToken: formTokenFor(context.keyring, request, reply, session),
    continueToken: state.sealed,
    email: state.email ?? state.pending?.loginHint,
    problem: state.problem,
    client: await clientAsking(context, documents, request, state.pending),
  })
  return sendPage(reply, request, 'authorization', page, status)
}

async function clientAsking(
  context: AppContext,
  documents: DocumentClients,
  request: FastifyRequest,
  pending: PendingAuthorization | undefined,
) {
  if (pending === undefined) return undefined
  const found = await findAuthorizingClient(
    context.db,
    request.at,
    request.school,
    documents,
    pending.clientId,
    clientAddress(request),
  )
  if (found.kind !== 'known') return undefined
  const { name, kind, clientId } = found.client
  return kind === 'document' ? { name, host: new URL(clientId).host } : { name }
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = expiredRequestPage({ reference: request.id, school: brandingOf(request.school) })
  return sendPage(reply, request, 'authorization', page, 400)
}
