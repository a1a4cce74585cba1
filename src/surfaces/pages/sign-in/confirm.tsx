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
import type { PasskeyQuestion } from '../../../domain/people/passkeys/add-passkey.ts'
import { askForProof as askDevice } from '../../../domain/people/passkeys/prove-passkey.ts'
import { relyingPartyOf } from '../../../domain/people/passkeys/verify.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import { isProvedByFactor } from '../../../domain/people/sessions.ts'
import type { Requester } from '../../../domain/people/sign-in-counters.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import {
  Alert,
  Avatar,
  Button,
  Card,
  Email,
  Form,
  Name,
} from '../../../foundation/html/components.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { type Branding, Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import type { PageKind } from '../../../foundation/http/security-headers.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf, startOfSection } from '../frame/layout.tsx'
import { redirectTo, uncheckedForm } from '../frame/page-request.ts'
import { type Interrupted, InterruptedAlert, type Person, TooMany } from '../frame/parts.tsx'
import {
  challengeFormOf,
  PASSKEY_SCRIPT,
  PasskeyButton,
  PasskeyUnable,
  passkeyFields,
} from '../frame/passkey-parts.tsx'
import { AccountOfPassword } from '../frame/password-fields.tsx'
import { isRecent, type ProofNeeded } from '../frame/recent-proof.ts'
import { actAs, keepSession, requesterOf, SignInNeeded } from '../frame/session.ts'
import { type SignedInVisit, signedInVisit, visitOf } from '../frame/visit.ts'
import { keepAfterSignIn, placeAfterSignIn, readAfterSignIn } from './after-sign-in.ts'
import { ELSEWHERE_PATH } from './factor-elsewhere.tsx'
import { goOn } from './go-on.tsx'
import { withKeptForm } from './kept-form.ts'
import { LOST_FACTOR_PATH } from './lost-factor.tsx'
import { CodeField, type CodeProblem } from './sign-in-code.tsx'

export const CONFIRM_PATH = '/confirm'
export const CONFIRM_PASSKEY_PATH = '/confirm/passkey'

/** What a person confirms with. */
type Asked = 'code' | 'password' | 'passkey'

export type ConfirmProblem =
  | { kind: 'missing' | 'mismatch' | 'busy' }
  | { kind: 'passkey_missing' | 'passkey_refused' | 'passkey_expired' | 'passkey_unverified' }
  | { kind: 'throttled'; retryAfterSeconds: number }

interface ConfirmProps {
  school: Branding
  formToken: string
  asked: Asked
  /** The password is not enough. */
  byFactor?: boolean
  /** The device of an owner or admin did not check who holds it. */
  deviceAlone?: boolean
  /** For a device of a person who has passkeys here. */
  passkey?: PasskeyQuestion | undefined
  person: Person
  /** A page of ours to continue to. */
  returnTo: string
  /** The app that waits instead, on the consent page. */
  sealedRequest?: string | undefined
  /** The sealed form that has to be confirmed. */
  keptForm?: string | undefined
  interrupted?: Interrupted | undefined
  /** The page to go to instead. */
  cancelUrl: string
  forgotPasswordUrl?: string | undefined
  /** Of passkeys at other schools. */
  elsewhereUrl?: string | undefined
  problem?: ConfirmProblem | undefined
}

const TITLE = 'Confirm that it is you'

const LEADS: Readonly<Record<Asked, string>> = {
  code: 'What comes next needs a code from your authenticator app, and you entered none in the last ten minutes.',
  password:
    'What comes next needs a recent sign-in, and yours is more than ten minutes old. Enter your password to continue.',
  passkey:
    'What comes next needs a recent sign-in, and yours is more than ten minutes old. Use your passkey to continue.',
}

const BY_FACTOR =
  'What comes next changes how you sign in. You have a passkey, so your password is not enough for it: use your passkey to continue.'

/** What the page takes instead of a passkey. */
const OTHERWISE: Readonly<Partial<Record<Asked, string>>> = {
  code: 'type a code',
  password: 'use your password',
}

