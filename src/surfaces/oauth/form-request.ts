import type { FastifyRequest } from 'fastify'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { Parameters } from '../../foundation/protocol/parameters.ts'

/** The parsed form of a request whose scope accepts forms alone; an absent body is no form. */
export function formOf(request: FastifyRequest): Parameters {
  if (request.body instanceof Parameters) return request.body
  throw new RequestRefusedError(
    400,
    'Send the parameters in the body, with Content-Type: application/x-www-form-urlencoded.',
  )
}

/**
 * HTTP Basic is not offered. A client that sends it anyway is told so, rather than being taken for
 * a public one.
 *
 * @see RFC 6749 §2.3.1
 */
export function checkNoAuthorizationHeader(request: FastifyRequest): void {
  if (request.headers.authorization !== undefined) {
    throw new OAuthError(
      'invalid_client',
      'Clients authenticate with client_id and client_secret in the form body (client_secret_post), not by an Authorization header.',
    )
  }
}
