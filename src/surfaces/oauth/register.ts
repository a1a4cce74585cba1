import type { FastifyInstance, FastifyRequest } from 'fastify'
import { SCOPES_OF_AUDIENCE } from '../../domain/clients/scope-catalogue.ts'
import {
  findVendorPlatformByName,
  knownPlatformNames,
} from '../../domain/clients/vendor-platforms.ts'
import { acrossSchools } from '../../foundation/db/school-db.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import { findClientFault } from '../../foundation/http/client-fault.ts'
import { createAddressRateLimiter, rateLimitHook } from '../../foundation/http/rate-limit.ts'
import { acceptForms, acceptJson } from '../../foundation/http/request-body.ts'
import { STRANGER } from '../../foundation/json/json-walk.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { Parameters, parseParameters } from '../../foundation/protocol/parameters.ts'
import type { AppContext } from '../../gate/context.ts'
import { answerOAuthError } from '../../gate/refusal.ts'
import { refuseOtherMethods, sendJson } from './audit-refusal.ts'
import { grantTypes } from './grant-types.ts'

/**
 * Hands a known vendor platform its client_id, the same each time. Whatever else the body says
 * changes nothing: redirect URIs and scopes are the list's, not the caller's. This is not open
 * registration.
 *
 * @see RFC 7591 §3.2 for the shape of the answers
 */
async function answerRegistrationRequest(
  request: FastifyRequest,
): Promise<Record<string, unknown>> {
  const name = clientNameOf(request.body)
  const db = acrossSchools(request.schoolDb)
  const platform = name === undefined ? undefined : await findVendorPlatformByName(db, name)
  if (platform === undefined) {
    throw unknownName(await knownPlatformNames(db), request.school.origin)
  }
  request.outcome.clientId = platform.clientId
  return {
    client_id: platform.clientId,
    client_name: platform.clientName,
    redirect_uris: platform.redirectUris,
    grant_types: [...grantTypes.keys()],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: SCOPES_OF_AUDIENCE.operator.toString(),
  }
}

/**
 * Leaves room in a description for the advice after the names, whatever the length of the origin.
 */
const NAMES_LENGTH = 120

/**
 * Assistants show it to their user, who can do no more than enter a client_id that the school gave
 * out.
 */
function unknownName(names: readonly string[], origin: string): OAuthError {
  let known = names.join(', ')
  if (known.length > NAMES_LENGTH) {
    const fitting = known.slice(0, NAMES_LENGTH)
    known = `${fitting.slice(0, fitting.lastIndexOf(', '))} and others`
  }
  return new OAuthError(
    'invalid_client_metadata',
    `client_name is not that of a known integration. Known, matched exactly: ${known || 'none'}. Any other program needs a client_id: ask an owner or admin of the school, who makes one in the admin area, and enter it in the settings of the program. See ${origin}/docs#assistants`,
  )
}

function clientNameOf(body: unknown): string | undefined {
  if (body instanceof Parameters) return body.get('client_name')
  if (typeof body !== 'object' || body === null) return undefined
  const name: unknown = Reflect.get(body, 'client_name')
  return typeof name === 'string' && !CONTROL_CHARACTER.test(name) ? name : undefined
}

/** PostgreSQL refuses a NUL byte in text, and no known name has a control character. */
const CONTROL_CHARACTER = /\p{Cc}/u

/** A body that cannot be read names no known integration either. */
function asMetadataError(error: unknown): unknown {
  if (error instanceof OAuthError && error.code === 'invalid_request') {
    return new OAuthError('invalid_client_metadata', error.description, { cause: error })
  }
  const fault = findClientFault(error)
  if (fault === undefined || fault.status === 429) return error
  return new OAuthError('invalid_client_metadata', fault.description, {
    status: fault.status === 413 ? 413 : 400,
    cause: error,
  })
}

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
