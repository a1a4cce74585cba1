import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  checkSignOut,
  findSignOutTarget,
  openSignOut,
  type SignOutRequest,
  sealSignOut,
} from '../../domain/clients/sign-out-request.ts'
import { type BrowserSession, endSession } from '../../domain/people/sessions.ts'
import { signsIdTokens } from '../../domain/schools/signing.ts'
import { wantsHtml } from '../../foundation/http/conditional.ts'
import { rawQuery } from '../../foundation/http/request-body.ts'
import { defaultHttpLimits } from '../../foundation/http/server.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { type Parameters, parseParameters } from '../../foundation/protocol/parameters.ts'
import { brandingOf } from '../../gate/branding.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { forgetSession } from './browser-session.ts'
import { formTokenFor, redirectTo, sendPage } from './page-request.ts'
import {
  noAppSignOutPage,
  signedOutPage,
  signOutPage,
  signOutRefusedPage,
} from './views/sign-out.tsx'

/**
 * Sign-out on request of a client, only where ID tokens are signed. Without the person's own ID token
 * it asks first: any site can send a browser here. Refusals are pages, never redirects.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export function addEndSessionRoutes(app: FastifyInstance, context: AppContext): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      if (signsIdTokens(request.school)) return
      if (!wantsHtml(request.headers.accept)) return reply.callNotFound()
      const place = { reference: request.id, school: brandingOf(request.school) }
      return sendPage(reply, request, 'authorization', noAppSignOutPage(place), 404)
    })

    // No HEAD: it would sign out too.
    scope.get(ENDPOINTS.endSession, { exposeHeadRoute: false }, (request, reply) =>
      orRefuse(request, reply, async () => {
        const query = parseParameters(rawQuery(request.raw.url ?? ''))
        const asked = openSignOut(context.keyring, request.school.id, query.get('logout'))
        const checked = asked ?? (await check(request, query))
        const session = await findBrowserSession(request)
        return await answer(context, request, reply, checked, session)
      }),
    )

    // A cross-site post carries no SameSite cookie, so the browser is sent on to a GET, which does. The
    // sealed request keeps the ID token out of its address.
    scope.post(ENDPOINTS.endSession, (request, reply) =>
      orRefuse(request, reply, async () => {
        const body = request.body instanceof URLSearchParams ? request.body : ''
        const checked = await check(request, parseParameters(body.toString()))
        const session = await findBrowserSession(request)
        if (session !== undefined) return await answer(context, request, reply, checked, session)
        const sealed = sealSignOut(context.keyring, request.school.id, checked)
        const location = checkLength(`${ENDPOINTS.endSession}?logout=${sealed}`)
        return redirectTo(reply, request, 'authorization', location)
      }),
    )
  })
}

async function check(request: FastifyRequest, parameters: Parameters): Promise<SignOutRequest> {
  return await checkSignOut(request.at, request.school, {
    idTokenHint: parameters.get('id_token_hint'),
    clientId: parameters.get('client_id'),
    postLogoutRedirectUri: parameters.get('post_logout_redirect_uri'),
    state: parameters.get('state'),
  })
}

async function answer(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  checked: SignOutRequest,
  session: BrowserSession | undefined,
): Promise<FastifyReply> {
  const { clientId, userId } = checked
  // Without the ID token the client_id is only a claim.
  if (clientId !== undefined && userId !== undefined) request.outcome.clientId = clientId
  if (session === undefined) {
    return await leaveSignedOut(request, reply, checked, userId !== undefined)
  }
  if (session.person.id === userId) {
    await endSession(request.at, session.id)
    forgetSession(request, reply)
    return await leaveSignedOut(request, reply, checked)
  }
  const page = signOutPage({
    school: brandingOf(request.school),
    person: { name: session.person.name, email: session.person.email },
    formToken: formTokenFor(context.keyring, request, reply, session),
    app: {
      name: (await findSignOutTarget(request.at, checked))?.clientName,
      sealedRequest: sealSignOut(context.keyring, request.school.id, checked),
    },
  })
  return sendPage(reply, request, 'authorization', page)
}

/** The person is signed out: back to the client if it registered where, else a page that says so. */
export async function leaveSignedOut(
  request: FastifyRequest,
  reply: FastifyReply,
  checked: SignOutRequest,
  mayRedirect = true,
): Promise<FastifyReply> {
  const target = await findSignOutTarget(request.at, checked)
  if (target?.url !== undefined && mayRedirect) {
    return redirectTo(reply, request, 'authorization', target.url)
  }
  const page = signedOutPage({ school: brandingOf(request.school), target })
  return sendPage(reply, request, 'authorization', page)
}

async function orRefuse(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    request.outcome.result = error.code
    const place = { reference: request.id, school: brandingOf(request.school) }
    const page = signOutRefusedPage({ ...place, explanation: error.description })
    return sendPage(reply, request, 'authorization', page, error.status)
  }
}

function checkLength(location: string): string {
  if (location.length <= defaultHttpLimits.urlLength) return location
  throw new OAuthError('invalid_request', 'The request is too long: shorten state.', {
    status: 414,
  })
}
