import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { changeSchool, type SchoolRefusal } from '../../../domain/schools/manage-school.ts'
import type { SchoolChanges } from '../../../domain/schools/school-details.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, sendOn, sendPage } from '../page-request.ts'
import { paths } from '../views/admin/admin-page.tsx'
import { settingsPage } from '../views/admin/settings.tsx'
import { adminFrame, loadOperator, operatorActor } from './operator.ts'

const NOTICES = {
  'mcp-on': 'MCP connections is on. OAuth applications are under Developers now.',
  'mcp-off': 'MCP connections is off. Existing applications go on working.',
  saved: 'Saved.',
}

export function addSettingsRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.settings, async (request, reply) => {
    const operator = await loadOperator(request)
    const { mcpConnections, endAuthorizationOnReplay } = request.school
    const page = settingsPage({
      ...adminFrame(context, request, reply, operator, NOTICES),
      mcpConnections,
      endAuthorizationOnReplay,
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post(`${paths.settings}/beta`, async (request, reply) => {
    const operator = await loadOperator(request, paths.settings)
    const form = checkedForm(context.keyring, request, operator)
    const mcpConnections = form.get('mcp_connections') === 'on'
    await saveSchool(context, request, operator, { mcpConnections })
    const done = mcpConnections ? 'mcp-on' : 'mcp-off'
    return sendOn(reply, request, 'site', `${paths.settings}?done=${done}`)
  })

  app.post(`${paths.settings}/security`, async (request, reply) => {
    const operator = await loadOperator(request, paths.settings)
    const form = checkedForm(context.keyring, request, operator)
    const endAuthorizationOnReplay = form.get('end_authorization_on_replay') === 'on'
    await saveSchool(context, request, operator, { endAuthorizationOnReplay })
    return sendOn(reply, request, 'site', `${paths.settings}?done=saved`)
  })
}

/** Saves, and forgets what this process had cached: the very next page must show it. */
export async function saveSchool(
  context: AppContext,
  request: FastifyRequest,
  operator: BrowserSession,
  changes: SchoolChanges,
): Promise<{ readonly kind: 'changed' } | SchoolRefusal> {
  const by = operatorActor(request, operator)
  const outcome = await request.at.transaction((tx) => changeSchool(tx, changes, by))
  context.directory.forget(request.school.id)
  return outcome
}