/** Between a person who is signed in and something that a stolen session must not do. */
export function confirmPage(props: ConfirmProps): string {
  const { school, person, problem } = props
  return renderPage(
    <Layout
      title={problem ? `Error: ${TITLE}` : TITLE}
      school={school}
      script={props.passkey && PASSKEY_SCRIPT}
    >
      <Card>
        <h1>{TITLE}</h1>
        <p class="lead">{leadOf(props)}</p>
        <div class="person">
          <Avatar name={person.name || person.email} url={person.avatarUrl} />
          <p>
            <span class="visually-hidden">Signed in as </span>
            <Name text={person.name} fallback="You" />
            <span class="email">
              <Email text={person.email} />
            </span>
          </p>
        </div>
        {props.interrupted && <InterruptedAlert title="Not sent yet" kind={props.interrupted} />}
        {problem && <Problem problem={problem} asked={props.asked} />}
        <Form
          action={CONFIRM_PATH}
          formToken={props.formToken}
          hidden={{
            return_to: props.returnTo,
            request: props.sealedRequest,
            kept_form: props.keptForm,
            by_factor: props.byFactor ? 'yes' : undefined,
            ...(props.passkey && passkeyFields(props.passkey)),
          }}
        >
          {props.asked === 'code' && <CodeField problem={codeProblem(problem)} />}
          {props.asked === 'password' && (
            <>
              <AccountOfPassword email={person.email} />
              <Field
                name="password"
                label="Password"
                type="password"
                autocomplete="current-password"
                error={passwordError(problem)}
                autofocus
              />
            </>
          )}
          {props.asked === 'passkey' ? (
            <PasskeyUnable>This page cannot use your passkey here</PasskeyUnable>
          ) : (
            <Button look="primary">Continue</Button>
          )}
          {props.passkey && (
            <PasskeyButton
              kind="prove"
              question={props.passkey}
              action={CONFIRM_PASSKEY_PATH}
              look={props.asked === 'passkey' ? 'primary' : 'plain'}
              otherwise={OTHERWISE[props.asked]}
            >
              Use a passkey
            </PasskeyButton>
          )}
        </Form>
        {props.elsewhereUrl !== undefined && (
          <p class="aside">
            <a href={props.elsewhereUrl}>Use a passkey of another school</a>
          </p>
        )}
        {(props.asked === 'code' || props.byFactor) && (
          <p class="aside">
            <a href={LOST_FACTOR_PATH}>You no longer have it?</a>
          </p>
        )}
        <p class="aside">
          <a href={props.cancelUrl}>Cancel</a>
        </p>
        {props.asked !== 'code' && !props.byFactor && props.forgotPasswordUrl !== undefined && (
          <p class="aside">
            <a href={props.forgotPasswordUrl}>
              {props.asked === 'password' ? 'Forgot your password?' : 'Choose a password by email'}
            </a>
          </p>
        )}
      </Card>
    </Layout>,
  )
}

function leadOf({ asked, byFactor, deviceAlone }: ConfirmProps): string {
  if (deviceAlone) {
    return 'You signed in with a passkey, and your device did not check that it is you. What comes next needs more.'
  }
  return asked === 'passkey' && byFactor ? BY_FACTOR : LEADS[asked]
}

function codeProblem(problem: ConfirmProblem | undefined): CodeProblem | undefined {
  if (problem?.kind === 'missing') return { kind: 'missing' }
  return problem?.kind === 'mismatch' ? { kind: 'wrong' } : undefined
}

function passwordError(problem: ConfirmProblem | undefined): string | undefined {
  if (problem?.kind === 'missing') return 'Enter your password.'
  return problem?.kind === 'mismatch' ? 'This is not your password.' : undefined
}

