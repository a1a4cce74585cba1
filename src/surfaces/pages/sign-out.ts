import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openSignOut } from '../../domain/clients/sign-out-request.ts'
import { openPending } from '../../domain/grants/pending-authorization.ts'
import { endSession } from '../../domain/people/sessions.ts'
import { brandingOf } from '../../gate/branding.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { forgetSession } from './browser-session.ts'
import { leaveSignedOut } from './end-session.ts'
import { checkedForm, formTokenFor, redirectTo, sendPage, uncheckedForm } from './page-request.ts'
import { signOutPage } from './views/sign-out.tsx'

/** Here only a POST signs out: any site could load a GET address as an image. */
export function addSignOutRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/sign-out', async (request, reply) => {
    const session = await findBrowserSession(request)
    if (session === undefined) return redirectTo(reply, request, 'site', '/')
    const page = signOutPage({
      school: brandingOf(request.school),
      person: { name: session.person.name, email: session.person.email },
      formToken: formTokenFor(context.keyring, request, reply, session),
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post('/sign-out', async (request, reply) => {
    const session = await findBrowserSession(request)
    // Signed out already, for example in another tab. The cookie stays: a forged post arrives without
    // cookies and must not make the browser delete its session cookie.
    if (session === undefined) return await leave(context, request, reply, uncheckedForm(request))
    const form = checkedForm(context.keyring, request, session)
    await endSession(request.at, session.id)
    forgetSession(request, reply)
    return await leave(context, request, reply, form)
  })
}

/**
 * Redirects to the app that asked for it, to sign-in if an app waits for another account, or to the
 * home page.
 */
async function leave(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  form: URLSearchParams,
): Promise<FastifyReply> {
  const sealedSignOut = form.get('logout') ?? undefined
  const asked = openSignOut(context.keyring, request.school.id, sealedSignOut)
  if (asked !== undefined) return await leaveSignedOut(request, reply, asked)
  const sealedRequest = form.get('request') ?? undefined
  const pending = openPending(context.keyring, request.school.id, sealedRequest)
  const next = pending === undefined ? '/' : `/sign-in?request=${sealedRequest}`
  return redirectTo(reply, request, 'authorization', next)
}
