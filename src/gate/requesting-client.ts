import type { FastifyRequest } from 'fastify'
import {
  type AuthorizingClient,
  findAuthorizingClient,
} from '../domain/clients/authorizing-client.ts'
import type { MetadataClients } from '../domain/clients/metadata/metadata-clients.ts'
import { clientAddress } from '../foundation/http/client-address.ts'
import type { AppContext } from './context.ts'

/** The client that an authorization request names, on its way through the pages as well. */
export async function findRequestingClient(
  context: AppContext,
  documents: MetadataClients,
  request: FastifyRequest,
  clientId: string,
): Promise<AuthorizingClient> {
  const { at, school } = request
  const address = clientAddress(request)
  const found = await findAuthorizingClient(context.db, at, school, documents, clientId, address)
  if (found.kind === 'known' && found.staleBecause !== undefined) {
    const { staleBecause: why } = found
    request.log.warn({ clientId, why }, 'client metadata document fails, using its last good copy')
  }
  return found
}
