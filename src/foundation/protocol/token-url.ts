import { OAuthError } from './errors.ts'
import { type Parameters, parseParameters } from './parameters.ts'
import { normalizeResource } from './resource-names.ts'

/** The parameters that token requests of OAuth and its extensions have, as IANA registers them. */
const BODY_ONLY: ReadonlySet<string> = new Set([
  'access_token',
  'actor_token',
  'actor_token_type',
  'assertion',
  'audience',
  'auth_req_id',
  'authorization_details',
  'client_assertion',
  'client_assertion_type',
  'client_id',
  'client_secret',
  'code',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'device_code',
  'dpop_jkt',
  'grant_type',
  'id_token',
  'nonce',
  'password',
  'redirect_uri',
  'refresh_token',
  'requested_token_type',
  'response_type',
  'scope',
  'state',
  'subject_token',
  'subject_token_type',
  'token',
  'token_type_hint',
  'username',
])

/**
 * The form of a token request, with the `resource` of the token URL's query. Many client libraries
 * let their user choose the URL, but add nothing to the body. Every other parameter of OAuth must
 * be in the body, because proxies log URLs; a parameter that OAuth does not define is ignored.
 *
 * @see RFC 6749 §2.3.1 and §3.2
 * @see RFC 8707 §2.2
 */
export function withResourceOfUrl(form: Parameters, query: string): Parameters {
  if (query === '') return form
  const inUrl = parseParameters(query)
  const misplaced = inUrl.names().find((name) => BODY_ONLY.has(name))
  if (misplaced !== undefined) {
    throw new OAuthError(
      'invalid_request',
      `Send ${misplaced} in the form body: URLs get into logs. Only resource may be in the token URL.`,
    )
  }
  const [resource, ...more] = inUrl.getAll('resource')
  if (resource === undefined) return form
  if (more.length > 0) {
    throw new OAuthError('invalid_request', 'resource is repeated in the token URL: send it once.')
  }
  const inBody = form.getAll('resource')
  if (inBody.length === 0) return form.with('resource', [resource])
  const named = normalizeResource(resource)
  if (inBody.every((value) => normalizeResource(value) === named)) return form
  throw new OAuthError(
    'invalid_request',
    'resource in the token URL and resource in the form body differ: send it once.',
  )
}
