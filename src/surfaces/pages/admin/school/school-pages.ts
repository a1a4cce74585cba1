import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../../../gate/context.ts'
import type { AdminResource } from './resource.ts'
import { RESOURCES } from './resources.ts'
import { addActionRoutes } from './routes/action-routes.ts'
import { addChangeRoutes, addCreateRoutes } from './routes/form-routes.ts'
import { addListRoute } from './routes/list-routes.ts'
import { addObjectRoute } from './routes/object-routes.ts'
import { addRelatedRoutes } from './routes/related-routes.ts'

/** The longest Markdown that an operation takes, each character escaped nine to one. */
const BODY = { bodyLimit: 2 * 1024 * 1024 }

/** The school itself: all that it teaches, sells and says, for owners and admins. */
export function addSchoolRoutes(app: FastifyInstance, context: AppContext): void {
  for (const resource of RESOURCES) addResourceRoutes(app, context, resource)
}

function addResourceRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
): void {
  addListRoute(app, context, resource)
  addCreateRoutes(app, context, resource, BODY)
  addObjectRoute(app, context, resource)
  addChangeRoutes(app, context, resource, BODY)
  addActionRoutes(app, context, resource)
  addRelatedRoutes(app, context, resource, BODY)
}
