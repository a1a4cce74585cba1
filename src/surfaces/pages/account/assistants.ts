import type { FastifyInstance } from 'fastify'
import { offeredAssistants } from '../../../domain/clients/assistants.ts'
import { COPY_SCRIPT } from '../../../foundation/html/copyable.tsx'
import { TOOL_ENDPOINTS } from '../../../foundation/protocol/resource-names.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { sendScriptedPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { memberAssistantsPage } from '../views/assistants/member-assistants.tsx'

/** For members: the assistants that the school offers, and how to connect each. */
export function addMemberAssistantRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/account/assistants', async (request, reply) => {
    const session = await loadBrowserSession(request)
    const { school } = request
    const page = memberAssistantsPage({
      ...frameFor(context, request, reply, session),
      address: school.origin + TOOL_ENDPOINTS.member,
      server: school.subdomain,
      variant: school.variant,
      hasRole: session.roles.length > 0,
      developersShown: school.mcpConnections,
      contactEmail: school.contactEmail,
      offered: await offeredAssistants(request.at),
    })
    return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page)
  })
}
