import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endByNotMeLink, findNotMe } from '../../../domain/people/not-me-link.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { forgetSession } from '../browser-session.ts'
import { orBusy } from '../or-busy.ts'
import { checkedForm, formTokenFor, redirectTo, sendPage } from '../page-request.ts'
import { queryOf } from '../site-frame.ts'
import { everythingEndedPage, NOT_ME_PATH, notMeExpiredPage, notMePage } from '../views/not-me.tsx'

/** The link "it was not me" of a mail. Opening it changes nothing: programs open links to check mails. */
export function addNotMeRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(NOT_ME_PATH, async (request, reply) => {
    const query = queryOf(request)
    if (query.has('done')) {
      return sendPage(reply, request, 'site', everythingEndedPage(brandingOf(request.school)))
    }
    return await ask(context, request, reply, query.get('token') ?? '')
  })

  app.post(NOT_ME_PATH, async (request, reply) => {
    request.queuedMail = true
    const session = await findBrowserSession(request)
    const form = checkedForm(context.keyring, request, session)
    const token = form.get('token') ?? ''
    const hasEnded = await orBusy(endByNotMeLink(request.at, token, request.id))
    if (typeof hasEnded === 'object') {
      reply.header('retry-after', hasEnded.retryAfterSeconds)
      return await ask(context, request, reply, token, 503)
    }
    if (!hasEnded) return expired(request, reply)
    if (session !== undefined) forgetSession(request, reply)
    return redirectTo(reply, request, 'site', `${NOT_ME_PATH}?done`)
  })
}

async function ask(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  status = 200,
): Promise<FastifyReply> {
  const person = await findNotMe(request.at, token)
  if (person === undefined) return expired(request, reply)
  const session = await findBrowserSession(request)
  const page = notMePage({
    school: brandingOf(request.school),
    formToken: formTokenFor(context.keyring, request, reply, session),
    token,
    email: person.email,
    isBusy: status === 503,
  })
  return sendPage(reply, request, 'site', page, status)
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply, request, 'site', notMeExpiredPage(brandingOf(request.school)), 400)
}
