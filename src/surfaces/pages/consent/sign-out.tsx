import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  checkSignOut,
  findSignOutTarget,
  openSignOut,
  type SignOutRequest,
  type SignOutTarget,
  sealSignOut,
} from '../../../domain/clients/sign-out-request.ts'
import { openPending } from '../../../domain/grants/pending-authorization.ts'
import { endSession } from '../../../domain/people/sessions.ts'
import { signsIdTokens } from '../../../domain/schools/signing.ts'
import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { errorPage } from '../../../foundation/html/error-page.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import { wantsHtml } from '../../../foundation/http/conditional.ts'
import { rawQuery } from '../../../foundation/http/request-body.ts'
import { defaultHttpLimits } from '../../../foundation/http/server.ts'
import { ENDPOINTS } from '../../../foundation/protocol/endpoints.ts'
import { OAuthError } from '../../../foundation/protocol/errors.ts'
import { type Parameters, parseParameters } from '../../../foundation/protocol/parameters.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { redirectTo, sendPage, uncheckedForm } from '../frame/page-request.ts'
import { forgetSession } from '../frame/session.ts'
import { type Visit, visitOf } from '../frame/visit.ts'

/** Here only a POST signs out: any site could load a GET address as an image. */
export function addSignOutRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/sign-out', async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    if (session === undefined) return visit.goTo('/')
    const page = signOutPage({
      school: brandingOf(request.school),
      person: { name: session.person.name, email: session.person.email },
      formToken: visit.formToken(),
    })
    return visit.page(page)
  })

  app.post('/sign-out', async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    // Signed out already, for example in another tab. The cookie stays: a forged post arrives
    // without cookies and must not make the browser delete its session cookie.
    if (session === undefined) return await leave(visit, uncheckedForm(request))
    const form = visit.form()
    await endSession(request.schoolDb, session.id)
    forgetSession(request, reply)
    return await leave(visit, form)
  })
}

/**
 * Redirects to the app that asked for it, to sign-in if an app waits for another account, or to the
 * home page.
 */
async function leave(visit: Visit, form: URLSearchParams): Promise<FastifyReply> {
  const { context, request, reply } = visit
  const sealedSignOut = form.get('logout') ?? undefined
  const asked = openSignOut(context.keyring, request.school.id, sealedSignOut)
  if (asked !== undefined) return await leaveSignedOut(request, reply, asked)
  const sealedRequest = form.get('request') ?? undefined
  const pending = openPending(context.keyring, request.school.id, sealedRequest)
  const next = pending === undefined ? '/' : `/sign-in?request=${sealedRequest}`
  return visit.goTo(next, 'authorization')
}

interface SignOutProps {
  school: Branding
  person: { name: string; email: string }
  formToken: string
  /** The app that sent the person here to sign out. */
  app?: { name: string | undefined; sealedRequest: string }
}

export function signOutPage({ school, person, formToken, app }: SignOutProps): string {
  return renderPage(
    <CardPage title="Sign out" heading="Sign out?" school={school}>
      {app?.name !== undefined && (
        <p>
          <Name text={app.name} fallback="An app" /> asks to sign you out of this school.
        </p>
      )}
      <p class="lead">
        This browser is signed in as <Name text={person.name} fallback={person.email} />.
      </p>
      <Form action="/sign-out" formToken={formToken} hidden={{ logout: app?.sealedRequest }}>
        <Button look="primary">Sign out</Button>
      </Form>
      {app !== undefined && (
        <p class="aside">
          <a href="/account">Stay signed in</a>
        </p>
      )}
      <p class="aside">
        Apps you connected stay connected. You can disconnect them under{' '}
        <a href="/account/apps">Connected apps</a>.
      </p>
    </CardPage>,
  )
}

export function signedOutPage(props: { school: Branding; target: SignOutTarget | undefined }) {
  const { school, target } = props
  return renderPage(
    <CardPage title="Signed out" heading="You are signed out" school={school}>
      <p class="lead">This browser is no longer signed in at this school.</p>
      {target?.url !== undefined && (
        <ButtonLink look="primary" href={target.url}>
          <span>
            Continue to <Name text={target.clientName} fallback="the app" />
          </span>
        </ButtonLink>
      )}
      <p class="aside">
        <a href="/sign-in">Sign in again</a>
      </p>
    </CardPage>,
  )
}

