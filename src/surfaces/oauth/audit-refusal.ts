import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { recordOnceAnHour } from '../../domain/audit/repeated-entries.ts'
import type { AuthenticatedClient } from '../../domain/clients/client.ts'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'

/**
 * Runs the checks that follow once a client authenticated, and writes a refusal into the audit if
 * the client sent its secret. The client_id of a public application is no proof: a stranger who
 * read it somewhere could fill the table with refusals.
 */
export async function auditRefusal<R>(
  request: FastifyRequest,
  client: AuthenticatedClient,
  secret: string | undefined,
  work: () => Promise<R>,
): Promise<R> {
  request.outcome.clientId = client.clientId
  try {
    return await work()
  } catch (error) {
    if (secret !== undefined && error instanceof OAuthError && error.status < 500) {
      await recordOnceAnHour(request.schoolDb, {
        action: 'token.refused',
        outcome: error.code,
        clientId: client.clientId,
        detail: { description: error.description },
        requestId: request.id,
      })
    }
    throw error
  }
}

/** @see RFC 6749 §5.2 (a missing required parameter is invalid_request) */
export function requireParameter(form: Parameters, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

type Method = (typeof METHODS)[number]

/**
 * Tells a developer who sent the wrong method which one is right, before the body is looked at: a
 * bare 404 would send them searching for another path.
 *
 * @see RFC 9110 §15.5.6
 */
export function refuseOtherMethods(
  scope: FastifyInstance,
  path: string,
  allowed: readonly Method[],
): void {
  scope.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url: path,
    onRequest: (_request, reply, done) => {
      reply.header('allow', allowed.join(', '))
      done(new RequestRefusedError(405, `Send ${allowed.join(' or ')} to this endpoint.`))
    },
    handler: (_request, reply) => reply.callNotFound(),
  })
}

/** @see RFC 6749 §5.1 (neither tokens nor refusals may be kept by a cache) */
export function sendJson(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers(apiHeaders('no-store'))
    .header('pragma', 'no-cache')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body))
}
