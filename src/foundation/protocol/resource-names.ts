import { parseUrl } from '../net/parse-url.ts'
import { OAuthError } from './errors.ts'

/**
 * The two names of the tool endpoint. Clients request every scope that the metadata of the called
 * URL lists, so operators and members need different URLs, each with its own metadata.
 *
 * @see RFC 9728 §3.3: the `resource` of a document must be the URL that the client called
 */
export const TOOL_ENDPOINTS = { operator: '/mcp', member: '/mcp/member' } as const

export type ToolEndpoint = (typeof TOOL_ENDPOINTS)[keyof typeof TOOL_ENDPOINTS]

/** A resource of an origin, by its path as it was called; the empty path is the origin itself. */
export type ResourcePath = '' | ToolEndpoint | `${ToolEndpoint}/`

/**
 * People also type the address with a slash at the end, and strict clients compare it as it was
 * typed.
 */
export function spellingsOf(endpoint: ToolEndpoint): readonly ResourcePath[] {
  return [endpoint, `${endpoint}/`]
}

/** Where the metadata of a resource is, as a path. @see RFC 9728 §3.1 */
export function resourceMetadataPath(resource: ResourcePath): string {
  return `/.well-known/oauth-protected-resource${resource}`
}

/** The permitted syntax; a URL parser would also accept texts that it has to repair. */
const RESOURCE = /^([Hh][Tt][Tt][Pp][Ss]?:\/\/[A-Za-z0-9.\-[\]:]+)(?:\/|\/mcp(?:\/member)?\/?)?$/

/**
 * Reads the `resource` values of a request and returns the resource that the token is bound to,
 * always the origin itself. The origin with a slash and both URLs of its tool endpoint mean the
 * same resource.
 *
 * @see RFC 8707 §2
 */
export function bindResource(
  values: readonly string[],
  origin: string,
  { required }: { readonly required: boolean },
): string {
  if (values.length === 0 && required) {
    throw missingResource(origin)
  }
  // Several values are legal, but one token can serve them only if all of them are this origin.
  for (const value of values) {
    if (!namesOrigin(value, origin)) {
      throw new OAuthError(
        'invalid_target',
        `resource does not name this server: send resource=${origin}.`,
      )
    }
  }
  return origin
}

export function missingResource(origin: string): OAuthError {
  return new OAuthError('invalid_request', `resource is missing: send resource=${origin}.`)
}

function namesOrigin(value: string, origin: string): boolean {
  return value === origin || normalizeResource(value) === origin
}

/** The origin that a value is a name of; any other value as it is. */
export function normalizeResource(value: string): string {
  const [, written] = RESOURCE.exec(value) ?? []
  // RFC 3986 §6.2.2 and §6.2.3: the case of scheme and host and a default port carry no meaning.
  return (written && parseUrl(written)?.origin) || value
}
