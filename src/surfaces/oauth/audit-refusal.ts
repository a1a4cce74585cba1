import type { FastifyRequest } from 'fastify'
import { type AuditAction, record } from '../../domain/audit/audit.ts'
import type { AuthenticatedClient } from '../../domain/clients/client.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'

/**
 * Runs the checks that follow once a client is proven, and notes their refusals for the operator.
 * Before that nothing is written: strangers could fill a table otherwise.
 */
export async function auditRefusal<R>(
  request: FastifyRequest,
  action: AuditAction,
  client: AuthenticatedClient,
  work: () => Promise<R>,
): Promise<R> {
  request.outcome.clientId = client.clientId
  try {
    return await work()
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) {
      await record(request.at, {
        action,
        outcome: error.code,
        clientId: client.clientId,
        detail: { description: error.description },
        requestId: request.id,
      })
    }
    throw error
  }
}
