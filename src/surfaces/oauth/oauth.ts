import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Client, findClient } from '../../domain/clients/client.ts'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import { TOOLS_PATH } from '../../domain/clients/tool-operations.ts'
import { type IdentityClaims, identityClaims, namesPerson } from '../../domain/grants/claims.ts'
import { noteActivity } from '../../domain/grants/count-activity.ts'
import { constantDocument, sendDocument } from '../../foundation/http/conditional.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { acceptForms, rawQuery } from '../../foundation/http/request-body.ts'
import { setPageHeaders } from '../../foundation/http/security-headers.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import type { GoodTokens } from '../../gate/bad-tokens.ts'
import { loadKnownCaller } from '../../gate/bearer-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { answerBearerError, answerOAuthError } from '../../gate/refusal.ts'
import { refuseOtherMethods, sendJson } from './audit-refusal.ts'
import { answerAuthorizationRequest, authorizationRequestAsGet } from './authorize.ts'
import { answerAuthorizationError } from './authorize-error.ts'
import { addDiscoveryRoutes } from './discovery.ts'
import { grantTypes } from './grant-types.ts'
import { addRegistrationRoutes } from './register.ts'
import { addTokenRoutes } from './token-routes.ts'

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

function addUserInfoRoutes(app: FastifyInstance, context: AppContext): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) =>
    sendJson(reply, 200, await answerUserInfoRequest(request))
  // Only the header carries a token; the body of a POST is not read.
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: context.limits.formBodyBytes },
    (_request, _body, done) => done(null),
  )
  app.get(ENDPOINTS.userinfo, answer)
  app.post(ENDPOINTS.userinfo, answer)
  refuseOtherMethods(app, ENDPOINTS.userinfo, ['GET', 'POST'])
}

/** @see OpenID Connect Core 1.0 §5.3 */
async function answerUserInfoRequest(request: FastifyRequest): Promise<IdentityClaims> {
  const caller = await loadKnownCaller(request)
  const claims = identityClaims(request.school, caller.person, caller.roles, caller.scopes)
  if (namesPerson(claims)) noteActivity(request.schoolDb, caller, 'profile', 'read')
  return claims
}

/** As long as the shortest time for which a server may keep a document. */
const DOCUMENT_SECONDS = 300

/** The metadata documents of the tools that a school made. A disabled tool keeps its document. */
function addToolDocumentRoutes(app: FastifyInstance): void {
  const path = `${TOOLS_PATH}:file`
  app.get(path, async (request, reply) => {
    const { file } = request.params as { file: string }
    const client = file.includes('\0')
      ? undefined
      : await findClient(request.schoolDb, request.school.origin + TOOLS_PATH + file)
    if (client?.kind !== 'tool') return reply.callNotFound()
    const document = constantDocument(toolDocument(client), { maxAgeSeconds: DOCUMENT_SECONDS })
    return sendDocument(request, reply, document)
  })
  refuseOtherMethods(app, path, ['GET'])
}

/** @see draft-ietf-oauth-client-id-metadata-document §4, RFC 7591 §2 */
function toolDocument(client: Client): Record<string, unknown> {
  return {
    client_id: client.clientId,
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: [...grantTypes.keys()],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: client.scopes.toString(),
  }
}
