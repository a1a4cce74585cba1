import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { countVisible, type VisibleCount } from '../../../domain/catalogue/scope-counts.ts'
import { type AppLinks, findAppLinks } from '../../../domain/clients/application-details.ts'
import type { Client, ClientKind } from '../../../domain/clients/client.ts'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import { type Audience, isChange } from '../../../domain/clients/scope-catalogue.ts'
import {
  type ConsentQuestion,
  consentVerdict,
  denyConsent,
  grantConsent,
  isSignInDue,
  isStrongerSignInDue,
  readConsentQuestion,
  refuseConsent,
  withNewSignIn,
} from '../../../domain/grants/decide-consent.ts'
import {
  openPending,
  type PendingAuthorization,
  sealPending,
} from '../../../domain/grants/pending-authorization.ts'
import { REFRESH_TOKEN_IDLE_DAYS } from '../../../domain/grants/token-pair.ts'
import { findMeans } from '../../../domain/people/factors/demand.ts'
import { describeDevice } from '../../../domain/people/known-device.ts'
import { schoolsOfPerson } from '../../../domain/people/membership.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import type { SchoolVariant } from '../../../domain/schools/school.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import {
  Address,
  Alert,
  AppTile,
  Button,
  Card,
  Facts,
  Form,
  Name,
  Tile,
} from '../../../foundation/html/components.tsx'
import { errorPage, expiredRequestPage } from '../../../foundation/html/error-page.tsx'
import { type Branding, Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { checkRate, createRateLimiter } from '../../../foundation/http/rate-limit.ts'
import { rawQuery } from '../../../foundation/http/request-body.ts'
import { defaultHttpLimits } from '../../../foundation/http/server.ts'
import { parseUrl } from '../../../foundation/net/parse-url.ts'
import { authorizationResponseUrl } from '../../../foundation/protocol/authorization-response.ts'
import { errorBody, OAuthError } from '../../../foundation/protocol/errors.ts'
import { isLoopback } from '../../../foundation/protocol/redirect-uri.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { findRequestingClient } from '../../../gate/requesting-client.ts'
import { sendPage, uncheckedForm } from '../frame/page-request.ts'
import { type Person, SignedInAs, type SwitchAccount } from '../frame/parts.tsx'
import { isRecent } from '../frame/recent-proof.ts'
import { ScopeList } from '../frame/scope-list.tsx'
import { type SignedInVisit, visitOf } from '../frame/visit.ts'
import { keepAfterSignIn } from '../sign-in/after-sign-in.ts'
import { CONFIRM_PATH } from '../sign-in/confirm.tsx'
import { SIGN_UP_PATH } from '../sign-in/sign-up-form.tsx'
import { factorDuePage, noRolePage, operatorOnlyPage } from './refusals.tsx'

/**
 * Each decision leaves rows. Far more than a person can press, for the test suites of developers.
 */
const DECISIONS_PER_MINUTE = 600

/** Every authorization asks for consent, even if the person gave it to this client before. */
export function addConsentRoutes(
  app: FastifyInstance,
  context: AppContext,
  metadataClients: MetadataClients,
): void {
  const read = async (request: FastifyRequest, pending: PendingAuthorization) => {
    const found = await findRequestingClient(metadataClients, request, pending.clientId)
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
    const visit = await visitOf(context, request, reply)
    if (!visit.isSignedIn() || isSignInDue(visit.session, pending)) {
      return visit.goTo(signInFor(sealedRequest), 'authorization')
    }
    if (await isStrongerSignInDue(request.schoolDb, visit.session, pending)) {
      const place = signInAgain(visit, pending)
      if (place !== undefined) return visit.goTo(place, 'authorization')
    }
    return await ask(visit, question, sealedRequest)
  })

  app.post('/consent', async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const form = visit.isSignedIn() ? visit.form() : uncheckedForm(request)
    const sealedRequest = form.get('request') ?? ''
    const pending = openPending(context.keyring, request.school.id, sealedRequest)
    if (pending === undefined) return expired(request, reply)
    if (!visit.isSignedIn()) return visit.goTo(signInFor(sealedRequest), 'authorization')
    const { session } = visit
    // Client, redirect URI, scopes and role may have changed since the page was shown: read them
    // again.
    const question = await read(request, pending)
    if (question === undefined) return changed(request, reply)
    if (isSignInDue(session, pending)) {
      return visit.goTo(signInFor(sealedRequest), 'authorization')
    }
    checkRate(decisions, session.person.id, reply)
    const decision = form.get('decision')
    const verdict = consentVerdict(session, question.client, request.school)
    if (decision === 'deny') {
      return visit.goTo(await deny(visit, question), 'authorization')
    }
    if (decision === 'allow' && verdict === 'allowed') {
      // A stolen session must not get tokens that do what it may not: roles, secrets and exports
      // ask for a proof.
      if (question.client.audience === 'operator' && !isRecent(session)) {
        const place = `${CONFIRM_PATH}?request=${sealedRequest}`
        return visit.goTo(place, 'authorization')
      }
      const location = await allow(visit, question, sealedRequest)
      if (location === undefined) return changed(request, reply)
      return visit.goTo(location, 'authorization')
    }
    if (decision === 'allow') {
      await refuseConsent(request.schoolDb, question, session, verdict, request.id)
    }
    return await ask(visit, question, sealedRequest, 400)
  })
}

