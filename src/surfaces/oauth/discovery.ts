import {
  ALL_SCOPES,
  type Audience,
  SCOPES_OF_AUDIENCE,
  UNREVIEWED_SCOPES,
} from '../../domain/clients/scope-catalogue.ts'
import { ACR_VALUES } from '../../domain/people/authentication-context.ts'
import type { School } from '../../domain/schools/school.ts'
import { publishedKeys, signsIdTokens } from '../../domain/schools/signing.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { type ResourcePath, TOOL_ENDPOINTS } from '../../foundation/protocol/resource-names.ts'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { grantTypes } from './grant-types/grant-types.ts'

/** In this order: several clients take the first method, and with `none` they would not send their secret. */
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
export function openidConfiguration(
  school: School,
  documentsSupported: boolean,
): Record<string, unknown> {
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
export function protectedResourceMetadata(school: School): Record<string, unknown> {
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
export function toolEndpointMetadata(
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
