import type { FastifyInstance } from 'fastify'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import type { School } from '../../../domain/schools/school.ts'
import { loadAssets } from '../../../foundation/html/assets.ts'
import { markdownText } from '../../../foundation/html/to-markdown.ts'
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
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { perSchool } from '../../../gate/school-gate.ts'
import { redirectTo } from '../frame/page-request.ts'
import { type GuideFacts, guideFacts } from './guide-facts.ts'

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
const ROBOTS = `User-agent: *
Disallow: /account
Disallow: /admin
Disallow: /api/
Disallow: /consent
Disallow: /member/
Disallow: /oauth/
Disallow: /sign-in
Disallow: /sign-out
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
  const add = (path: string, contentType: string, write: (school: School) => string | object) => {
    const options: DocumentOptions = { maxAgeSeconds: 300, contentType }
    const documentOf = perSchool(options, write)
    app.get(path, (request, reply) => sendDocument(request, reply, documentOf(request.school)))
  }
  add(DOCUMENTS.auth, MARKDOWN, (school) => authMarkdown(guideFacts(school, metadataClients)))
  add(DOCUMENTS.llms, PLAIN, (school) => llmsText(guideFacts(school, metadataClients)))
  add(DOCUMENTS.apiCatalog, API_CATALOG_TYPE, ({ origin }) => apiCatalog(origin))
  add(DOCUMENTS.aiCatalog, 'application/ai-catalog+json', ({ origin }) => aiCatalog(origin))

  const robots = textDocument(ROBOTS, { maxAgeSeconds: 86_400, contentType: PLAIN })
  app.get('/robots.txt', (request, reply) => sendDocument(request, reply, robots))
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

/** What a language model finds at this origin. @see llmstxt.org */
function llmsText({ name, origin, variant }: GuideFacts): string {
  const link = (title: string, path: string, about: string) =>
    `- [${title}](${origin}${path}): ${about}`
  const own =
    variant === 'newer'
      ? 'courses, progress, schedule, payments, notifications'
      : 'courses, progress, notifications'
  return `# ${markdownText(plainText(name))}

> An online school. People read its courses and events without signing in; a member reads their own data (${own}), and an owner or admin runs the school, each with a token that they allow in a browser.

## Guides

${link('Access', DOCUMENTS.auth, 'how a program gets, uses and ends access')}
${link('Guide for developers', DOCUMENTS.guideMarkdown, 'every step with commands for this origin')}
${link('Errors', DOCUMENTS.errorsMarkdown, 'every code with cause and remedy')}

## Interfaces

${link('Tools for owners and admins (MCP)', TOOL_ENDPOINTS.operator, 'public tools without a token; POST only')}
${link('Tools for members (MCP)', TOOL_ENDPOINTS.member, 'the same tools, with the scopes of members')}
${link('Card of the tool endpoint', TOOL_ENDPOINTS.operator + SERVER_CARD, 'its transport and versions')}
${link('REST API', DOCUMENTS.openapi, 'OpenAPI 3.1, for operator tokens')}
${link('Member API', DOCUMENTS.graphqlSchema, 'GraphQL schema, for member tokens')}
${link('Authorization server', DOCUMENTS.authorizationServer, 'endpoints, grant types, scopes')}

## Optional

${link('Reference of the REST API', DOCUMENTS.reference, 'for people')}
${link('Postman collection', DOCUMENTS.postman, 'every REST operation')}
${link('API catalog', DOCUMENTS.apiCatalog, 'RFC 9727')}
`
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

/** How a program gets and keeps access here, for programs that read one file. */
function authMarkdown(facts: GuideFacts): string {
  const { origin, variant, signsIdTokens } = facts
  const at = (path: string) => origin + path
  return `# Access to ${markdownText(plainText(facts.name))}

