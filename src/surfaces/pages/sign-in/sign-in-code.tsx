import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOperator, type Role } from '../../../domain/actor/actor.ts'
import {
  type CodeStep,
  findCodeStep,
  isTrustedDevice,
  sealCodeStep,
  TRUSTED_DAYS,
  trustDevice,
} from '../../../domain/people/factors/code-step.ts'
import {
  askToRemoveFactors,
  LOST_FACTOR_DAYS,
} from '../../../domain/people/factors/lost-factors.ts'
import { checkCode } from '../../../domain/people/factors/recovery-codes.ts'
import { knownByCode } from '../../../domain/people/known-device.ts'
import { rolesAt } from '../../../domain/people/membership.ts'
import {
  endSession,
  type ProvenByPassword,
  type ProvenPerson,
} from '../../../domain/people/sessions.ts'
import { Alert, Button, Email, Form } from '../../../foundation/html/components.tsx'
import { Checkbox, Field } from '../../../foundation/html/form-fields.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import {
  findCookie,
  LONGEST_COOKIE_SECONDS,
  serializeCookie,
  trustCookieName,
} from '../../../foundation/http/cookies.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedSignInForm, provenBrowsers, redirectTo } from '../frame/page-request.ts'
import { beginSession, requesterOf } from '../frame/session.ts'
import { type Visit, visitOf } from '../frame/visit.ts'
import { waitInWords } from '../frame/words.ts'
import { type AfterSignIn, keepAfterSignIn, readAfterSignIn } from './after-sign-in.ts'
import { goOn } from './go-on.tsx'
import { withKeptForm } from './kept-form.ts'
import { askForLongerPassword } from './short-password.tsx'

const SIGN_IN_CODE_PATH = '/sign-in/code'

export type CodeProblem =
  | { kind: 'missing' }
  | { kind: 'wrong' }
  | { kind: 'throttled'; retryAfterSeconds: number }

type LostCodes =
  | { kind: 'ask' }
  | { kind: 'waiting'; dueAt: Date; timeZone: string }
  /** No school may write to the person. */
  | { kind: 'no_school' }
  | { kind: 'throttled'; retryAfterSeconds: number }

interface SignInCodeProps {
  school: Branding
  formToken: string
  /** Sealed: the person has just given the first factor. */
  step: string
  email: string
  /** The days that a trusted browser is not asked; undefined if this person is asked each time. */
  trustDays: number | undefined
  /** Where the person continues. */
  afterSignIn: {
    sealedRequest?: string | undefined
    returnTo?: string | undefined
    keptForm?: string | undefined
  }
  problem?: CodeProblem | undefined
  /** Undefined if the factor can be removed by an administrator only. */
  lost: LostCodes | undefined
}

/** Between a right password and the session that it asked for. */
export function signInCodePage(props: SignInCodeProps): string {
  const { school, formToken, step, afterSignIn, problem, trustDays } = props
  const hidden = {
    step,
    request: afterSignIn.sealedRequest,
    return_to: afterSignIn.returnTo,
    kept_form: afterSignIn.keptForm,
  }
  return renderPage(
    <CardPage title="Enter your code" isWrong={problem !== undefined} school={school}>
      <p class="lead">
        Your authenticator app shows a code of six digits for <Email text={props.email} />.
      </p>
      {problem?.kind === 'throttled' && <TooManyCodes problem={problem} />}
      <Form action={SIGN_IN_CODE_PATH} formToken={formToken} hidden={hidden}>
        <CodeField problem={problem} />
        {trustDays !== undefined && (
          <Checkbox
            id="trust"
            name="trust"
            value="yes"
            label={`Trust this browser for ${trustDays} days`}
            hint="Your password alone is then enough here. Choose this only on a device that nobody else uses."
            checked={false}
          />
        )}
        <Button look="primary">Continue</Button>
      </Form>
      <NoCode {...props} hidden={hidden} />
    </CardPage>,
  )
}

type NoCodeProps = SignInCodeProps & { hidden: Record<string, string | undefined> }

