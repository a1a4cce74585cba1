import type { FastifyInstance } from 'fastify'
import { clientAddress } from '../../foundation/http/client-address.ts'
import { createAddressRateLimiter, rateLimitHook } from '../../foundation/http/rate-limit.ts'
import { acceptForms, acceptJson } from '../../foundation/http/request-body.ts'
import { STRANGER } from '../../foundation/json/json-walk.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { parseParameters } from '../../foundation/protocol/parameters.ts'
import type { AppContext } from '../../gate/context.ts'
import { answerOAuthError } from '../../gate/refusal.ts'
import { refuseOtherMethods } from './other-methods.ts'
import { answerRegistrationRequest, asMetadataError } from './register.ts'
import { sendJson } from './send-json.ts'

export function addRegistrationRoutes(app: FastifyInstance, context: AppContext): void {
  const limiter = createAddressRateLimiter({
    name: 'registration',
    quota: context.limits.registrationPerMinute,
    windowSeconds: 60,
  })
  refuseOtherMethods(app, ENDPOINTS.register, ['POST'])
  app.register(async (scope) => {
    acceptForms(scope, parseParameters, context.limits.formBodyBytes)
    acceptJson(scope, { bodyBytes: context.limits.formBodyBytes, limits: STRANGER })
    scope.setErrorHandler((error, request, reply) =>
      answerOAuthError(asMetadataError(error), request, reply),
    )
    // Before the body is read.
    const onRequest = rateLimitHook(limiter, clientAddress)
    scope.post(ENDPOINTS.register, { onRequest }, async (request, reply) =>
      sendJson(reply, 201, await answerRegistrationRequest(request)),
    )
  })
}
