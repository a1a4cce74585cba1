import type { FastifyInstance } from 'fastify'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { acceptForms, rawQuery } from '../../foundation/http/request-body.ts'
import { setPageHeaders } from '../../foundation/http/security-headers.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import type { GoodTokens } from '../../gate/bad-tokens.ts'
import type { AppContext } from '../../gate/context.ts'
import { answerBearerError, answerOAuthError } from '../../gate/refusal.ts'
import { answerAuthorizationRequest, authorizationRequestAsGet } from './authorize.ts'
import { answerAuthorizationError } from './authorize-error.ts'
import { addDiscoveryRoutes } from './discovery-routes.ts'
import { refuseOtherMethods } from './other-methods.ts'
import { addRegistrationRoutes } from './registration-routes.ts'
import { addTokenRoutes } from './token-routes.ts'
import { addToolDocumentRoutes } from './tool-document.ts'
import { addUserInfoRoutes } from './userinfo-routes.ts'

/** The authorization server of every origin. */
export function addOAuthRoutes(
  app: FastifyInstance,
  context: AppContext,
  metadataClients: MetadataClients,
  goodTokens: GoodTokens,
): void {
  app.register(async (scope) => {
    nameSurface(scope, 'oauth')
    scope.setErrorHandler(answerOAuthError)
    addDiscoveryRoutes(scope, metadataClients)
    addToolDocumentRoutes(scope)
    addTokenRoutes(scope, context, goodTokens)
    addRegistrationRoutes(scope, context)
  })
  app.register(async (scope) => {
    nameSurface(scope, 'oauth')
    scope.setErrorHandler(answerBearerError)
    addUserInfoRoutes(scope, context)
  })
  app.register(async (scope) => {
    nameSurface(scope, 'oauth')
    scope.setErrorHandler(answerAuthorizationError)
    addAuthorizeRoutes(scope, context, metadataClients)
  })
}

/**
 * A cross-site POST carries no SameSite cookie, so the browser is sent on to the same request as a
 * GET before anything is looked at.
 *
 * @see RFC 6749 §3.1
 */
function addAuthorizeRoutes(
  app: FastifyInstance,
  context: AppContext,
  metadataClients: MetadataClients,
): void {
  app.register(async (scope) => {
    acceptForms(scope, (text) => text, context.limits.formBodyBytes)
    scope.get(ENDPOINTS.authorize, async (request, reply) => {
      setPageHeaders(reply, request.school.origin, 'authorization')
      const query = rawQuery(request.raw.url ?? '')
      return reply.redirect(
        await answerAuthorizationRequest(context, metadataClients, request, query),
        303,
      )
    })
    scope.post(ENDPOINTS.authorize, async (request, reply) => {
      setPageHeaders(reply, request.school.origin, 'authorization')
      const text = typeof request.body === 'string' ? request.body : ''
      return reply.redirect(authorizationRequestAsGet(text), 303)
    })
    refuseOtherMethods(scope, ENDPOINTS.authorize, ['GET', 'POST'])
  })
}