Issuer and \`resource\`: \`${origin}\`. A person always signs in and allows: the authorization-code flow with PKCE (S256) is the only way to a token. The whole guide: ${at(DOCUMENTS.guideMarkdown)}

## 1. Discover

- ${at(DOCUMENTS.authorizationServer)}: endpoints, grant types, scopes. It decides if this file and it differ.
- ${at(DOCUMENTS.openidConfiguration)}: the same for OpenID Connect.
- ${at(DOCUMENTS.protectedResource)}: the \`resource\` to ask for.

## 2. Choose

- For a member's own data: scopes \`account:read\` and \`account:write\`; the Member API (GraphQL) at \`${at(ENDPOINTS.memberApi)}\`, its schema at ${at(DOCUMENTS.graphqlSchema)}, tools (MCP) at \`${at(TOOL_ENDPOINTS.member)}\`.
- To run the school, as an owner or admin: scopes such as \`courses:read\`; the REST API described at ${at(DOCUMENTS.openapi)}, tools (MCP) at \`${at(TOOL_ENDPOINTS.operator)}\`.
- Without a token: the public tools at both tool addresses. The Member API and the REST API answer nothing without one.

## 3. Register

- Member clients: an operator of the school makes the application in the admin area (Developers, OAuth applications) and gives you the \`client_id\`. There is no self-service.${assistantsNote(facts)}${betaNote(facts)}
- Operator clients: ${operatorRoads(facts)}
- A client metadata document is JSON of at most 5 KB, over https and without redirects. Its \`client_id\` is its own address, and every one of its \`redirect_uris\` is on its host or on loopback. Until the school has reviewed it, it gets identity and read scopes only.
- A platform that this server knows: \`POST ${at(ENDPOINTS.register)}\` with its \`client_name\`. Any other name is \`invalid_client_metadata\`.

## 4. Get a token and use it

1. Send the person to \`${at(ENDPOINTS.authorize)}\` with \`response_type=code\`, \`client_id\`, \`redirect_uri\`, \`scope\`, \`resource=${origin}\`, \`code_challenge\`, \`code_challenge_method=S256\`${signsIdTokens ? ', a random `state` and a random `nonce`' : ' and a random `state`'}. Check \`state\` and \`iss\` in the answer.
2. \`POST ${at(ENDPOINTS.token)}\` as a form with \`grant_type=authorization_code\`, \`code\`, \`redirect_uri\`, \`client_id\`, \`code_verifier\` and the same \`resource\`. A confidential application adds \`client_secret\` to the form; HTTP Basic is refused.
3. Call with \`Authorization: Bearer ACCESS_TOKEN\`. It lasts two hours. ${signsIdTokens ? 'With the scope `openid` the exchange also gives an ID token (ES256, ten minutes); a refresh gives none.' : 'This origin signs no ID tokens: leave `openid` out and read UserInfo.'}
4. Who signed in: \`GET ${at(ENDPOINTS.userinfo)}\`.
5. Refresh with \`grant_type=refresh_token\`, \`refresh_token\`, \`client_id\` and \`resource\`; a confidential application adds \`client_secret\`. If the answer is lost, send the old refresh token again: the old pair works until the new access token is used for the first time.

Keep the \`resource\` beside the token: a token for another origin is refused, and ${variant === 'older' ? `only introspection (\`${at(ENDPOINTS.introspect)}\`) tells what a token is bound to` : 'nothing tells later what a token is bound to'}.

## 5. Handle errors

Every code is explained at ${at(DOCUMENTS.errors)}, as Markdown at ${at(DOCUMENTS.errorsMarkdown)}.

- 401 \`invalid_token\`: refresh once, then start a new authorization.
- 403 \`insufficient_scope\`: ask for the scopes in \`WWW-Authenticate\` in a new authorization.
${variant === 'newer' ? '- 200 with `errors` from the Member API: also a missing scope, if the token has the other account scope. Read `errors`, not only the status.' : '- 200 with `errors` from the Member API: a part of the query failed. A missing scope is always a 403 here.'}
- 400 \`invalid_grant\`: start a new authorization.
- 429 and 503: wait for \`Retry-After\` and keep your tokens.

## 6. Revoke

\`POST ${at(ENDPOINTS.revoke)}\` with \`token\` and \`client_id\`${variant === 'newer' ? ', and `client_secret` if the application is confidential' : ''}. Send the refresh token: that always ends the pair. An expired access token ends nothing. A new authorization ends no earlier one, so sign out on each device.

## Not supported

No client credentials, no password or device grant, no token exchange. No agent identity assertions (ID-JAG), no service tokens, no anonymous registration that a person claims later: there is no \`identity_endpoint\` and no \`register_uri\`. No open dynamic registration. No \`plain\` PKCE, no HTTP Basic, no \`private_key_jwt\`, no mutual TLS, no DPoP. No implicit flow, no \`response_mode\` but \`query\`, no request objects, no pushed authorization requests. No silent sign-in: consent is asked every time, so \`prompt=none\` always fails. No ID token from a refresh. No webhooks.${variant === 'newer' ? ' No introspection.' : ''}
`
}

function betaNote({ mcpConnections }: GuideFacts): string {
  if (mcpConnections) return ''
  return ' This school has not switched on the beta feature “MCP connections”, so its admin area shows no Developers group: an owner or admin switches it on first, under Settings.'
}

function operatorRoads({
  origin,
  documents,
  foreignDocuments,
  mcpConnections,
}: GuideFacts): string {
  const tool = `a tool of the school (Admin, Developers, Operator tools${mcpConnections ? '' : ', with “MCP connections” on'}), whose \`client_id\` is \`${origin}/clients/NAME.json\``
  const own = foreignDocuments
    ? 'or your own client metadata document on a host that the school permits, whose URL is the `client_id`'
    : 'or your own client metadata document, once the school permits its host; it permits none now'
  return `${tool}; ${own}. \`client_id_metadata_document_supported\` is \`${documents}\` here.`
}

function assistantsNote({ origin, mcpConnections }: GuideFacts): string {
  if (!mcpConnections) return ''
  return ` Members find the \`client_id\` of each assistant that the school offers, with the steps, at ${origin}/account/assistants.`
}
