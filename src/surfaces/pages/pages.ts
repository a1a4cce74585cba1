import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DocumentClients } from '../../domain/clients/document-clients.ts'
import { isDatabaseUnavailable } from '../../foundation/db/unavailable.ts'
import { errorPage } from '../../foundation/html/error-page.tsx'
import { unavailablePage } from '../../foundation/html/error-pages.tsx'
import { findClientFault } from '../../foundation/http/client-fault.ts'
import { logFailure } from '../../foundation/http/last-resort.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { acceptForms } from '../../foundation/http/request-body.ts'
import { brandingOf } from '../../gate/branding.ts'
import type { AppContext } from '../../gate/context.ts'
import { addAssetRoutes } from './assets.ts'
import { addConsentRoutes } from './consent.ts'
import { sendPage } from './page-request.ts'
import { addSignInRoutes } from './sign-in.ts'

/** Everything a person sees. */
export function addPageRoutes(
  app: FastifyInstance,
  context: AppContext,
  documents: DocumentClients,
): void {
  app.register(async (scope) => {
    nameSurface(scope, 'pages')
    scope.setErrorHandler(answerPageError)
    acceptForms(scope, (text) => new URLSearchParams(text))
    addAssetRoutes(scope)
    addSignInRoutes(scope, context, documents)
    addConsentRoutes(scope, context, documents)
  })
}

function answerPageError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const place = { reference: request.id, school: brandingOf(request.school) }
  const fault = findClientFault(error)
  if (fault !== undefined) {
    const page = errorPage({
      ...place,
      title: 'This did not work',
      what: fault.description,
      next: 'Go back, reload the page and try again.',
    })
    return sendPage(reply, request, 'authorization', page, fault.status)
  }
  logFailure(request, error)
  if (isDatabaseUnavailable(error)) reply.header('retry-after', 5)
  const status = isDatabaseUnavailable(error) ? 503 : 500
  return sendPage(reply, request, 'authorization', unavailablePage(place), status)
}
