import type { FastifyReply, FastifyRequest } from 'fastify'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { Parameters } from '../../foundation/protocol/parameters.ts'

/** The parsed form of a request that may only send a form; a request without a body is refused. */
export function formOf(request: FastifyRequest): Parameters {
  if (request.body instanceof Parameters) return request.body
  throw new RequestRefusedError(
    400,
    'Send the parameters in the body, with Content-Type: application/x-www-form-urlencoded.',
  )
}

/** The schemes that clients send here. A challenge in another scheme would mean nothing to them. */
const SCHEME = /^(basic|bearer)(?: |$)/i

/**
 * HTTP Basic is not offered. A client that sends it to the token or introspection endpoint is told so
 * instead of being treated as a public one, with a challenge of the scheme it used, as the RFC requires.
 *
 * @see RFC 6749 §2.3.1 and §5.2
 */
export function checkNoAuthorizationHeader(request: FastifyRequest, reply: FastifyReply): void {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const scheme = SCHEME.exec(authorization)?.[1]
    if (scheme !== undefined) {
      reply.header('www-authenticate', `${scheme} realm="${request.school.origin}"`)
    }
    throw new OAuthError(
      'invalid_client',
      'Clients authenticate with client_id and client_secret in the form body (client_secret_post), not by an Authorization header.',
    )
  }
}
