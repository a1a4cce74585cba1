import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findMeans } from '../../../domain/people/factors/demand.ts'
import {
  askToRemoveFactors,
  findRemoval,
  takeBackReport,
} from '../../../domain/people/factors/lost-factors.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { signIn } from '../../../domain/people/sign-in.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { LOST_FACTOR_PATH, type LostFactorProblem, lostFactorPage } from '../views/lost-factor.tsx'

const NOTICES = {
  asked: 'We have noted it, and sent you an email.',
  kept: 'Your passkeys and your authenticator app stay.',
  none: { warning: 'There was nothing to remove.' },
  late: { warning: 'There was nothing to keep any more.' },
}

/** For a person who can no longer prove a passkey or a code. */
export function addLostFactorRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(LOST_FACTOR_PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    return await show(context, request, reply, session)
  })

  /** The password is asked for here, because the page that confirms a person would ask for the code that they have lost. */
  app.post(LOST_FACTOR_PATH, async (request, reply) => {
    request.queuedMail = true
    const session = await loadBrowserSession(request, LOST_FACTOR_PATH)
    const form = checkedForm(context.keyring, request, session)
    const again = async (problem?: LostFactorProblem) => {
      if (problem && 'retryAfterSeconds' in problem) {
        reply.header('retry-after', problem.retryAfterSeconds)
      }
      return await show(context, request, reply, session, problem)
    }
    if (context.mailer === undefined) return await again()
    const password = form.get('password') ?? ''
    if (password === '') return await again({ kind: 'missing' })
    const { person } = session
    const throttleKey = context.keyring.key('sign-in-throttle')
    const proof = await signIn(acrossSchools(request.at), throttleKey, {
      email: person.email,
      password,
      address: clientAddress(request),
      device: session.id,
      schoolId: request.school.id,
    })
    if (proof.kind === 'throttled' || proof.kind === 'busy') return await again(proof)
    if (proof.kind !== 'signed_in' || proof.person.id !== person.id) {
      return await again({ kind: 'mismatch' })
    }
    const by = { person, requestId: request.id }
    const asked = await askToRemoveFactors(request.at, throttleKey, by)
    if (asked.kind === 'no_school' || asked.kind === 'throttled') return await again(asked)
    const done = asked.kind === 'waiting' ? 'asked' : 'none'
    return redirectTo(reply, request, 'site', `${LOST_FACTOR_PATH}?done=${done}`)
  })

  app.post(`${LOST_FACTOR_PATH}/cancel`, async (request, reply) => {
    const session = await loadBrowserSession(request, LOST_FACTOR_PATH)
    checkedForm(context.keyring, request, session)
    const { id } = session.person
    const isKept = await takeBackReport(request.at, id, request.id)
    request.queuedMail = true
    const done = isKept ? 'kept' : 'late'
    return redirectTo(reply, request, 'site', `${LOST_FACTOR_PATH}?done=${done}`)
  })
}

const STATUS: Readonly<Record<LostFactorProblem['kind'], number>> = {
  missing: 400,
  mismatch: 401,
  no_school: 409,
  throttled: 429,
  busy: 503,
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  problem?: LostFactorProblem,
): Promise<FastifyReply> {
  const { person } = session
  const [dueAt, means] = await Promise.all([
    findRemoval(acrossSchools(request.at), person.id),
    findMeans(request.at, person.id),
  ])
  const page = lostFactorPage({
    ...frameFor(context, request, reply, session, NOTICES),
    ...{ dueAt, means, problem },
    email: person.email,
    mailIsSent: context.mailer !== undefined,
    timeZone: request.school.timeZone,
  })
  return sendPage(reply, request, 'site', page, problem === undefined ? 200 : STATUS[problem.kind])
}
