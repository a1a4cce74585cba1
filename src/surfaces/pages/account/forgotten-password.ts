import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { minimumLength } from '../../../domain/people/password-strength.ts'
import {
  findResetAccount,
  requestPasswordReset,
  resetPassword,
} from '../../../domain/people/reset-password.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { keepAfterSignIn, readAfterSignIn } from '../after-sign-in.ts'
import { rememberBrowser } from '../known-browser.ts'
import { orBusy } from '../or-busy.ts'
import { checkedForm, formTokenFor, redirectTo, sendPage } from '../page-request.ts'
import { queryOf } from '../site-frame.ts'
import type { PasswordFormProblem } from '../views/change-password.tsx'
import {
  type ForgottenState,
  forgottenPasswordPage,
  resetExpiredPage,
  resetPasswordPage,
} from '../views/forgotten-password.tsx'

const ASK = '/forgotten-password'
const SET = '/reset-password'

/** Sends a link by email that works once, within an hour. No answer shows whether an account exists. */
export function addForgottenPasswordRoutes(app: FastifyInstance, context: AppContext): void {
  const throttleKey = context.keyring.key('sign-in-throttle')

  app.get(ASK, async (request, reply) => {
    const query = queryOf(request)
    const state = { kind: query.has('sent') ? 'sent' : 'asking' } as const
    return await ask(context, request, reply, state, query)
  })

  app.post(ASK, async (request, reply) => {
    request.queuedMail = true
    const session = await findBrowserSession(request)
    const form = checkedForm(context.keyring, request, session)
    const email = form.get('email') ?? ''
    if (context.mailer === undefined) {
      return await ask(context, request, reply, { kind: 'asking' }, form)
    }
    if (email === '') return await ask(context, request, reply, { kind: 'missing' }, form, 400)
    const address = clientAddress(request)
    const outcome = await requestPasswordReset(acrossSchools(request.at), request.at, throttleKey, {
      email,
      address,
    })
    if (outcome.kind === 'throttled') {
      reply.header('retry-after', outcome.retryAfterSeconds)
      return await ask(context, request, reply, outcome, form, 429)
    }
    const afterSignIn = readAfterSignIn(context.keyring, request.school.id, form)
    return redirectTo(reply, request, 'site', keepAfterSignIn(`${ASK}?sent`, afterSignIn))
  })

  app.get(SET, async (request, reply) => {
    const token = queryOf(request).get('token') ?? ''
    return await choose(context, request, reply, token)
  })

  app.post(SET, async (request, reply) => {
    request.queuedMail = true
    const session = await findBrowserSession(request)
    const form = checkedForm(context.keyring, request, session)
    const token = form.get('token') ?? ''
    const outcome = await orBusy(
      resetPassword(acrossSchools(request.at), request.at, throttleKey, {
        token,
        next: form.get('new_password') ?? '',
        removesPasskeys: form.get('remove_passkeys') === 'yes',
        school: request.school,
        address: clientAddress(request),
        requestId: request.id,
      }),
    )
    if (outcome.kind === 'changed') {
      // The mailbox is proof enough: strangers who guess cannot keep the person from signing in now.
      rememberBrowser(context, request, reply, outcome.email, ['mail_link'])
      return redirectTo(reply, request, 'site', '/sign-in?reset')
    }
    if (outcome.kind === 'expired') return expired(request, reply)
    const status = outcome.kind === 'busy' ? 503 : 400
    return await choose(context, request, reply, token, outcome, status)
  })
}

async function ask(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  state: ForgottenState,
  /** Fields of the query or the form. They say where a person who signs in after all continues. */
  fields: URLSearchParams,
  status = 200,
): Promise<FastifyReply> {
  const session = await findBrowserSession(request)
  const afterSignIn = readAfterSignIn(context.keyring, request.school.id, fields)
  const page = forgottenPasswordPage({
    school: brandingOf(request.school),
    formToken: formTokenFor(context.keyring, request, reply, session),
    afterSignIn,
    signInUrl: keepAfterSignIn('/sign-in', afterSignIn),
    state: context.mailer === undefined ? { kind: 'unavailable' } : state,
  })
  return sendPage(reply, request, 'site', page, status)
}

async function choose(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  problem?: PasswordFormProblem,
  status = 200,
): Promise<FastifyReply> {
  const account = await findResetAccount(request.at, token)
  if (account === undefined) return expired(request, reply)
  const session = await findBrowserSession(request)
  const page = resetPasswordPage({
    school: brandingOf(request.school),
    formToken: formTokenFor(context.keyring, request, reply, session),
    token,
    email: account.email,
    minimum: minimumLength(account.hasSecondFactor),
    problem,
  })
  return sendPage(reply, request, 'site', page, status)
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply, request, 'site', resetExpiredPage(brandingOf(request.school)), 400)
}
