import type { FastifyRequest } from 'fastify'
import { recordOnceAnHour } from '../../domain/audit/repeated-entries.ts'
import type { AuthenticatedClient } from '../../domain/clients/client.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'

/**
 * Runs the checks that follow once a client authenticated, and writes a refusal into the audit if the
 * client sent its secret. The client_id of a public application is no proof: a stranger who read it
 * somewhere could fill the table with refusals.
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
      await recordOnceAnHour(request.at, {
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
