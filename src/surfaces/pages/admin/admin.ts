import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf } from '../frame/layout.tsx'
import { redirectTo } from '../frame/page-request.ts'
import { adminPaths } from '../frame/paths.ts'
import { addAnalyticsRoutes } from './analytics/analytics.tsx'
import { addApplicationRoutes } from './apps/applications.tsx'
import { addAssistantRoutes } from './apps/assistants.tsx'
import { addClientRoutes } from './apps/clients.ts'
import { addOwnClientRoutes } from './apps/own-clients.tsx'
import { tools } from './apps/tools.tsx'
import { addAuditRoutes } from './audit/audit.tsx'
import { addOverviewRoutes } from './overview/overview.tsx'
import { addSchoolRoutes } from './school-pages.ts'
import { addKeyRoutes } from './settings/keys.tsx'
import { addSettingsRoutes } from './settings/settings.tsx'
import { addStopAllRoutes } from './settings/stop-all.tsx'

/** Pages for owners and admins. Every route first loads the operator, and refuses other people. */
export function addAdminRoutes(app: FastifyInstance, context: AppContext): void {
  addOverviewRoutes(app, context)
  addSchoolRoutes(app, context)
  addAnalyticsRoutes(app, context)
  addSettingsRoutes(app, context)
  addApplicationRoutes(app, context)
  addAssistantRoutes(app, context)
  addOwnClientRoutes(app, context, tools)
  addClientRoutes(app, context)
  addStopAllRoutes(app, context)
  addKeyRoutes(app, context)
  addMovedRoutes(app)
  addAuditRoutes(app, context)
}

/** Pages that once stood in the Developers area, for bookmarks and links in mails. */
const MOVED: Readonly<Record<string, string>> = {
  '/admin/developers/clients': adminPaths.clients,
  '/admin/developers/clients/view': adminPaths.client,
  '/admin/developers/keys': adminPaths.keys,
}

function addMovedRoutes(app: FastifyInstance): void {
  for (const [from, to] of Object.entries(MOVED)) {
    app.get(from, (request, reply) => {
      const query = queryOf(request).toString()
      return redirectTo(reply, request, 'site', query === '' ? to : `${to}?${query}`)
    })
  }
}