function NoCode({ lost, formToken, hidden }: NoCodeProps) {
  if (lost?.kind === 'waiting') {
    return (
      <Alert tone="success" title="We have noted it, and sent you an email">
        <p>
          Your authenticator app will be removed on{' '}
          <Moment at={lost.dueAt} timeZone={lost.timeZone} />: then your password alone signs you
          in. We send you an email every day until then.
        </p>
      </Alert>
    )
  }
  if (lost?.kind === 'throttled') {
    return (
      <Alert tone="error" title="Too many attempts">
        <p>Wait {waitInWords(lost.retryAfterSeconds)} before you report it again.</p>
      </Alert>
    )
  }
  if (lost?.kind !== 'ask') {
    return (
      <p class="aside">
        No phone and no recovery code? The administrator of this server can switch your second
        factor off.
      </p>
    )
  }
  return (
    <details class="aside">
      <summary>No phone and no recovery code?</summary>
      <p>
        We remove the authenticator app and your passkeys after {LOST_FACTOR_DAYS} days, at all your
        schools. You get an email every day until then, and whoever still has one of them, or reads
        your mail, can stop it.
      </p>
      <Form action={SIGN_IN_CODE_PATH} formToken={formToken} hidden={{ ...hidden, lost: 'yes' }}>
        <Button look="danger">Remove them in {String(LOST_FACTOR_DAYS)} days</Button>
      </Form>
    </details>
  )
}

/** Asks for a code of the app or a recovery code. */
export function CodeField({ problem }: { problem?: CodeProblem | undefined }) {
  return (
    <Field
      name="code"
      label="Code"
      type="text"
      autocomplete="one-time-code"
      inputmode="numeric"
      hint="Or one of your recovery codes."
      error={codeError(problem)}
      autofocus
    />
  )
}

export function TooManyCodes({ problem }: { problem: { retryAfterSeconds: number } }) {
  return (
    <Alert tone="error" title="Too many wrong codes">
      <p>
        Wait {waitInWords(problem.retryAfterSeconds)} before you try again, or use a recovery code.
        If you did not type them, change your password: another person knows it.
      </p>
    </Alert>
  )
}

function codeError(problem: CodeProblem | undefined): string | undefined {
  if (problem?.kind === 'missing') return 'Enter the code.'
  if (problem?.kind !== 'wrong') return undefined
  return 'This code is wrong or was used before. Check it, or wait for the next one.'
}

/**
 * The first factor was right, and the person has a second one. The session begins after its code.
 */
export async function askForCode(
  visit: Visit,
  step: CodeStep,
  afterSignIn: AfterSignIn,
): Promise<FastifyReply> {
  const { request, session, context } = visit
  // The form of the sign-in was checked, so there is one.
  const [browser = ''] = provenBrowsers(request, session)
  const sealed = sealCodeStep(context.keyring, request.school.id, browser, step)
  const isDemanding = request.school.operatorFactorFrom !== undefined
  const roles = isDemanding ? await rolesAt(request.schoolDb, step.proven.person.id) : []
  const state = { sealed, proven: step.proven, roles, afterSignIn }
  return ask(visit, state)
}

export function addSignInCodeRoutes(app: FastifyInstance, context: AppContext): void {
  // For a page that was reloaded: what it was about came with a post.
  app.get(SIGN_IN_CODE_PATH, async (request, reply) =>
    redirectTo(reply, request, 'authorization', '/sign-in'),
  )

  app.post(SIGN_IN_CODE_PATH, withKeptForm(context), async (request, reply) => {
    const { keyring } = context
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = checkedSignInForm(keyring, request, session)
    const afterSignIn = readAfterSignIn(keyring, request.school.id, form)
    const sealed = form.get('step') ?? ''
    const step = await findCodeStep(
      request.schoolDb,
      keyring,
      provenBrowsers(request, session),
      sealed,
    )
    const signInAgain = () => visit.goTo(keepAfterSignIn('/sign-in', afterSignIn), 'authorization')
    if (step === undefined) return signInAgain()
    const { proven: byFirst, roles } = step
    const state = { sealed, proven: byFirst, roles, afterSignIn }
    const again = (problem: CodeProblem, status: number) =>
      ask(visit, { ...state, problem }, status)
    if (form.get('lost') === 'yes' && maySayLost(context, byFirst)) {
      const lost = await sayLost(context, request, byFirst)
      return lost === undefined ? signInAgain() : ask(visit, { ...state, lost })
    }
    const typed = form.get('code') ?? ''
    if (typed.trim() === '') return again({ kind: 'missing' }, 400)
    const { person } = byFirst
    const byCode = knownByCode(step.factorSince)
    const outcome = await checkCode(request.schoolDb, keyring, {
      ...requesterOf(context, request, person.email, byCode),
      person,
      typed,
      requestId: request.id,
    })
    if (outcome.kind === 'throttled') {
      reply.header('retry-after', outcome.retryAfterSeconds)
      return again(outcome, 429)
    }
    if (outcome.kind === 'wrong') return again(outcome, 401)
    if (outcome.method === 'recovery_code') request.queuedMail = true
    const proven = { ...byFirst, methods: [...byFirst.methods, outcome.method] }
    if (step.isShort && isByPassword(proven)) {
      return askForLongerPassword(visit, proven, afterSignIn)
    }
    // A new session at every sign-in: a session that an attacker planted stays useless (session
    // fixation).
    if (session !== undefined) await endSession(request.schoolDb, session.id)
    const begun = await beginSession(context, request, reply, proven, ['sign_in', ...byCode])
    if (begun === undefined) return signInAgain()
    const trusts = form.get('trust') === 'yes' && mayTrust(request, roles)
    if (trusts && isByPassword(proven)) await trustBrowser(request, reply, proven)
    return goOn(visit, begun, afterSignIn)
  })
}

