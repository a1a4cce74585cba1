import type { FastifyInstance } from 'fastify'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import type { School } from '../../../domain/schools/school.ts'
import { loadAssets } from '../../../foundation/html/assets.ts'
import {
  type DocumentOptions,
  sendDocument,
  textDocument,
} from '../../../foundation/http/conditional.ts'
import { DOCUMENTS, ENDPOINTS, SERVER_CARD } from '../../../foundation/protocol/endpoints.ts'
import {
  resourceMetadataPath,
  TOOL_ENDPOINTS,
} from '../../../foundation/protocol/resource-names.ts'
import type { AppContext } from '../../../gate/context.ts'
import { perSchool } from '../../../gate/school-gate.ts'
import { redirectTo } from '../frame/page-request.ts'
import { fillGuide, guideFacts } from './guides.ts'

/**
 * The interfaces of an origin and what describes each of them.
 *
 * @see RFC 9727 §2, RFC 9264 §4.2
 */
function apiCatalog(origin: string): object {
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

const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

const CARD_TYPE = 'application/mcp-server-card+json'

/**
 * Where clients of the tool protocol find the cards. @see the extension for server cards,
 * docs/discovery.md
 */
function aiCatalog(origin: string): object {
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

/** Pages for one person or one step have nothing to find. */
const robots = ({ origin }: School) => `User-agent: *
Disallow: /account
Disallow: /admin
Disallow: /api/
Disallow: /calendar/
Disallow: /consent
Disallow: /member/
Disallow: /oauth/
Disallow: /sign-in
Disallow: /sign-out

Sitemap: ${origin}${DOCUMENTS.sitemap}
`

const PLAIN = 'text/plain; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'

/**
 * What programs look for at an origin of which they know nothing else. Prepared once for each
 * school.
 */
export function addMachineDocuments(
  app: FastifyInstance,
  { securityContact }: AppContext,
  metadataClients: MetadataClients,
): void {
  const add = (
    path: string,
    contentType: string,
    write: (school: School) => string | object,
    maxAgeSeconds = 300,
  ) => {
    const options: DocumentOptions = { maxAgeSeconds, contentType }
    const documentOf = perSchool(options, write)
    app.get(path, (request, reply) => sendDocument(request, reply, documentOf(request.school)))
  }
  add(DOCUMENTS.auth, MARKDOWN, (school) => fillGuide('auth', guideFacts(school, metadataClients)))
  add(DOCUMENTS.llms, PLAIN, (school) => fillGuide('llms', guideFacts(school, metadataClients)))
  add(DOCUMENTS.apiCatalog, API_CATALOG_TYPE, ({ origin }) => apiCatalog(origin))
  add(DOCUMENTS.aiCatalog, 'application/ai-catalog+json', ({ origin }) => aiCatalog(origin))
  add('/robots.txt', PLAIN, robots, 86_400)
  const { favicon } = loadAssets()
  app.get('/favicon.ico', (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/x-icon').send(favicon),
  )
  // @see W3C, A Well-Known URL for Changing Passwords
  app.get('/.well-known/change-password', (request, reply) =>
    redirectTo(reply, request, 'site', '/account/password'),
  )
  if (securityContact !== undefined) addSecurityText(app, securityContact)
}

function addSecurityText(app: FastifyInstance, contact: string): void {
  app.get('/.well-known/security.txt', (request, reply) => {
    const text = securityText(request.school.origin, contact, new Date())
    const document = textDocument(text, { maxAgeSeconds: 86_400, contentType: PLAIN })
    return sendDocument(request, reply, document)
  })
}

/**
 * Longer than any pause in the work of a team, and within the year that RFC 9116 §2.5.5 recommends.
 */
const MONTHS = 7

/**
 * Where to report a vulnerability. The contact is configured at each start, so a running server
 * vouches for it: `Expires` is the first day of a month, some months ahead, and moves on by itself.
 *
 * @see RFC 9116 §2.5
 */
export function securityText(origin: string, contact: string, now: Date): string {
  const expires = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + MONTHS, 1))
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString().replace('.000Z', 'Z')}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}/.well-known/security.txt`,
    '',
  ].join('\n')
}
