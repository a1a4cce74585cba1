import type { FastifyInstance } from 'fastify'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'

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
