import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type AuthenticatorSetup,
  hasSecondFactor,
  setUpAuthenticator,
} from '../../../domain/people/factors/authenticators.ts'
import {
  findSecondFactor,
  replaceRecoveryCodes,
  switchOffSecondFactor,
  switchOnSecondFactor,
} from '../../../domain/people/factors/second-factor.ts'
import { knownByCode } from '../../../domain/people/known-device.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { otpauthUrl } from '../../../foundation/crypto/totp.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { rememberBrowser } from '../known-browser.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { requireOwnFactor } from '../step-up/recent-proof.ts'
import {
  factorPaths,
  recoveryCodesPage,
  secondFactorPage,
  setupFactorPage,
} from '../views/second-factor.tsx'

const NOTICES = {
  off: 'The second factor is off. Your password alone signs you in.',
  expired: { warning: 'That took too long, so nothing was changed. Set it up again.' },
}

export function addSecondFactorRoutes(app: FastifyInstance, context: AppContext): void {
  const { keyring } = context

  app.get(factorPaths.page, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const factor = await findSecondFactor(acrossSchools(request.at), session.person.id)
    const page = secondFactorPage({
      ...frameFor(context, request, reply, session, NOTICES),
      factor,
      timeZone: request.school.timeZone,
    })
    return sendPage(reply, request, 'site', page)
  })

  app.get(factorPaths.setup, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const isOn = await hasSecondFactor(acrossSchools(request.at), session.person.id)
    if (isOn) return redirectTo(reply, request, 'site', factorPaths.page)
    await requireOwnFactor(request, session)
    const setup = setUpAuthenticator(keyring, session.person.id)
    return showSetup(context, request, reply, session, setup)
  })

  app.post(factorPaths.setup, async (request, reply) => {
    const session = await loadBrowserSession(request, factorPaths.setup)
    const form = checkedForm(keyring, request, session)
    await requireOwnFactor(request, session)
    const typed = form.get('code') ?? ''
    const outcome = await switchOnSecondFactor(request.at, keyring, session, {
      setup: form.get('setup') ?? '',
      typed,
      requestId: request.id,
    })
    switch (outcome.kind) {
      case 'on':
        request.queuedMail = true
        rememberBrowser(context, request, reply, session.person.email, knownByCode(outcome.since))
        return showCodes(context, request, reply, session, outcome.codes, true)
      case 'wrong_code': {
        const problem = typed.trim() === '' ? 'missing' : 'wrong'
        return showSetup(context, request, reply, session, outcome.setup, problem)
      }
      case 'already_on':
        return redirectTo(reply, request, 'site', factorPaths.page)
      case 'expired':
        return redirectTo(reply, request, 'site', `${factorPaths.page}?done=expired`)
    }
  })

  app.post(factorPaths.codes, async (request, reply) => {
    const session = await loadBrowserSession(request, factorPaths.page)
    checkedForm(keyring, request, session)
    await requireOwnFactor(request, session)
    const codes = await replaceRecoveryCodes(request.at, keyring, session.person, request.id)
    if (codes === undefined) return redirectTo(reply, request, 'site', factorPaths.page)
    request.queuedMail = true
    return showCodes(context, request, reply, session, codes, false)
  })

  app.post(factorPaths.off, async (request, reply) => {
    const session = await loadBrowserSession(request, factorPaths.page)
    checkedForm(keyring, request, session)
    await requireOwnFactor(request, session)
    await switchOffSecondFactor(request.at, session.person, request.id)
    request.queuedMail = true
    return redirectTo(reply, request, 'site', `${factorPaths.page}?done=off`)
  })
}

function showSetup(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  setup: AuthenticatorSetup,
  problem?: 'missing' | 'wrong',
): FastifyReply {
  const page = setupFactorPage({
    ...frameFor(context, request, reply, session),
    setup,
    otpauthUrl: otpauthUrl(setup.secret, request.school.name, session.person.email),
    problem,
  })
  return sendPage(reply, request, 'site', page, problem === undefined ? 200 : 400)
}

function showCodes(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  codes: readonly string[],
  isNew: boolean,
): FastifyReply {
  const page = recoveryCodesPage({
    ...frameFor(context, request, reply, session),
    codes,
    isNew,
  })
  return sendPage(reply, request, 'site', page)
}
