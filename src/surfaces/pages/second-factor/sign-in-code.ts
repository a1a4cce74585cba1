import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOperator, type Role } from '../../../domain/actor/actor.ts'
import {
  type CodeStep,
  findCodeStep,
  sealCodeStep,
  TRUSTED_DAYS,
} from '../../../domain/people/factors/code-step.ts'
import { askToRemoveFactors } from '../../../domain/people/factors/lost-factors.ts'
import { checkCode } from '../../../domain/people/factors/recovery-codes.ts'
import { knownByCode } from '../../../domain/people/known-device.ts'
import { rolesAt } from '../../../domain/people/membership.ts'
import {
  type BrowserSession,
  endSession,
  type ProvenByPassword,
  type ProvenPerson,
} from '../../../domain/people/sessions.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { askForLongerPassword } from '../account/short-password.ts'
import { type AfterSignIn, keepAfterSignIn, readAfterSignIn } from '../after-sign-in.ts'
import { beginSession } from '../browser-session.ts'
import { goOn } from '../kept-forms/go-on.ts'
import { withKeptForm } from '../kept-forms/with-kept-form.ts'
import { requesterOf } from '../known-browser.ts'
import {
  checkedSignInForm,
  formTokenFor,
  provenBrowsers,
  redirectTo,
  sendPage,
} from '../page-request.ts'
import {
  type CodeProblem,
  type LostCodes,
  SIGN_IN_CODE_PATH,
  signInCodePage,
} from '../views/sign-in-code.tsx'
import { trustBrowser } from './trusted-browser.ts'

/** The first factor was right, and the person has a second one. The session begins after its code. */
export async function askForCode(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession | undefined,
  step: CodeStep,
  afterSignIn: AfterSignIn,
): Promise<FastifyReply> {
  // The form of the sign-in was checked, so there is one.
  const [browser = ''] = provenBrowsers(request, session)
  const sealed = sealCodeStep(context.keyring, request.school.id, browser, step)
  const isDemanding = request.school.operatorFactorFrom !== undefined
  const roles = isDemanding ? await rolesAt(request.at, step.proven.person.id) : []
  const state = { session, sealed, proven: step.proven, roles, afterSignIn }
  return ask(context, request, reply, state)
}

export function addSignInCodeRoutes(app: FastifyInstance, context: AppContext): void {
  // For a page that was reloaded: what it was about came with a post.
  app.get(SIGN_IN_CODE_PATH, async (request, reply) =>
    redirectTo(reply, request, 'authorization', '/sign-in'),
  )

  app.post(SIGN_IN_CODE_PATH, withKeptForm(context), async (request, reply) => {
    const { keyring } = context
    const session = await findBrowserSession(request)
    const form = checkedSignInForm(keyring, request, session)
    const afterSignIn = readAfterSignIn(keyring, request.school.id, form)
    const sealed = form.get('step') ?? ''
    const step = await findCodeStep(request.at, keyring, provenBrowsers(request, session), sealed)
    const signInAgain = () =>
      redirectTo(reply, request, 'authorization', keepAfterSignIn('/sign-in', afterSignIn))
    if (step === undefined) return signInAgain()
    const { proven: byFirst, roles } = step
    const state = { session, sealed, proven: byFirst, roles, afterSignIn }
    const again = (problem: CodeProblem, status: number) =>
      ask(context, request, reply, { ...state, problem }, status)
    if (form.get('lost') === 'yes' && maySayLost(context, byFirst)) {
      const lost = await sayLost(context, request, byFirst)
      return lost === undefined ? signInAgain() : ask(context, request, reply, { ...state, lost })
    }
    const typed = form.get('code') ?? ''
    if (typed.trim() === '') return again({ kind: 'missing' }, 400)
    const { person } = byFirst
    const byCode = knownByCode(step.factorSince)
    const outcome = await checkCode(request.at, keyring, {
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
      return askForLongerPassword(context, request, reply, session, proven, afterSignIn)
    }
    // A new session at every sign-in: a session that an attacker planted stays useless (session fixation).
    if (session !== undefined) await endSession(request.at, session.id)
    const begun = await beginSession(context, request, reply, proven, ['sign_in', ...byCode])
    if (begun === undefined) return signInAgain()
    const trusts = form.get('trust') === 'yes' && mayTrust(request, roles)
    if (trusts && isByPassword(proven)) await trustBrowser(request, reply, proven)
    return goOn(context, request, reply, begun, afterSignIn)
  })
}

function isByPassword(proven: ProvenPerson): proven is ProvenByPassword {
  return proven.credential.kind === 'password'
}

/** A school that demands a second factor of its owners and admins gets it at each of their sign-ins. */
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
  const asked = await askToRemoveFactors(request.at, keyring.key('sign-in-throttle'), by)
  if (asked.kind === 'throttled') return asked
  // The next sign-in asks for none.
  if (asked.kind === 'no_factor') return undefined
  if (asked.kind === 'no_school') return { kind: 'no_school' }
  request.queuedMail = true
  return { ...asked, timeZone: request.school.timeZone }
}

interface Asked {
  readonly session: BrowserSession | undefined
  readonly sealed: string
  readonly proven: ProvenPerson
  readonly roles: readonly Role[]
  readonly afterSignIn: AfterSignIn
  readonly problem?: CodeProblem
  readonly lost?: LostCodes
}

function ask(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, sealed, proven, roles, afterSignIn, problem, lost }: Asked,
  status = 200,
): FastifyReply {
  const page = signInCodePage({
    school: brandingOf(request.school),
    formToken: formTokenFor(context.keyring, request, reply, session),
    step: sealed,
    email: proven.person.email,
    trustDays: isByPassword(proven) && mayTrust(request, roles) ? TRUSTED_DAYS : undefined,
    afterSignIn,
    problem,
    lost: lost ?? (maySayLost(context, proven) ? { kind: 'ask' } : undefined),
  })
  return sendPage(reply, request, 'authorization', page, status)
}
