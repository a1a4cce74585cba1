import type { FastifyInstance } from 'fastify'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import type { School } from '../../domain/schools/school.ts'
import { publishedKeys } from '../../domain/schools/signing.ts'
import { sendDocument } from '../../foundation/http/conditional.ts'
import { DOCUMENTS, ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import {
  resourceMetadataPath,
  spellingsOf,
  TOOL_ENDPOINTS,
} from '../../foundation/protocol/resource-names.ts'
import { perSchool } from '../../gate/school-gate.ts'
import {
  authorizationServerMetadata,
  openidConfiguration,
  protectedResourceMetadata,
  toolEndpointMetadata,
} from './discovery.ts'
import { jsonWebKeySet } from './jwks.ts'

/**
 * How long clients may cache the documents. A signing key is published for longer than JWKS_SECONDS
 * before it signs, so that every cached key set holds it.
 */
const METADATA_SECONDS = 300
export const JWKS_SECONDS = 3600

type Write = (school: School) => Record<string, unknown>

/** Metadata and key set of every school. */
export function addDiscoveryRoutes(app: FastifyInstance, metadataClients: MetadataClients): void {
  const add = (path: string, maxAgeSeconds: number, write: Write): void => {
    const documentOf = perSchool({ maxAgeSeconds }, write)
    app.get(path, (request, reply) => sendDocument(request, reply, documentOf(request.school)))
  }
  add(DOCUMENTS.authorizationServer, METADATA_SECONDS, (school) =>
    authorizationServerMetadata(school, metadataClients.areSupportedAt(school)),
  )
  add(DOCUMENTS.openidConfiguration, METADATA_SECONDS, (school) =>
    openidConfiguration(school, metadataClients.areSupportedAt(school)),
  )
  add(resourceMetadataPath(''), METADATA_SECONDS, protectedResourceMetadata)
  for (const audience of ['operator', 'member'] as const) {
    for (const path of spellingsOf(TOOL_ENDPOINTS[audience])) {
      add(resourceMetadataPath(path), METADATA_SECONDS, (school) =>
        toolEndpointMetadata(school, audience, path),
      )
    }
  }

  const keySetOf = perSchool({ maxAgeSeconds: JWKS_SECONDS }, jsonWebKeySet)
  app.get(ENDPOINTS.jwks, (request, reply) => {
    const { school } = request
    if (publishedKeys(school).length === 0) return reply.callNotFound()
    return sendDocument(request, reply, keySetOf(school))
  })
}