/**
 * Answers 404, where no ID tokens are signed: the address is right, but this origin does not serve
 * it.
 */
function noAppSignOutPage(place: { reference: string; school: Branding }) {
  return errorPage({
    ...place,
    title: 'Apps cannot sign you out here',
    what: 'This address signs people out for an app. It works only at schools that sign ID tokens, and this one does not. We changed nothing.',
    next: (
      <p>
        Sign out yourself <a href="/sign-out">on this page</a>.
      </p>
    ),
  })
}

/**
 * Answers 400. The person can still sign out, but is not sent to an address that is not registered.
 */
export function signOutRefusedPage(props: {
  reference: string
  school: Branding
  explanation: string
}) {
  return errorPage({
    title: 'The app could not sign you out',
    what: 'An app sent you here to sign out, but its request is not right. We changed nothing.',
    next: (
      <p>
        Sign out yourself <a href="/sign-out">on this page</a>. Only the developer of the app can
        fix its request: send them the details below.
      </p>
    ),
    reference: props.reference,
    school: props.school,
    developer: { explanation: props.explanation, parameters: {} },
  })
}

/**
 * Sign-out on request of a client, only where ID tokens are signed. Without the person's own ID
 * token it asks first: any site can send a browser here. Refusals are pages, never redirects.
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
        return await answer(await visitOf(context, request, reply), checked)
      }),
    )

    // A cross-site post carries no SameSite cookie, so the browser is sent on to a GET, which does.
    // The sealed request keeps the ID token out of its address.
    scope.post(ENDPOINTS.endSession, (request, reply) =>
      orRefuse(request, reply, async () => {
        const body = request.body instanceof URLSearchParams ? request.body : ''
        const checked = await check(request, parseParameters(body.toString()))
        const visit = await visitOf(context, request, reply)
        if (visit.isSignedIn()) return await answer(visit, checked)
        const sealed = sealSignOut(context.keyring, request.school.id, checked)
        const location = checkLength(`${ENDPOINTS.endSession}?logout=${sealed}`)
        return redirectTo(reply, request, 'authorization', location)
      }),
    )
  })
}

async function check(request: FastifyRequest, parameters: Parameters): Promise<SignOutRequest> {
  return await checkSignOut(request.schoolDb, request.school, {
    idTokenHint: parameters.get('id_token_hint'),
    clientId: parameters.get('client_id'),
    postLogoutRedirectUri: parameters.get('post_logout_redirect_uri'),
    state: parameters.get('state'),
  })
}

async function answer(visit: Visit, checked: SignOutRequest): Promise<FastifyReply> {
  const { request, reply, context, session } = visit
  const { clientId, userId } = checked
  // Without the ID token the client_id is only a claim.
  if (clientId !== undefined && userId !== undefined) request.outcome.clientId = clientId
  if (session === undefined) {
    return await leaveSignedOut(request, reply, checked, userId !== undefined)
  }
  if (session.person.id === userId) {
    await endSession(request.schoolDb, session.id)
    forgetSession(request, reply)
    return await leaveSignedOut(request, reply, checked)
  }
  const page = signOutPage({
    school: brandingOf(request.school),
    person: { name: session.person.name, email: session.person.email },
    formToken: visit.formToken(),
    app: {
      name: (await findSignOutTarget(request.schoolDb, checked))?.clientName,
      sealedRequest: sealSignOut(context.keyring, request.school.id, checked),
    },
  })
  return visit.page(page, 200, 'authorization')
}

/**
 * The person is signed out: back to the client if it registered where, else a page that says so.
 */
async function leaveSignedOut(
  request: FastifyRequest,
  reply: FastifyReply,
  checked: SignOutRequest,
  mayRedirect = true,
): Promise<FastifyReply> {
  const target = await findSignOutTarget(request.schoolDb, checked)
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
