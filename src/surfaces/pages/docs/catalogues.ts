import { DOCUMENTS, ENDPOINTS, SERVER_CARD } from '../../../foundation/protocol/endpoints.ts'
import {
  resourceMetadataPath,
  TOOL_ENDPOINTS,
} from '../../../foundation/protocol/resource-names.ts'

/**
 * The interfaces of an origin and what describes each of them.
 *
 * @see RFC 9727 §2, RFC 9264 §4.2
 */
export function apiCatalog(origin: string): object {
  const to = (path: string, type: string) => ({ href: origin + path, type })
  const guide = [to(DOCUMENTS.guide, 'text/html'), to(DOCUMENTS.guideMarkdown, 'text/markdown')]
  const tools = Object.values(TOOL_ENDPOINTS).map((path) => ({
    anchor: origin + path,
    'service-desc': [to(path + SERVER_CARD, CARD_TYPE)],
    'service-doc': guide,
    'service-meta': [to(resourceMetadataPath(path), 'application/json')],
  }))
  const metadata = [to(DOCUMENTS.protectedResource, 'application/json')]
  return {
    linkset: [
      {
        anchor: `${origin}/api/v1`,
        'service-desc': [to(DOCUMENTS.openapi, 'application/json')],
        'service-doc': [to(DOCUMENTS.reference, 'text/html'), ...guide],
        'service-meta': metadata,
      },
      {
        anchor: origin + ENDPOINTS.memberApi,
        'service-desc': [
          to(DOCUMENTS.graphqlSchema, 'text/plain'),
          to(DOCUMENTS.graphqlSchemaJson, 'application/json'),
        ],
        'service-doc': guide,
        'service-meta': metadata,
      },
      ...tools,
      {
        anchor: origin + ENDPOINTS.token,
        'service-desc': [to(DOCUMENTS.authorizationServer, 'application/json')],
        'service-doc': [to(DOCUMENTS.auth, 'text/markdown'), ...guide],
      },
    ],
  }
}

export const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

const CARD_TYPE = 'application/mcp-server-card+json'

/** Where clients of the tool protocol find the cards. @see the extension for server cards, docs/discovery.md */
export function aiCatalog(origin: string): object {
  const { hostname } = new URL(origin)
  return {
    specVersion: '1.0',
    entries: Object.entries(TOOL_ENDPOINTS).map(([audience, path]) => ({
      identifier: `urn:air:${hostname}:mcp:${audience}`,
      type: CARD_TYPE,
      url: origin + path + SERVER_CARD,
    })),
  }
}
