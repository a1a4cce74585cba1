import type { FastifyRequest } from 'fastify'
import { record } from '../../domain/audit/audit.ts'
import type { AuthenticatedClient } from '../../domain/clients/client.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'

/** Whose grant it was that the caller showed, as far as that is known. */
interface ShownGrant {
  readonly userId: string | undefined
  readonly authorizationId?: string | undefined
}

/**
 * Runs the checks that follow once a client was named, and notes their refusals for the operator as
 * soon as the caller is proven to be that client: by its secret, or by showing something that only
 * it was given, upon which `work` calls `vouch`. The client_id of a public application is no proof;
 * whoever read it somewhere could fill a table with refusals.
 */
export async function auditRefusal<R>(
  request: FastifyRequest,
  client: AuthenticatedClient,
  secret: string | undefined,
  work: (vouch: (grant: ShownGrant) => void) => Promise<R>,
): Promise<R> {
  request.outcome.clientId = client.clientId
  let shown: ShownGrant | undefined
  try {
    return await work((grant) => {
      shown = grant
    })
  } catch (error) {
    const proven = secret !== undefined || shown !== undefined
    if (proven && error instanceof OAuthError && error.status < 500) {
      await record(request.at, {
        action: 'token.refused',
        outcome: error.code,
        clientId: client.clientId,
        actorUserId: shown?.userId,
        authorizationId: shown?.authorizationId,
        detail: { description: error.description },
        requestId: request.id,
      })
    }
    throw error
  }
}
