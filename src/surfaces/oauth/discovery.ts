import type { FastifyInstance } from 'fastify'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import {
  ALL_SCOPES,
  type Audience,
  SCOPES_OF_AUDIENCE,
  UNREVIEWED_SCOPES,
} from '../../domain/clients/scope-catalogue.ts'
import { ACR_VALUES } from '../../domain/people/authentication-context.ts'
import type { School } from '../../domain/schools/school.ts'
import { publishedKeys, signsIdTokens } from '../../domain/schools/signing.ts'
import { sendDocument } from '../../foundation/http/conditional.ts'
import { DOCUMENTS, ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import {
  type ResourcePath,
  resourceMetadataPath,
  spellingsOf,
  TOOL_ENDPOINTS,
} from '../../foundation/protocol/resource-names.ts'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { perSchool } from '../../gate/school-gate.ts'
import { grantTypes } from './grant-types.ts'

/**
 * In this order: several clients take the first method, and with `none` they would not send their
 * secret.
 */
const CLIENT_AUTH_METHODS = ['client_secret_post', 'none'] as const

/**
 * What this origin supports, read from the tables and maps that the endpoints use.
 *
 * @see RFC 8414 §2
 */
export function authorizationServerMetadata(
  school: School,
  documentsSupported: boolean,
): Record<string, unknown> {
  const at = (path: string): string => school.origin + path
  return {
    issuer: school.origin,
    authorization_endpoint: at(ENDPOINTS.authorize),
    token_endpoint: at(ENDPOINTS.token),
    userinfo_endpoint: at(ENDPOINTS.userinfo),
    revocation_endpoint: at(ENDPOINTS.revoke),
    registration_endpoint: at(ENDPOINTS.register),
    ...(school.variant === 'older'
      ? {
          introspection_endpoint: at(ENDPOINTS.introspect),
          introspection_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
        }
      : {}),
    ...(publishedKeys(school).length > 0 ? { jwks_uri: at(ENDPOINTS.jwks) } : {}),
    // Not part of RFC 8414, but some clients read only this document and need the fields.
    ...(signsIdTokens(school)
      ? {
          id_token_signing_alg_values_supported: ['ES256'],
          acr_values_supported: ACR_VALUES,
          end_session_endpoint: at(ENDPOINTS.endSession),
        }
      : {}),
    scopes_supported: ALL_SCOPES.toArray(),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...grantTypes.keys()],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: documentsSupported,
    service_documentation: at('/docs'),
    protected_resources: [school.origin, ...Object.values(TOOL_ENDPOINTS).map(at)],
  }
}

/** @see OpenID Connect Discovery 1.0 §3 */
function openidConfiguration(school: School, documentsSupported: boolean): Record<string, unknown> {
  return {
    ...authorizationServerMetadata(school, documentsSupported),
    subject_types_supported: ['public'],
    claim_types_supported: ['normal'],
    claims_supported: [
      ...(signsIdTokens(school)
        ? ['iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr']
        : []),
      'sub',
      'email',
      'name',
      'picture',
      'org_id',
      'roles',
    ],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
}

/** @see RFC 9728 §2 */
function protectedResourceMetadata(school: School): Record<string, unknown> {
  return {
    resource: school.origin,
    authorization_servers: [school.origin],
    bearer_methods_supported: ['header'],
    resource_name: school.name,
    resource_documentation: `${school.origin}/docs`,
  }
}

/** Clients request all of them, so operators get no more than an unreviewed client may have. */
const SCOPES_OF_ENDPOINT: Readonly<Record<Audience, ScopeSet>> = {
  operator: UNREVIEWED_SCOPES,
  member: SCOPES_OF_AUDIENCE.member,
}

/** The tool endpoint under a name that it has for this audience. */
function toolEndpointMetadata(
  school: School,
  audience: Audience,
  path: ResourcePath,
): Record<string, unknown> {
  return {
    ...protectedResourceMetadata(school),
    resource: school.origin + path,
    scopes_supported: SCOPES_OF_ENDPOINT[audience].toArray(),
  }
}

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

/** @see RFC 7517 §5 */
export function jsonWebKeySet(school: School): Record<string, unknown> {
  return {
    keys: publishedKeys(school).map(({ kid, publicJwk }) => ({
      ...publicJwk,
      kid,
      use: 'sig',
      alg: 'ES256',
    })),
  }
}
