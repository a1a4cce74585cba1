import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DocumentClients } from '../../domain/clients/document-clients.ts'
import { addressBucket, clientAddress } from '../../foundation/http/client-address.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { checkRate, createRateLimiter } from '../../foundation/http/rate-limit.ts'
import { rawQuery } from '../../foundation/http/raw-url.ts'
import { acceptForms, acceptJson } from '../../foundation/http/request-body.ts'
import { apiHeaders, setPageHeaders } from '../../foundation/http/security-headers.ts'
import { Parameters, parseParameters } from '../../foundation/protocol/parameters.ts'
import type { AppContext } from '../../gate/context.ts'
import { answerBearerError, answerOAuthError } from '../../gate/refusal.ts'
import { answerAuthorizationRequest } from './authorize.ts'
import { answerAuthorizationError } from './authorize-error.ts'
import { addDiscoveryRoutes } from './discovery-routes.ts'
import { ENDPOINTS } from './endpoints.ts'
import { answerIntrospectionRequest } from './introspect.ts'
import { answerRegistrationRequest, asMetadataError } from './register.ts'
import { answerRevocationRequest } from './revoke.ts'
import { answerTokenRequest } from './token.ts'
import { answerUserInfoRequest } from './userinfo.ts'

/** The authorization server of every origin. */
export function addOAuthRoutes(
  app: FastifyInstance,
  context: AppContext,
  documents: DocumentClients,
): void {
  app.register(async (scope) => {
    nameSurface(scope, 'oauth')
    scope.setErrorHandler(answerOAuthError)
    addDiscoveryRoutes(scope, documents)
    addTokenRoutes(scope, context)
    addRegistrationRoute(scope, context)
  })
  app.register(async (scope) => {
    nameSurface(scope, 'oauth')
    scope.setErrorHandler(answerBearerError)
    addUserInfoRoutes(scope)
  })
  app.register(async (scope) => {
    nameSurface(scope, 'oauth')
    scope.setErrorHandler(answerAuthorizationError)
    addAuthorizeRoutes(scope, context, documents)
  })
}

function addTokenRoutes(app: FastifyInstance, context: AppContext): void {
  const limiter = createRateLimiter({
    name: 'token',
    quota: context.limits.tokenPerSecond,
    windowSeconds: 1,
  })
  /** Per client and address: one client's storm must not lock out the others of its office. */
  const limit = (request: FastifyRequest, reply: FastifyReply): void => {
    const clientId = request.body instanceof Parameters ? request.body.get('client_id') : ''
    const key = `${request.school.id} ${addressBucket(clientAddress(request))} ${clientId}`
    checkRate(limiter, key, reply)
  }
  app.register(async (scope) => {
    acceptForms(scope, parseParameters)
    scope.post(ENDPOINTS.token, async (request, reply) => {
      limit(request, reply)
      return sendJson(reply, 200, await answerTokenRequest(context, request))
    })
    scope.post(ENDPOINTS.revoke, async (request, reply) => {
      limit(request, reply)
      await answerRevocationRequest(request)
      return sendJson(reply, 200, {})
    })
    scope.post(ENDPOINTS.introspect, async (request, reply) => {
      if (request.school.variant !== 'older') return reply.callNotFound()
      limit(request, reply)
      return sendJson(reply, 200, await answerIntrospectionRequest(request))
    })
  })
}

function addRegistrationRoute(app: FastifyInstance, context: AppContext): void {
  const limiter = createRateLimiter({
    name: 'registration',
    quota: context.limits.registrationPerMinute,
    windowSeconds: 60,
  })
  app.register(async (scope) => {
    acceptForms(scope, parseParameters)
    acceptJson(scope)
    scope.setErrorHandler((error, request, reply) =>
      answerOAuthError(asMetadataError(error), request, reply),
    )
    scope.post(ENDPOINTS.register, async (request, reply) => {
      checkRate(limiter, addressBucket(clientAddress(request)), reply)
      return sendJson(reply, 201, await answerRegistrationRequest(context, request))
    })
  })
}

function addUserInfoRoutes(app: FastifyInstance): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) =>
    sendJson(reply, 200, await answerUserInfoRequest(request))
  // The token travels in the header alone; whatever a POST brings as its body is not looked at.
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    payload.on('end', () => done(null))
  })
  app.get(ENDPOINTS.userinfo, answer)
  app.post(ENDPOINTS.userinfo, answer)
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
  documents: DocumentClients,
): void {
  app.register(async (scope) => {
    acceptForms(scope, (text) => text)
    scope.get(ENDPOINTS.authorize, async (request, reply) => {
      setPageHeaders(reply, request.school.origin, 'authorization')
      const query = rawQuery(request.raw.url ?? '')
      return reply.redirect(
        await answerAuthorizationRequest(context, documents, request, query),
        303,
      )
    })
    scope.post(ENDPOINTS.authorize, async (request, reply) => {
      setPageHeaders(reply, request.school.origin, 'authorization')
      const text = typeof request.body === 'string' ? request.body : ''
      return reply.redirect(`${ENDPOINTS.authorize}?${text}`, 303)
    })
  })
}

function sendJson(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers(apiHeaders('no-store'))
    .header('content-type', 'application/json')
    .send(JSON.stringify(body))
}
