import type { FastifyInstance } from 'fastify'
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

/** A document of a school; undefined where the school has none of its kind. */
export type DocumentOf = (school: School) => ConstantDocument | undefined

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

/** Everything that a school says about itself, by path. */
export function discoveryDocuments(documents: DocumentClients): ReadonlyMap<string, DocumentOf> {
  const withDocuments = (
    write: (school: School, supported: boolean) => Record<string, unknown>,
  ) => {
    return (school: School) => write(school, documents.areSupportedAt(school))
  }
  const metadata = (write: Write): DocumentOf => perSchool(METADATA_SECONDS, write)
  const keySetOf = perSchool(JWKS_SECONDS, jsonWebKeySet)
  return new Map([
    [
      '/.well-known/oauth-authorization-server',
      metadata(withDocuments(authorizationServerMetadata)),
    ],
    ['/.well-known/openid-configuration', metadata(withDocuments(openidConfiguration))],
    ['/.well-known/oauth-protected-resource', metadata(protectedResourceMetadata)],
    ['/.well-known/oauth-protected-resource/mcp', metadata(toolEndpointMetadata)],
    [
      ENDPOINTS.jwks,
      (school) => (publishedKeys(school).length === 0 ? undefined : keySetOf(school)),
    ],
  ])
}

export function addDiscoveryRoutes(
  app: FastifyInstance,
  documents: ReadonlyMap<string, DocumentOf>,
): void {
  for (const [path, documentOf] of documents) {
    app.get(path, (request, reply) => {
      const document = documentOf(request.school)
      if (document === undefined) return reply.callNotFound()
      return sendDocument(request, reply, document)
    })
  }
}
