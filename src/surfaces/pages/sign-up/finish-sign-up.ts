import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endSession } from '../../../domain/people/sessions.ts'
import { finishSignUp, openSignUpLink, type SignUpLink } from '../../../domain/people/sign-up.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { placeAfterSignIn, readAfterSignIn } from '../after-sign-in.ts'
import { beginSession } from '../browser-session.ts'
import { orBusy } from '../or-busy.ts'
import { checkedSignInForm, formTokenFor, redirectTo, sendPage } from '../page-request.ts'
import { queryOf } from '../site-frame.ts'
import type { FirstPasswordProblem } from '../views/first-password.tsx'
import {
  finishSignUpPage,
  linkExpiredPage,
  signUpKnownPage,
} from '../views/sign-up/finish-sign-up.tsx'
import { browserOf, checkSignUpIsOn, judgeTyped, SIGN_UP_PATH } from './sign-up-form.ts'

const FINISH_PATH = `${SIGN_UP_PATH}/finish`

/** The link in the mail. Opening it changes nothing, because mail scanners open links too. */
export function addFinishRoutes(app: FastifyInstance, context: AppContext): void {
  const { keyring } = context

  app.get(FINISH_PATH, async (request, reply) => {
    checkSignUpIsOn(request)
    const sealed = queryOf(request).get('link') ?? ''
    const link = openSignUpLink(keyring, request.school.id, sealed)
    if (link === undefined) return expired(request, reply)
    return await ask(context, request, reply, { sealed, link, name: link.name })
  })

  app.post(FINISH_PATH, async (request, reply) => {
    request.queuedMail = true
    checkSignUpIsOn(request)
    const session = await findBrowserSession(request)
    const form = checkedSignInForm(keyring, request, session)
    const sealed = form.get('link') ?? ''
    const link = openSignUpLink(keyring, request.school.id, sealed)
    if (link === undefined) return expired(request, reply)
    const name = form.get('name') ?? ''
    const again = (problem: FirstPasswordProblem, status: number) =>
      ask(context, request, reply, { sealed, link, name, problem }, status)
    const judged = judgeTyped({ name, email: link.email })
    if ('problems' in judged) {
      const { name: wrong = 'Enter your name.' } = judged.problems
      return await again({ kind: 'name', problem: wrong }, 400)
    }
    const { at, school, id: requestId } = request
    const next = form.get('new_password') ?? ''
    const outcome = await orBusy(
      finishSignUp(at, { link, name: judged.name, next, school, requestId }),
    )
    switch (outcome.kind) {
      case 'known':
        return sendPage(
          reply,
          request,
          'authorization',
          signUpKnownPage(brandingOf(request.school)),
          400,
        )
      case 'unfit':
        return await again(outcome, 400)
      case 'busy':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return await again(outcome, 503)
      case 'signed_up': {
        // A new session, as at every sign-in.
        if (session !== undefined) await endSession(request.at, session.id)
        const begun = await beginSession(context, request, reply, outcome)
        const place = begun ? placeAfterSignUp(context, request, link) : '/sign-in'
        return redirectTo(reply, request, 'authorization', place)
      }
    }
  })
}

/**
 * Only the browser that asked continues to the app. Otherwise a stranger who types the address of another person could lead
 * them, by a mail of the school, to a consent that the stranger chose.
 */
function placeAfterSignUp(context: AppContext, request: FastifyRequest, link: SignUpLink): string {
  if (link.browser === '' || link.browser !== browserOf(request)) return placeAfterSignIn({}, [])
  const { request: sealedRequest, return_to: returnTo } = link
  const fields = Object.entries({ request: sealedRequest, return_to: returnTo })
  const given = fields.filter((field): field is [string, string] => field[1] !== undefined)
  const { keyring } = context
  const after = readAfterSignIn(keyring, request.school.id, new URLSearchParams(given))
  return placeAfterSignIn(after, [])
}

interface Asked {
  readonly sealed: string
  readonly link: SignUpLink
  readonly name: string
  readonly problem?: FirstPasswordProblem
}

async function ask(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { sealed, link, name, problem }: Asked,
  status = 200,
): Promise<FastifyReply> {
  const session = await findBrowserSession(request)
  const page = finishSignUpPage({
    school: brandingOf(request.school),
    action: FINISH_PATH,
    formToken: formTokenFor(context.keyring, request, reply, session),
    link: sealed,
    email: link.email,
    name,
    problem,
  })
  return sendPage(reply, request, 'authorization', page, status)
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = linkExpiredPage(brandingOf(request.school), SIGN_UP_PATH)
  return sendPage(reply, request, 'authorization', page, 400)
}
