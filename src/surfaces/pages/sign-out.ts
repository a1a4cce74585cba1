import type { FastifyInstance } from 'fastify'
import { openPending } from '../../domain/grants/pending-authorization.ts'
import { endSession } from '../../domain/people/sessions.ts'
import { brandingOf } from '../../gate/branding.ts'
import { findBrowserSession } from '../../gate/browser-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { forgetSession } from './browser-session.ts'
import { checkedForm, formTokenFor, sendOn, sendPage } from './page-request.ts'
import { signOutPage } from './views/sign-out.tsx'

/** A link alone signs nobody out: any page could hold it as a picture. */
export function addSignOutRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/sign-out', async (request, reply) => {
    const session = await findBrowserSession(request)
    if (session === undefined) return sendOn(reply, request, 'site', '/')
    const page = signOutPage({
      school: brandingOf(request.school),
      person: { name: session.person.name, email: session.person.email },
      formToken: formTokenFor(context.keyring, request, reply, session),
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post('/sign-out', async (request, reply) => {
    const session = await findBrowserSession(request)
    const form = checkedForm(context.keyring, request, session)
    if (session !== undefined) await endSession(request.at, session.id)
    forgetSession(request, reply)
    const sealed = form.get('request') ?? undefined
    const pending = openPending(context.keyring, request.school.id, sealed)
    const next = pending === undefined ? '/' : `/sign-in?request=${sealed}`
    return sendOn(reply, request, 'authorization', next)
  })
}
