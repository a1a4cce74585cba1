import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../../gate/context.ts'
import { addAnalyticsRoutes } from './analytics/analytics.ts'
import { addOneApplicationRoutes } from './application.ts'
import { addApplicationRoutes } from './applications.ts'
import { addAssistantRoutes } from './assistants.ts'
import { addAuditRoutes } from './audit.ts'
import { addClientRoutes } from './clients.ts'
import { addKeyRoutes } from './keys.ts'
import { addMovedRoutes } from './moved.ts'
import { addOverviewRoutes } from './overview/overview.ts'
import { addSchoolRoutes } from './school/school-pages.ts'
import { addSettingsRoutes } from './settings.ts'
import { addStopAllRoutes } from './stop-all.ts'
import { addToolRoutes } from './tools.ts'

/** Pages for owners and admins. Every route first loads the operator, and refuses other people. */
export function addAdminRoutes(app: FastifyInstance, context: AppContext): void {
  addOverviewRoutes(app, context)
  addSchoolRoutes(app, context)
  addAnalyticsRoutes(app, context)
  addSettingsRoutes(app, context)
  addApplicationRoutes(app, context)
  addOneApplicationRoutes(app, context)
  addAssistantRoutes(app, context)
  addToolRoutes(app, context)
  addClientRoutes(app, context)
  addStopAllRoutes(app, context)
  addKeyRoutes(app, context)
  addMovedRoutes(app)
  addAuditRoutes(app, context)
}