function Problem({ problem, asked }: { problem: ConfirmProblem; asked: Asked }) {
  switch (problem.kind) {
    case 'throttled':
      return <TooMany what="attempts" seconds={problem.retryAfterSeconds} />
    case 'busy':
      return (
        <Alert tone="error" title="Please try again">
          <p>Many people are signing in right now. Your password was not checked.</p>
        </Alert>
      )
    case 'passkey_missing':
      return (
        <Alert tone="error" title="Use your passkey">
          <p>Your browser sent no answer from it. Switch JavaScript on and try again.</p>
        </Alert>
      )
    case 'passkey_refused':
      return (
        <Alert tone="error" title="This passkey was not accepted">
          <p>
            It may have been removed, or belong to another person.{' '}
            {asked === 'password' ? 'Use another one, or your password.' : 'Use another one.'}
          </p>
        </Alert>
      )
    case 'passkey_expired':
      return (
        <Alert tone="error" title="Please use your passkey again">
          <p>This page had been open for too long, or was sent twice.</p>
        </Alert>
      )
    case 'passkey_unverified':
      return (
        <Alert tone="error" title="Your device did not check that it is you">
          <p>Owners and admins need a passkey that asks for a fingerprint, a face or a PIN.</p>
        </Alert>
      )
    default:
      return null
  }
}

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
    const visit = await signedInVisit(context, request, reply, placeAfterSignIn(place, []))
    const { session } = visit
    // The person confirmed in another tab, or came back with the browser's Back button.
    if (isRecent(session) && (!byFactor || isProvedByFactor(session))) {
      return visit.goTo(placeAfterSignIn(place, []), kindOf(place))
    }
    return await showConfirm(visit, { ...place, byFactor })
  })

  app.post(CONFIRM_PATH, withKeptForm(context), async (request, reply) => {
    const sent = await enterConfirm(context, request, reply)
    const { visit, form } = sent
    const { session } = visit
    const again = (problem: ConfirmProblem, status: number) =>
      showConfirm(visit, { ...sent, problem }, status)
    const asked = askedOf(await findMeans(request.schoolDb, session.person.id), sent.byFactor)
    if (asked === 'passkey') return again({ kind: 'passkey_missing' }, 400)
    const typed = form.get(asked) ?? ''
    if (typed.trim() === '') return again({ kind: 'missing' }, 400)
    const outcome = await confirmBy(visit, asked, typed)
    switch (outcome.kind) {
      case 'confirmed':
        // About a recovery code.
        request.queuedMail = asked === 'code'
        return goOnConfirmed(sent, outcome.cookie)
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
 * A person with a second factor gives a code: the password alone signs in nowhere. One with a
 * passkey is asked for it before they get another way to sign in, and if they have no password.
 */
function askedOf(means: Means, byFactor: boolean): Asked {
  if (means.hasSecondFactor) return 'code'
  return means.hasPasskey && (byFactor || !means.hasPassword) ? 'passkey' : 'password'
}

async function confirmBy(
  visit: SignedInVisit,
  asked: 'code' | 'password',
  typed: string,
): Promise<Confirmation> {
  const { request, context, session } = visit
  const { schoolDb: db, id: requestId } = request
  const { keyring } = context
  if (asked === 'code') {
    const requester = await codeRequester(visit)
    return await confirmByCode(db, keyring, { session, typed, ...requester, requestId })
  }
  const address = clientAddress(request)
  const throttleKey = keyring.key('sign-in-throttle')
  const given = { session, password: typed, address }
  return await confirmByPassword(acrossSchools(db), db, throttleKey, given)
}

/**
 * Strangers at the sign-in page do not lock a session that a code or a passkey began: it has a
 * counter of its own. One that a trusted browser began without a code has that of the browser: a
 * thief of its cookie would otherwise begin session after session, each with tries of its own.
 */
async function codeRequester(visit: SignedInVisit): Promise<Requester> {
  const { request, context, session } = visit
  const { id, methods, person } = session
  if (isMultiFactor(methods)) return { address: clientAddress(request), device: id }
  const since = await secondFactorSince(acrossSchools(request.schoolDb), person.id)
  return requesterOf(context, request, person.email, knownByCode(since))
}

interface SentForm extends Place {
  readonly visit: SignedInVisit
  readonly form: URLSearchParams
  readonly byFactor: boolean
  readonly keptForm: string | undefined
}

/** The form of the confirmation, sent by the person that it asked. */
export async function enterConfirm(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SentForm> {
  const visit = await visitOf(context, request, reply)
  if (!visit.isSignedIn()) {
    const place = placeIn(context, request, uncheckedForm(request))
    throw new SignInNeeded(placeAfterSignIn(place, []))
  }
  const form = visit.form()
  const place = placeIn(context, request, form)
  // A session that ended meanwhile uses up no recovery code.
  actAs(request, visit.session, placeAfterSignIn(place, []))
  return {
    visit,
    form,
    ...place,
    byFactor: isByFactor(form),
    keptForm: form.get('kept_form') ?? undefined,
  }
}

/** Back to what had to be confirmed, with the new cookie of the session. */
export function goOnConfirmed(
  { visit, returnTo, sealedRequest, keptForm }: SentForm,
  cookie: string,
): FastifyReply {
  keepSession(visit.request, visit.reply, cookie)
  return goOn(visit, visit.session, { returnTo, sealedRequest, keptForm })
}

/** Where the person continues. */
interface Place {
  readonly returnTo: string
  /**
   * The app that waits on the consent page. It is sealed, and may be longer than an address of
   * ours.
   */
  readonly sealedRequest?: string | undefined
}

/**
 * Checked again in each form: the value comes from the browser, and before that from whichever link
 * was opened.
 */
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
  readonly byFactor: boolean
  /** The sealed form that has to be confirmed. */
  readonly keptForm?: string | undefined
  readonly interrupted?: Interrupted | undefined
  readonly problem?: ConfirmProblem
}

export async function showConfirm(
  visit: SignedInVisit,
  { byFactor, keptForm, interrupted, problem, ...place }: Shown,
  status = 200,
): Promise<FastifyReply> {
  const { context, request, session } = visit
  const { person } = session
  const formToken = visit.formToken()
  const means = await findMeans(request.schoolDb, person.id)
  const passkey = means.hasPasskey
    ? askDevice(
        challengeFormOf(context, request, formToken),
        relyingPartyOf(request.school.origin, context.passkeys),
      )
    : undefined
  const places = byFactor ? await findFactorPlaces(request.schoolDb, session) : undefined
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
  if (passkey === undefined) return visit.page(page, status, kind)
  return visit.scriptedPage(PASSKEY_SCRIPT, page, status, kind)
}
