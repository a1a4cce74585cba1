import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { countBehind } from '../../domain/catalogue/scope-counts.ts'
import { type AppLinks, findAppLinks } from '../../domain/clients/application-details.ts'
import type { Client } from '../../domain/clients/client.ts'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import {
  type ConsentQuestion,
  denyConsent,
  grantConsent,
  isSignInDue,
  isStrongerSignInDue,
  readConsentQuestion,
  refuseConsent,
  standingOf,
  withNewSignIn,
} from '../../domain/grants/decide-consent.ts'
import {
  openPending,
  type PendingAuthorization,
  sealPending,
} from '../../domain/grants/pending-authorization.ts'
import { REFRESH_TOKEN_IDLE_DAYS } from '../../domain/grants/token-pair.ts'
import { findMeans } from '../../domain/people/factors/demand.ts'
import { describeDevice } from '../../domain/people/known-device.ts'
import { schoolsOfPerson } from '../../domain/people/membership.ts'
import { pictureUrl } from '../../domain/people/person.ts'
import type { BrowserSession } from '../../domain/people/sessions.ts'
import { acrossSchools } from '../../foundation/db/school-db.ts'
import { errorPage, expiredRequestPage } from '../../foundation/html/error-page.tsx'
import { checkRate, createRateLimiter } from '../../foundation/http/rate-limit.ts'
import { rawQuery } from '../../foundation/http/request-body.ts'
import { defaultHttpLimits } from '../../foundation/http/server.ts'
import { authorizationResponseUrl } from '../../foundation/protocol/authorization-response.ts'
import { errorBody, OAuthError } from '../../foundation/protocol/errors.ts'
import { isLoopback } from '../../foundation/protocol/redirect-uri.ts'
import { brandingOf } from '../../gate/branding.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { findRequestingClient } from '../../gate/requesting-client.ts'
import { keepAfterSignIn } from './after-sign-in.ts'
import { checkedForm, formTokenFor, redirectTo, sendPage, uncheckedForm } from './page-request.ts'
import { SIGN_UP_PATH } from './sign-up/sign-up-form.ts'
import { isRecent } from './step-up/recent-proof.ts'
import { CONFIRM_PATH } from './views/confirm.tsx'
import { type AskingClient, consentPage } from './views/consent.tsx'
import { factorDuePage, noRolePage, operatorOnlyPage } from './views/refusals.tsx'

/** Each decision leaves rows. Far more than a person can press, for the test suites of developers. */
const DECISIONS_PER_MINUTE = 600

/** Every authorization asks for consent, even if the person gave it to this client before. */
export function addConsentRoutes(
  app: FastifyInstance,
  context: AppContext,
  documents: MetadataClients,
): void {
  const read = async (request: FastifyRequest, pending: PendingAuthorization) => {
    const found = await findRequestingClient(documents, request, pending.clientId)
    return readConsentQuestion(found, pending)
  }

  const decisions = createRateLimiter({
    name: 'consent',
    quota: DECISIONS_PER_MINUTE,
    windowSeconds: 60,
  })

  app.get('/consent', async (request, reply) => {
    const sealedRequest = new URLSearchParams(rawQuery(request.raw.url ?? '')).get('request') ?? ''
    const pending = openPending(context.keyring, request.school.id, sealedRequest)
    if (pending === undefined) return expired(request, reply)
    const question = await read(request, pending)
    if (question === undefined) return changed(request, reply)
    const session = await findBrowserSession(request)
    if (session === undefined || isSignInDue(session, pending)) {
      return redirectTo(reply, request, 'authorization', signInFor(sealedRequest))
    }
    if (await isStrongerSignInDue(request.at, session, pending)) {
      const place = signInAgain(context, request, session, pending)
      if (place !== undefined) return redirectTo(reply, request, 'authorization', place)
    }
    return await ask(context, request, reply, session, question, sealedRequest)
  })

  app.post('/consent', async (request, reply) => {
    const session = await findBrowserSession(request)
    const form =
      session === undefined
        ? uncheckedForm(request)
        : checkedForm(context.keyring, request, session)
    const sealedRequest = form.get('request') ?? ''
    const pending = openPending(context.keyring, request.school.id, sealedRequest)
    if (pending === undefined) return expired(request, reply)
    if (session === undefined)
      return redirectTo(reply, request, 'authorization', signInFor(sealedRequest))
    // Client, redirect URI, scopes and role may have changed since the page was shown: read them again.
    const question = await read(request, pending)
    if (question === undefined) return changed(request, reply)
    if (isSignInDue(session, pending)) {
      return redirectTo(reply, request, 'authorization', signInFor(sealedRequest))
    }
    checkRate(decisions, session.person.id, reply)
    const decision = form.get('decision')
    const standing = standingOf(session, question.client, request.school)
    if (decision === 'deny') {
      return redirectTo(reply, request, 'authorization', await deny(request, question, session))
    }
    if (decision === 'allow' && standing === 'allowed') {
      // A stolen session must not get tokens that do what it may not: roles, secrets and exports ask for a proof.
      if (question.client.audience === 'operator' && !isRecent(session)) {
        const place = `${CONFIRM_PATH}?request=${sealedRequest}`
        return redirectTo(reply, request, 'authorization', place)
      }
      const location = await allow(context, request, question, session, sealedRequest)
      if (location === undefined) return changed(request, reply)
      return redirectTo(reply, request, 'authorization', location)
    }
    if (decision === 'allow') {
      await refuseConsent(request.at, question, session, standing, request.id)
    }
    return await ask(context, request, reply, session, question, sealedRequest, 400)
  })
}

