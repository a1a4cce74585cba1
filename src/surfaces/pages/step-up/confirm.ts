import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isKeyAlone, isMultiFactor } from '../../../domain/people/authentication-context.ts'
import {
  type Confirmation,
  confirmByCode,
  confirmByPassword,
} from '../../../domain/people/confirm-person.ts'
import { secondFactorSince } from '../../../domain/people/factors/authenticators.ts'
import { findFactorPlaces, findMeans, type Means } from '../../../domain/people/factors/demand.ts'
import { knownByCode } from '../../../domain/people/known-device.ts'
import { askForProof as askDevice } from '../../../domain/people/passkeys/prove-passkey.ts'
import { relyingPartyOf } from '../../../domain/people/passkeys/verify.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import { type BrowserSession, isProvedByFactor } from '../../../domain/people/sessions.ts'
import type { Requester } from '../../../domain/people/sign-in-counters.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import type { PageKind } from '../../../foundation/http/security-headers.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { keepAfterSignIn, placeAfterSignIn, readAfterSignIn } from '../after-sign-in.ts'
import { actAs, keepSession, loadBrowserSession, SignInNeeded } from '../browser-session.ts'
import { goOn } from '../kept-forms/go-on.ts'
import { withKeptForm } from '../kept-forms/with-kept-form.ts'
import { requesterOf } from '../known-browser.ts'
import {
  checkedForm,
  formTokenFor,
  redirectTo,
  sendPage,
  sendScriptedPage,
  uncheckedForm,
} from '../page-request.ts'
import { challengeFormOf } from '../passkey-form.ts'
import { startOfSection } from '../section.ts'
import { queryOf } from '../site-frame.ts'
import { type Asked, CONFIRM_PATH, type ConfirmProblem, confirmPage } from '../views/confirm.tsx'
import { ELSEWHERE_PATH } from '../views/factor-elsewhere.tsx'
import type { Interrupted } from '../views/interrupted.tsx'
import { PASSKEY_SCRIPT } from '../views/passkey-parts.tsx'
import { isRecent, type ProofNeeded } from './recent-proof.ts'

/** Sends a person to the page that asks for a proof. */
export function askForProof(
  request: FastifyRequest,
  reply: FastifyReply,
  { returnTo, byFactor }: ProofNeeded,
): FastifyReply {
  const path = byFactor ? `${CONFIRM_PATH}?by_factor=yes` : CONFIRM_PATH
  return redirectTo(reply, request, 'site', keepAfterSignIn(path, { returnTo }))
}

/** The page where a signed-in person proves again who they are. */
export function addConfirmRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(CONFIRM_PATH, async (request, reply) => {
    const query = queryOf(request)
    const place = placeIn(context, request, query)
    const byFactor = isByFactor(query)
    const session = await loadBrowserSession(request, placeAfterSignIn(place, []))
    // The person confirmed in another tab, or came back with the browser's Back button.
    if (isRecent(session) && (!byFactor || isProvedByFactor(session))) {
      return redirectTo(reply, request, kindOf(place), placeAfterSignIn(place, []))
    }
    return await showConfirm(context, request, reply, { session, ...place, byFactor })
  })

  app.post(CONFIRM_PATH, withKeptForm(context), async (request, reply) => {
    const sent = await enterConfirm(context, request)
    const { session, form } = sent
    const again = (problem: ConfirmProblem, status: number) =>
      showConfirm(context, request, reply, { ...sent, problem }, status)
    const asked = askedOf(await findMeans(request.at, session.person.id), sent.byFactor)
    if (asked === 'passkey') return again({ kind: 'passkey_missing' }, 400)
    const typed = form.get(asked) ?? ''
    if (typed.trim() === '') return again({ kind: 'missing' }, 400)
    const outcome = await confirmBy(context, request, session, asked, typed)
    switch (outcome.kind) {
      case 'confirmed':
        // About a recovery code.
        request.queuedMail = asked === 'code'
        return goOnConfirmed(context, request, reply, sent, outcome.cookie)
      case 'throttled':
      case 'busy':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return again(outcome, outcome.kind === 'busy' ? 503 : 429)
      case 'refused':
        return again({ kind: 'mismatch' }, 401)
    }
  })
}

/**
 * A person with a second factor gives a code: the password alone signs in nowhere. One with a passkey is asked for it
 * before they get another way to sign in, and if they have no password.
 */
function askedOf(means: Means, byFactor: boolean): Asked {
  if (means.hasSecondFactor) return 'code'
  return means.hasPasskey && (byFactor || !means.hasPassword) ? 'passkey' : 'password'
}

async function confirmBy(
  context: AppContext,
  request: FastifyRequest,
  session: BrowserSession,
  asked: 'code' | 'password',
  typed: string,
): Promise<Confirmation> {
  const { at, id: requestId } = request
  const { keyring } = context
  if (asked === 'code') {
    const requester = await codeRequester(context, request, session)
    return await confirmByCode(at, keyring, { session, typed, ...requester, requestId })
  }
  const address = clientAddress(request)
  const throttleKey = keyring.key('sign-in-throttle')
  const given = { session, password: typed, address }
  return await confirmByPassword(acrossSchools(at), at, throttleKey, given)
}

