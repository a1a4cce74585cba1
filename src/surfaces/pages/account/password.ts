import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasSecondFactor } from '../../../domain/people/factors/authenticators.ts'
import { minimumLength } from '../../../domain/people/password-strength.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { changePassword, type PasswordChange } from '../../../domain/people/set-password.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import type { AppContext } from '../../../gate/context.ts'
import { beginSession, loadBrowserSession } from '../browser-session.ts'
import { orBusy } from '../or-busy.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { requireRecentProof } from '../step-up/recent-proof.ts'
import { SETTINGS_PATH } from '../views/account-paths.ts'
import { changePasswordPage, type PasswordFormProblem } from '../views/change-password.tsx'

const PATH = '/account/password'

export function addPasswordRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const minimum = await provenMinimum(request, session)
    return show(context, request, reply, session, minimum)
  })

  app.post(PATH, async (request, reply) => {
    request.queuedMail = true
    const session = await loadBrowserSession(request, PATH)
    const form = checkedForm(context.keyring, request, session)
    const minimum = await provenMinimum(request, session)
    const current = form.get('current_password') ?? ''
    const next = form.get('new_password') ?? ''
    const endsAccess = form.get('end_access') === 'yes'
    const again = (problem: PasswordFormProblem, status: number) =>
      show(context, request, reply, session, minimum, problem, status)
    if (current === '' || next === '') {
      return again({ kind: 'missing', current: current === '', next: next === '' }, 400)
    }
    const outcome = await tryToChange(context, {
      ...{ request, session, current, next, endsAccess },
    })
    switch (outcome.kind) {
      case 'changed': {
        await beginSession(context, request, reply, outcome)
        const done = endsAccess ? 'password-everywhere' : 'password'
        return redirectTo(reply, request, 'site', `${SETTINGS_PATH}?done=${done}`)
      }
      case 'throttled':
      case 'busy':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return again(outcome, outcome.kind === 'busy' ? 503 : 429)
      case 'wrong_current':
        return again(outcome, 401)
      case 'unfit':
        return again(outcome, 400)
    }
  })
}

/**
 * Characters of the shortest password. The form asks for the current one; for a person with a second factor that is not
 * enough of a proof.
 */
async function provenMinimum(request: FastifyRequest, session: BrowserSession): Promise<number> {
  const hasFactor = await hasSecondFactor(acrossSchools(request.at), session.person.id)
  if (hasFactor) requireRecentProof(request, session)
  return minimumLength(hasFactor)
}

interface Attempt {
  readonly request: FastifyRequest
  readonly session: BrowserSession
  readonly current: string
  readonly next: string
  readonly endsAccess: boolean
}

async function tryToChange(context: AppContext, attempt: Attempt): Promise<PasswordChange> {
  const { request, ...asked } = attempt
  const key = context.keyring.key('sign-in-throttle')
  const { at, school, id: requestId } = request
  const address = clientAddress(request)
  return await orBusy(
    changePassword(acrossSchools(at), at, key, { ...asked, address, school, requestId }),
  )
}

function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  minimum: number,
  problem?: PasswordFormProblem,
  status = 200,
): FastifyReply {
  const frame = frameFor(context, request, reply, session)
  const { email } = session.person
  const page = changePasswordPage({ ...frame, email, minimum, problem })
  return sendPage(reply, request, 'site', page, status)
}
