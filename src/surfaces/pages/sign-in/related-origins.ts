import type { FastifyInstance } from 'fastify'
import type { TrustProxy } from '../../../foundation/http/client-address.ts'
import { nameSurface } from '../../../foundation/http/observe-requests.ts'
import { createOriginReader } from '../../../foundation/http/origin.ts'
import { apiHeaders } from '../../../foundation/http/security-headers.ts'
import type { AppContext } from '../../../gate/context.ts'

/**
 * The origins that may use passkeys of the installation's domain, at that domain, whether or not a
 * school is there. Only the origins that the administrator named: a list of all schools would tell
 * each of the others.
 *
 * @see WebAuthn Level 3 §5.11
 */
export function addRelatedOrigins(
  app: FastifyInstance,
  { passkeys }: AppContext,
  trust: TrustProxy,
): void {
  if (passkeys === undefined || passkeys.origins.length === 0) return
  const readOrigin = createOriginReader(trust)
  app.register(async (scope) => {
    nameSurface(scope, 'pages')
    scope.get('/.well-known/webauthn', (request, reply) => {
      const { origin } = readOrigin(request)
      if (origin === undefined || new URL(origin).hostname !== passkeys.domain) {
        return reply.callNotFound()
      }
      return reply.headers(apiHeaders('cacheable')).send({ origins: passkeys.origins })
    })
  })
}