function isByPassword(proven: ProvenPerson): proven is ProvenByPassword {
  return proven.credential.kind === 'password'
}

/**
 * A school that demands a second factor of its owners and admins gets it at each of their sign-ins.
 */
function mayTrust({ school }: FastifyRequest, roles: readonly Role[]): boolean {
  return school.operatorFactorFrom === undefined || !isOperator(roles)
}

/** The days of waiting end with a password that signs in alone, and go with mails to the person. */
function maySayLost({ mailer }: AppContext, proven: ProvenPerson): boolean {
  return mailer !== undefined && isByPassword(proven)
}

async function sayLost(
  { keyring }: AppContext,
  request: FastifyRequest,
  { person }: ProvenPerson,
): Promise<LostCodes | undefined> {
  const by = { person, requestId: request.id }
  const asked = await askToRemoveFactors(request.schoolDb, keyring.key('sign-in-throttle'), by)
  if (asked.kind === 'throttled') return asked
  // The next sign-in asks for none.
  if (asked.kind === 'no_factor') return undefined
  if (asked.kind === 'no_school') return { kind: 'no_school' }
  request.queuedMail = true
  return { ...asked, timeZone: request.school.timeZone }
}

interface Asked {
  readonly sealed: string
  readonly proven: ProvenPerson
  readonly roles: readonly Role[]
  readonly afterSignIn: AfterSignIn
  readonly problem?: CodeProblem
  readonly lost?: LostCodes
}

function ask(
  visit: Visit,
  { sealed, proven, roles, afterSignIn, problem, lost }: Asked,
  status = 200,
): FastifyReply {
  const { request, context } = visit
  const page = signInCodePage({
    school: brandingOf(request.school),
    formToken: visit.formToken(),
    step: sealed,
    email: proven.person.email,
    trustDays: isByPassword(proven) && mayTrust(request, roles) ? TRUSTED_DAYS : undefined,
    afterSignIn,
    problem,
    lost: lost ?? (maySayLost(context, proven) ? { kind: 'ask' } : undefined),
  })
  return visit.page(page, status, 'authorization')
}

/**
 * Whether this person is not asked for a code in this browser. It never counts as a proof of its
 * own.
 */
export async function isTrustedBrowser(request: FastifyRequest, userId: string): Promise<boolean> {
  const cookie = findCookie(request.headers.cookie, trustCookieName(request.school.origin))
  const operatorsMayTrust = request.school.operatorFactorFrom === undefined
  return await isTrustedDevice(request.schoolDb, userId, cookie, operatorsMayTrust)
}

async function trustBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  proven: ProvenByPassword,
): Promise<void> {
  const { origin } = request.school
  const cookie = await trustDevice(request.schoolDb, proven)
  if (cookie === undefined) return
  reply.header(
    'set-cookie',
    serializeCookie(origin, trustCookieName(origin), cookie, LONGEST_COOKIE_SECONDS),
  )
}
