/**
 * The two names of the tool endpoint. Clients request every scope that the metadata of the called URL lists, so
 * operators and members need different URLs, each with its own metadata.
 *
 * @see RFC 9728 §3.3: the `resource` of a document must be the URL that the client called
 */
export const TOOL_ENDPOINTS = { operator: '/mcp', member: '/mcp/member' } as const

export type ToolEndpoint = (typeof TOOL_ENDPOINTS)[keyof typeof TOOL_ENDPOINTS]

/** A resource of an origin, by its path as it was called; the empty path is the origin itself. */
export type ResourcePath = '' | ToolEndpoint | `${ToolEndpoint}/`

/** People also type the address with a slash at the end, and strict clients compare it as it was typed. */
export function spellingsOf(endpoint: ToolEndpoint): readonly ResourcePath[] {
  return [endpoint, `${endpoint}/`]
}

/** Where the metadata of a resource is, as a path. @see RFC 9728 §3.1 */
export function resourceMetadataPath(resource: ResourcePath): string {
  return `/.well-known/oauth-protected-resource${resource}`
}