/** Sign-in, which continues to the consent page. */
function signInFor(sealedRequest: string): string {
  return `/sign-in?request=${sealedRequest}`
}

/** Sign-in, although the person is signed in; undefined if the address would be too long for us. */
function signInAgain(visit: SignedInVisit, pending: PendingAuthorization): string | undefined {
  const { context, request, session } = visit
  const again = withNewSignIn(pending, session)
  const place = signInFor(sealPending(context.keyring, request.school.id, again))
  return place.length > defaultHttpLimits.urlLength ? undefined : place
}

/** Where the browser continues; undefined if client or person may no longer do this. */
async function allow(
  { context, request, session }: SignedInVisit,
  question: ConsentQuestion,
  sealedRequest: string,
): Promise<string | undefined> {
  const issued = await grantConsent(request.schoolDb, question, session, {
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
  { request, session }: SignedInVisit,
  question: ConsentQuestion,
): Promise<string> {
  await denyConsent(request.schoolDb, question, session, request.id)
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
  visit: SignedInVisit,
  question: ConsentQuestion,
  sealedRequest: string,
  status = 200,
): Promise<FastifyReply> {
  const { request, session } = visit
  const school = brandingOf(request.school)
  const formToken = visit.formToken()
  const { name, email, avatarUrl } = session.person
  const person = { name, email, avatarUrl: pictureUrl(avatarUrl, '') }
  const switchAccount = { action: '/sign-out', sealedRequest }
  const common = { school, formToken, person, switchAccount, action: '/consent', sealedRequest }
  const verdict = consentVerdict(session, question.client, request.school)
  if (verdict === 'no_role') {
    const schools = await schoolsOfPerson(acrossSchools(request.schoolDb), session.person.id)
    const places = schools.map(({ name, origin }) => ({ name, url: origin }))
    const back = { action: '/consent', sealedRequest }
    const joinUrl = request.school.signUp
      ? keepAfterSignIn(SIGN_UP_PATH, { sealedRequest })
      : undefined
    const reference = request.id
    const page = noRolePage({ ...common, back, joinUrl, schools: places, reference })
    return visit.page(page, 403, 'authorization')
  }
  if (verdict === 'not_operator') {
    const page = operatorOnlyPage({ ...common, clientName: question.client.name })
    return visit.page(page, 403, 'authorization')
  }
  if (verdict === 'factor_due') {
    const means = await findMeans(request.schoolDb, session.person.id)
    const clientName = question.client.name
    const signInUrl = signInAgain(visit, question.pending)
    const page = factorDuePage({ ...common, ...means, clientName, signInUrl })
    return visit.page(page, 403, 'authorization')
  }
  const { scopes } = question.pending
  const { variant } = request.school
  const page = consentPage({
    ...common,
    client: { ...askingClient(question), ...(await linksOf(request, question.client)) },
    audience: question.client.audience,
    variant,
    scopes,
    visible: await countVisible(request.schoolDb, session.person.id, scopes, variant),
    idleDays: REFRESH_TOKEN_IDLE_DAYS,
  })
  return visit.page(page, status, 'authorization')
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
    ? await findAppLinks(request.schoolDb, clientId)
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

interface AskingClient {
  name: string
  /**
   * Created in the admin area for members, a platform that the server knows, a metadata document,
   * or the school's tool.
   */
  kind: ClientKind
  /** The host of its metadata document. */
  host?: string | undefined
  redirectHost: string
  reviewed: boolean
  /** This request redirects to the person's own device, where any program may listen. */
  onOwnDevice: boolean
  websiteUrl?: string | undefined
  privacyUrl?: string | undefined
  logoUrl?: string | undefined
}

interface ConsentProps {
  school: Branding
  client: AskingClient
  person: Person
  audience: Audience
  variant: SchoolVariant
  scopes: readonly string[]
  visible: ReadonlyMap<string, readonly VisibleCount[]>
  /** Days without use after which the access ends by itself. */
  idleDays: number
  action: string
  formToken: string
  /** The pending authorization. */
  sealedRequest: string
  switchAccount: SwitchAccount
}

const nameless = 'An app without a name'

export function consentPage(props: ConsentProps): string {
  const { school, client, person, formToken } = props
  return renderPage(
    <Layout title={`${plainText(client.name, 50) || nameless} asks for access`} school={school}>
      <Card>
        <Logos client={client} school={school} />
        <Question {...props} />
        <SignedInAs person={person} formToken={formToken} switchAccount={props.switchAccount} />
        <Provenance client={client} school={school} />
        <ScopeList scopes={props.scopes} variant={props.variant} counts={props.visible} />
        <p class="terms">
          This lasts until you end it under <a href="/account/apps">Connected apps</a>, or until the
          app has not used it for {props.idleDays} days.
        </p>
        <Form
          class="decision"
          action={props.action}
          formToken={formToken}
          hidden={{ request: props.sealedRequest }}
        >
          <Button look="choice" name="decision" value="deny">
            Deny
          </Button>
          <Button look="choice" name="decision" value="allow">
            Allow
          </Button>
        </Form>
        {client.kind !== 'document' && (
          <p class="aside">
            Either way you go back to <Address text={client.redirectHost} />
          </p>
        )}
      </Card>
    </Layout>,
  )
}

function Logos({ client, school }: { client: AskingClient; school: Branding }) {
  return (
    <div class="logos" aria-hidden="true">
      <AppTile name={client.name} logoUrl={client.logoUrl} />
      <span class="logos-line" />
      {school.logoUrl === undefined ? (
        <Tile name={school.name} tone="brand" />
      ) : (
        <img class="logo" src={school.logoUrl} alt="" height={48} />
      )}
    </div>
  )
}

function Question({ client, school, audience, scopes }: ConsentProps) {
  const asking = <Name text={client.name} fallback={nameless} />
  const place = <Name text={school.name} fallback="this school" />
  if (audience === 'member') {
    return (
      <h1 class="question">
        {asking} wants to use your account at {place}
      </h1>
    )
  }
  return scopes.some(isChange) ? (
    <h1 class="question">
      {asking} wants to manage {place} on your behalf
    </h1>
  ) : (
    <h1 class="question">
      {asking} wants to see data of {place}
    </h1>
  )
}

function Provenance({ client, school }: { client: AskingClient; school: Branding }) {
  const place = <Name text={school.name} fallback="this school" />
  const document = client.kind === 'document' && (
    <Facts
      look="definitions"
      rows={[
        ['Published at', <Address text={client.host ?? 'unknown'} />],
        ['Sends you back to', <Address text={client.redirectHost} />],
        ...(client.reviewed ? [['Reviewed by', place] as const] : []),
        ...linkRows(client),
      ]}
    />
  )
  const loopback = client.onOwnDevice && (
    <p>
      It runs on your own device, where another program could pretend to be this app. If you did not
      just start it yourself, choose Deny.
    </p>
  )
  if (document && !client.reviewed) {
    return (
      <Alert
        tone="warning"
        title={
          <>
            Not reviewed by <Name text={school.name} fallback="this school" />
          </>
        }
      >
        <p>The app chose its own name. Check its addresses instead:</p>
        {document}
        {loopback}
      </Alert>
    )
  }
  return (
    <>
      {document}
      {client.kind !== 'document' && (
        <Facts look="definitions" rows={[answersFor(client, place), ...linkRows(client)]} />
      )}
      {loopback && (
        <Alert tone="warning" title="Did you just start this app?">
          {loopback}
        </Alert>
      )}
    </>
  )
}

type Row = readonly [string, ComponentChildren]

/** Who answers for an app that has no document of its own. */
function answersFor(client: AskingClient, place: ComponentChildren): Row {
  if (client.kind === 'tool') return ['Made by', place]
  if (client.kind === 'vendor') return ['Known to', 'the administrator of this server']
  return ['Added by', place]
}

function linkRows({ websiteUrl, privacyUrl }: AskingClient): Row[] {
  const links = [
    ['Website', websiteUrl],
    ['Privacy', privacyUrl],
  ] as const
  return links.flatMap(([label, url]) => {
    const host = url === undefined ? undefined : parseUrl(url)?.host
    if (host === undefined) return []
    const link = (
      <a href={url} rel="noreferrer noopener">
        <Address text={host} />
      </a>
    )
    return [[label, link] as const]
  })
}
