import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DocumentClients } from '../../domain/clients/document-clients.ts'
import type { School } from '../../domain/schools/school.ts'
import { publishedKeys } from '../../domain/schools/signing.ts'
import {
  type ConstantDocument,
  constantDocument,
  sendDocument,
} from '../../foundation/http/conditional.ts'
import {
  authorizationServerMetadata,
  openidConfiguration,
  protectedResourceMetadata,
  toolEndpointMetadata,
} from './discovery.ts'
import { ENDPOINTS } from './endpoints.ts'
import { jsonWebKeySet } from './jwks.ts'

/**
 * How long clients may keep what we say about ourselves. A signing key is published for longer than
 * the second before it signs, so that no cached set lacks it.
 */
const METADATA_SECONDS = 300
export const JWKS_SECONDS = 3600

type Write = (school: School) => Record<string, unknown>

/** Serialised once for as long as the school stays what it is: cached schools are never changed. */
function perSchool(maxAgeSeconds: number, write: Write): (school: School) => ConstantDocument {
  const written = new WeakMap<School, ConstantDocument>()
  return (school) => {
    const known = written.get(school)
    if (known !== undefined) return known
    const document = constantDocument(write(school), { maxAgeSeconds })
    written.set(school, document)
    return document
  }
}

export function addDiscoveryRoutes(app: FastifyInstance, documents: DocumentClients): void {
  const add = (path: string, maxAgeSeconds: number, write: Write): void => {
    const documentOf = perSchool(maxAgeSeconds, write)
    app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
      sendDocument(request, reply, documentOf(request.school))
    })
  }
  const withDocuments = (
    write: (school: School, supported: boolean) => Record<string, unknown>,
  ) => {
    return (school: School) => write(school, documents.areSupportedAt(school))
  }
  add(
    '/.well-known/oauth-authorization-server',
    METADATA_SECONDS,
    withDocuments(authorizationServerMetadata),
  )
  add('/.well-known/openid-configuration', METADATA_SECONDS, withDocuments(openidConfiguration))
  add('/.well-known/oauth-protected-resource', METADATA_SECONDS, protectedResourceMetadata)
  add('/.well-known/oauth-protected-resource/mcp', METADATA_SECONDS, toolEndpointMetadata)
  const keySetOf = perSchool(JWKS_SECONDS, jsonWebKeySet)
  app.get(ENDPOINTS.jwks, (request, reply) => {
    if (publishedKeys(request.school).length === 0) return reply.callNotFound()
    return sendDocument(request, reply, keySetOf(request.school))
  })
}
