import type { FastifyRequest } from 'fastify'
import {
  type AuthorizingClient,
  findAuthorizingClient,
} from '../domain/clients/authorizing-client.ts'
import type { MetadataClients } from '../domain/clients/metadata-clients.ts'
import { acrossSchools } from '../foundation/db/school-db.ts'
import { clientAddress } from '../foundation/http/client-address.ts'
import { RepeatedLines } from '../foundation/http/logging.ts'

/** A person who signs in and agrees makes several requests, and a stranger as many as they like. */
const staleDocuments = new RepeatedLines(1, 60)

/** The client that an authorization request names, on its way through the pages as well. */
export async function findRequestingClient(
  metadataClients: MetadataClients,
  request: FastifyRequest,
  clientId: string,
): Promise<AuthorizingClient> {
  const { schoolDb: db, school } = request
  const address = clientAddress(request)
  const found = await findAuthorizingClient(
    acrossSchools(db),
    db,
    school,
    metadataClients,
    clientId,
    address,
  )
  if (found.kind === 'known' && found.staleBecause !== undefined) {
    const { staleBecause: why } = found
    const told = staleDocuments.admit(clientId)
    if (told !== undefined) {
      const line = { clientId: clientId.slice(0, 200), why, ...told }
      request.log.warn(line, 'client metadata document fails, using its last good copy')
    }
  }
  return found
}
