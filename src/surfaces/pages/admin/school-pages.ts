import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { rawPath } from '../../../foundation/http/request-body.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { actAs } from '../frame/session.ts'
import { addActionRoutes } from './crud/action.tsx'
import { addChangeRoutes, addCreateRoutes } from './crud/form.tsx'
import { addListRoute } from './crud/list.tsx'
import { loadNamed } from './crud/named.ts'
import { addObjectRoute } from './crud/object.tsx'
import { addRelatedRoutes } from './crud/related.ts'
import { type AdminResource, listPath, objectPath } from './crud/resource.ts'
import { addSelectionRoutes } from './crud/selection.tsx'
import { addSettingsPage } from './crud/settings-page.ts'
import { addJobRoutes } from './crud/transfers.tsx'
import { addUploadRoutes, fileIdIn } from './crud/upload.tsx'
import { asOperator } from './frame/operator.ts'
import { RESOURCES } from './resources/all-resources.ts'
import { addCheckInRoutes } from './resources/check-in.tsx'
import { addCurriculumRoutes } from './resources/curriculum-page.tsx'
import { addSearchRoute } from './resources/search.tsx'
import { addAppearanceRoutes, details } from './settings/appearance.tsx'

/**
 * Enough for the longest text, of which each byte may be sent as three, and for one that is too
 * long by a bit.
 */
const BODY = { bodyLimit: 1024 * 1024 }

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner or admin who sent a form; set before the body is read. */
    formSender: BrowserSession | undefined
  }
}

/** The pages for everything that a school teaches, sells and publishes, for owners and admins. */
export function addSchoolRoutes(app: FastifyInstance, context: AppContext): void {
  app.register(async (scope) => {
    scope.decorateRequest('formSender')
    // Runs before the body is read, so that a stranger cannot make the server read a large upload.
    // A form without a session is read: if its session has ended, `enter` keeps it for the person.
    scope.addHook('onRequest', async (request) => {
      if (request.method !== 'POST') return
      request.returnTo = rawPath(request.raw.url ?? '')
      const session = await findBrowserSession(request)
      if (session === undefined && isPlainForm(request)) return
      request.formSender = asOperator(request, session, request.returnTo)
      actAs(request, request.formSender, request.returnTo)
    })
    for (const resource of RESOURCES) addResourceRoutes(scope, context, resource)
    addCheckInRoutes(scope, context)
    addCurriculumRoutes(scope, context)
    addJobRoutes(scope, context)
    addSearchRoute(scope, context)
    addSettingsPage(scope, context, details)
    addAppearanceRoutes(scope, context)
  })
}

function isPlainForm({ headers }: FastifyRequest): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')
}

function addResourceRoutes(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
): void {
  addListRoute(app, context, resource)
  addSelectionRoutes(app, context, resource)
  addCreateRoutes(app, context, resource, BODY)
  addObjectRoute(app, context, resource)
  addChangeRoutes(app, context, resource, BODY)
  addActionRoutes(app, context, resource)
  addRelatedRoutes(app, context, resource, BODY)
  addFileRoutes(app, context, resource)
}

function addFileRoutes(app: FastifyInstance, context: AppContext, resource: AdminResource): void {
  const { uploads = [], change } = resource
  if (change === undefined) return
  for (const upload of uploads) {
    addUploadRoutes(app, context, {
      route: `${listPath(resource)}/:id/${upload.path}`,
      upload,
      find: async (visit) => {
        const object = await loadNamed(visit, resource)
        return {
          path: objectPath(resource, object, `/${upload.path}`),
          back: { url: objectPath(resource, object), label: resource.name(object) },
          fileId: fileIdIn(object, upload),
          attach: (file) => visit.perform(change, { id: object.id, [upload.field]: file }),
        }
      },
    })
  }
}
