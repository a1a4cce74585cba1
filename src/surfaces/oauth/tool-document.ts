import type { FastifyInstance } from 'fastify'
import { type Client, findClient } from '../../domain/clients/client.ts'
import { TOOLS_PATH } from '../../domain/clients/tool-operations.ts'
import { constantDocument, sendDocument } from '../../foundation/http/conditional.ts'
import { grantTypes } from './grant-types/grant-types.ts'
import { refuseOtherMethods } from './other-methods.ts'

/** As long as the shortest time for which a server may keep a document. */
const DOCUMENT_SECONDS = 300

/** The metadata documents of the tools that a school made. A disabled tool keeps its document. */
export function addToolDocumentRoutes(app: FastifyInstance): void {
  const path = `${TOOLS_PATH}:file`
  app.get(path, async (request, reply) => {
    const { file } = request.params as { file: string }
    const client = file.includes('\0')
      ? undefined
      : await findClient(request.at, request.school.origin + TOOLS_PATH + file)
    if (client?.kind !== 'tool') return reply.callNotFound()
    const document = constantDocument(toolDocument(client), { maxAgeSeconds: DOCUMENT_SECONDS })
    return sendDocument(request, reply, document)
  })
  refuseOtherMethods(app, path, ['GET'])
}

/** @see draft-ietf-oauth-client-id-metadata-document §4, RFC 7591 §2 */
function toolDocument(client: Client): Record<string, unknown> {
  return {
    client_id: client.clientId,
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: [...grantTypes.keys()],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: client.scopes.toString(),
  }
}