/** Sign-in, which continues to the consent page. */
function signInFor(sealedRequest: string): string {
  return `/sign-in?request=${sealedRequest}`
}

/** Sign-in, although the person is signed in; undefined if the address would be too long for us. */
function signInAgain(
  { keyring }: AppContext,
  { school }: FastifyRequest,
  session: BrowserSession,
  pending: PendingAuthorization,
): string | undefined {
  const place = signInFor(sealPending(keyring, school.id, withNewSignIn(pending, session)))
  return place.length > defaultHttpLimits.urlLength ? undefined : place
}

/** Where the browser continues; undefined if client or person may no longer do this. */
async function allow(
  context: AppContext,
  request: FastifyRequest,
  question: ConsentQuestion,
  session: BrowserSession,
  sealedRequest: string,
): Promise<string | undefined> {
  const issued = await grantConsent(request.at, question, session, {
    device: describeDevice(request.headers['user-agent']),
    isTold: context.mailer !== undefined,
    requestId: request.id,
  })
  if (issued.kind === 'signed_out') return signInFor(sealedRequest)
  if (issued.kind === 'changed') return undefined
  request.queuedMail = issued.isFirst
  const { state } = question.pending
  return authorizationResponseUrl(question.redirectUri, {
    code: issued.code,
    state,
    iss: request.school.origin,
  })
}

/** @see RFC 6749 §4.1.2.1 */
async function deny(
  request: FastifyRequest,
  question: ConsentQuestion,
  session: BrowserSession,
): Promise<string> {
  await denyConsent(request.at, question, session, request.id)
  request.outcome.result = 'access_denied'
  const refusal = new OAuthError('access_denied', 'The person did not allow this.')
  const { state } = question.pending
  return authorizationResponseUrl(question.redirectUri, {
    ...errorBody(refusal, request.school.origin),
    state,
    iss: request.school.origin,
  })
}

async function ask(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  question: ConsentQuestion,
  sealedRequest: string,
  status = 200,
): Promise<FastifyReply> {
  const school = brandingOf(request.school)
  const formToken = formTokenFor(context.keyring, request, reply, session)
  const { name, email, avatarUrl } = session.person
  const person = { name, email, avatarUrl: pictureUrl(avatarUrl, '') }
  const switchAccount = { action: '/sign-out', sealedRequest }
  const common = { school, formToken, person, switchAccount, action: '/consent', sealedRequest }
  const standing = standingOf(session, question.client, request.school)
  if (standing === 'no_role') {
    const schools = await schoolsOfPerson(acrossSchools(request.at), session.person.id)
    const places = schools.map(({ name, origin }) => ({ name, url: origin }))
    const back = { action: '/consent', sealedRequest }
    const joinUrl = request.school.signUp
      ? keepAfterSignIn(SIGN_UP_PATH, { sealedRequest })
      : undefined
    const reference = request.id
    const page = noRolePage({ ...common, back, joinUrl, schools: places, reference })
    return sendPage(reply, request, 'authorization', page, 403)
  }
  if (standing === 'not_operator') {
    const page = operatorOnlyPage({ ...common, clientName: question.client.name })
    return sendPage(reply, request, 'authorization', page, 403)
  }
  if (standing === 'factor_due') {
    const means = await findMeans(request.at, session.person.id)
    const clientName = question.client.name
    const signInUrl = signInAgain(context, request, session, question.pending)
    const page = factorDuePage({ ...common, ...means, clientName, signInUrl })
    return sendPage(reply, request, 'authorization', page, 403)
  }
  const { scopes } = question.pending
  const { variant } = request.school
  const page = consentPage({
    ...common,
    client: { ...askingClient(question), ...(await linksOf(request, question.client)) },
    audience: question.client.audience,
    variant,
    scopes,
    behind: await countBehind(request.at, session.person.id, scopes, variant),
    idleDays: REFRESH_TOKEN_IDLE_DAYS,
  })
  return sendPage(reply, request, 'authorization', page, status)
}

function askingClient({ client, redirectUri }: ConsentQuestion): AskingClient {
  return {
    name: client.name,
    kind: client.kind,
    host: client.kind === 'document' ? new URL(client.clientId).host : undefined,
    redirectHost: new URL(redirectUri).host || new URL(redirectUri).protocol,
    reviewed: client.reviewed,
    onOwnDevice: isLoopback(redirectUri),
  }
}

/** What the school says about its own application; a document speaks for itself. */
async function linksOf(
  request: FastifyRequest,
  { kind, clientId, websiteUrl, privacyUrl }: Client,
): Promise<Partial<AppLinks>> {
  return kind === 'application'
    ? await findAppLinks(request.at, clientId)
    : { websiteUrl, privacyUrl }
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = expiredRequestPage({ reference: request.id, school: brandingOf(request.school) })
  return sendPage(reply, request, 'authorization', page, 400)
}

/** The client, or what the person may allow, changed while they were on the consent page. */
function changed(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = errorPage({
    title: 'This app has changed',
    what: 'While you were here the app or your role at the school changed, or the app’s details could not be read again. The app got no access.',
    next: 'Go back to the app and connect it again. If that fails too, ask the school about it.',
    reference: request.id,
    school: brandingOf(request.school),
  })
  return sendPage(reply, request, 'authorization', page, 400)
}