/**
 * Strangers at the sign-in page do not lock a session that a code or a passkey began: it has a counter of its own. One
 * that a trusted browser began without a code has that of the browser: a thief of its cookie would otherwise begin
 * session after session, each with tries of its own.
 */
async function codeRequester(
  context: AppContext,
  request: FastifyRequest,
  { id, methods, person }: BrowserSession,
): Promise<Requester> {
  if (isMultiFactor(methods)) return { address: clientAddress(request), device: id }
  const since = await secondFactorSince(acrossSchools(request.at), person.id)
  return requesterOf(context, request, person.email, knownByCode(since))
}

interface SentForm extends Place {
  readonly session: BrowserSession
  readonly form: URLSearchParams
  readonly byFactor: boolean
  readonly keptForm: string | undefined
}

/** The form of the confirmation, sent by the person that it asked. */
export async function enterConfirm(
  context: AppContext,
  request: FastifyRequest,
): Promise<SentForm> {
  const session = await findBrowserSession(request)
  if (session === undefined) {
    const place = placeIn(context, request, uncheckedForm(request))
    throw new SignInNeeded(placeAfterSignIn(place, []))
  }
  const form = checkedForm(context.keyring, request, session)
  const place = placeIn(context, request, form)
  // A session that ended meanwhile uses up no recovery code.
  actAs(request, session, placeAfterSignIn(place, []))
  return {
    session,
    form,
    ...place,
    byFactor: isByFactor(form),
    keptForm: form.get('kept_form') ?? undefined,
  }
}

/** Back to what had to be confirmed, with the new cookie of the session. */
export function goOnConfirmed(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, returnTo, sealedRequest, keptForm }: SentForm,
  cookie: string,
): FastifyReply {
  keepSession(request, reply, cookie)
  return goOn(context, request, reply, session, { returnTo, sealedRequest, keptForm })
}

/** Where the person continues. */
interface Place {
  readonly returnTo: string
  /** The app that waits on the consent page. It is sealed, and may be longer than an address of ours. */
  readonly sealedRequest?: string | undefined
}

/** Checked again in each form: the value comes from the browser, and before that from whichever link was opened. */
function placeIn(
  { keyring }: AppContext,
  { school }: FastifyRequest,
  fields: URLSearchParams,
): Place {
  const { returnTo = '/account', sealedRequest } = readAfterSignIn(keyring, school.id, fields)
  return { returnTo, sealedRequest }
}

/** Between a client and its callback the headers of other pages do harm. */
const kindOf = ({ sealedRequest }: Place): PageKind =>
  sealedRequest === undefined ? 'site' : 'authorization'

/** Only words depend on it: the page that is returned to checks the proof itself. */
const isByFactor = (fields: URLSearchParams): boolean => fields.get('by_factor') === 'yes'

interface Shown extends Place {
  readonly session: BrowserSession
  readonly byFactor: boolean
  /** The sealed form that has to be confirmed. */
  readonly keptForm?: string | undefined
  readonly interrupted?: Interrupted | undefined
  readonly problem?: ConfirmProblem
}

export async function showConfirm(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, byFactor, keptForm, interrupted, problem, ...place }: Shown,
  status = 200,
): Promise<FastifyReply> {
  const { person } = session
  const formToken = formTokenFor(context.keyring, request, reply, session)
  const means = await findMeans(request.at, person.id)
  const passkey = means.hasPasskey
    ? askDevice(
        challengeFormOf(context, request, formToken),
        relyingPartyOf(request.school.origin, context.passkeys),
      )
    : undefined
  const places = byFactor ? await findFactorPlaces(request.at, session) : undefined
  const hasElsewhere = places !== undefined && places.elsewhere.length > 0
  const page = confirmPage({
    elsewhereUrl: hasElsewhere ? keepAfterSignIn(ELSEWHERE_PATH, place) : undefined,
    school: brandingOf(request.school),
    asked: askedOf(means, byFactor),
    deviceAlone: isKeyAlone(session.methods),
    ...{ formToken, passkey, byFactor },
    person: { ...person, avatarUrl: pictureUrl(person.avatarUrl, '') },
    ...place,
    cancelUrl:
      place.sealedRequest === undefined
        ? startOfSection(place.returnTo).url
        : placeAfterSignIn(place, []),
    forgotPasswordUrl:
      context.mailer === undefined ? undefined : keepAfterSignIn('/forgotten-password', place),
    ...{ keptForm, interrupted, problem },
  })
  const kind = kindOf(place)
  if (passkey === undefined) return sendPage(reply, request, kind, page, status)
  return sendScriptedPage(reply, request, kind, PASSKEY_SCRIPT, page, status)
}
