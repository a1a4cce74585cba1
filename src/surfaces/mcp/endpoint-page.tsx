import type { FastifyInstance } from 'fastify'
import type { School } from '../../domain/schools/school.ts'
import { Address } from '../../foundation/html/components.tsx'
import { Document, Footer, renderPage, SchoolMark } from '../../foundation/html/layout.tsx'
import { Code, PageHead, Panel } from '../../foundation/html/site-components.tsx'
import { sendDocument } from '../../foundation/http/conditional.ts'
import { DOCUMENTS, SERVER_CARD } from '../../foundation/protocol/endpoints.ts'
import { TOOL_ENDPOINTS, type ToolEndpoint } from '../../foundation/protocol/resource-names.ts'
import { plainText } from '../../foundation/text/plain-text.ts'
import { brandingOf } from '../../gate/branding.ts'
import { perSchool } from '../../gate/school-gate.ts'
import { RpcRefusal } from './serve-message.ts'
import { HANDSHAKE_VERSIONS, MODERN_VERSION } from './tool-server.ts'

/** For people who open the address of the endpoint in a browser. */
export function endpointPage(school: School, endpoint: ToolEndpoint): string {
  const branding = brandingOf(school)
  const isMember = endpoint === TOOL_ENDPOINTS.member
  const other = isMember ? TOOL_ENDPOINTS.operator : TOOL_ENDPOINTS.member
  return renderPage(
    <Document title="For assistants" school={branding} stylesheets={['site.css']}>
      <header class="top-bar">
        <a class="top-bar-school" href="/">
          <SchoolMark school={branding} />
        </a>
      </header>
      <div class="site">
        <main id="main">
          <PageHead
            title="This address is for assistants"
            up={{ url: '/docs#assistants', label: 'Connect an assistant' }}
            lead={`It speaks the Model Context Protocol (MCP), so a browser finds nothing more here. Give the address to your assistant to connect it with ${plainText(school.name)}.`}
          />
          <Panel title="The address">
            <Code>{school.origin + endpoint}</Code>
            <div class="prose">
              <p>
                {isMember
                  ? 'It is the address for members, who see their own courses and account. Owners and admins who run the school use '
                  : 'It is the address for owners and admins, who run the school. Members who want to see their own courses and account use '}
                <Address text={school.origin + other} />.
              </p>
              {isMember && school.mcpConnections && (
                <p>
                  <a href="/account/assistants">Use with an assistant</a> shows which ones{' '}
                  {plainText(school.name)} offers, and how to connect each.
                </p>
              )}
              <p>
                Without signing in an assistant can read what the school has published. It asks you
                to sign in, in your browser, before it sees more, and you can end its access at any
                time under <a href="/account/apps">Connected apps</a>.
              </p>
            </div>
          </Panel>
          <Panel title="For developers">
            <div class="prose">
              <p>
                Messages are sent by POST, one JSON-RPC message each. List the tools that need no
                token:
              </p>
            </div>
            <Code>
              {[
                `curl ${school.origin}${endpoint} \\`,
                "  -H 'Content-Type: application/json' \\",
                `  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`,
              ].join('\n')}
            </Code>
            <div class="prose">
              <p>
                <a href="/docs#assistants">The guide</a> ·{' '}
                <a href={`${endpoint}/server-card`}>Server card</a>
              </p>
            </div>
          </Panel>
        </main>
      </div>
      <Footer branded />
    </Document>,
  )
}

const OPTIONS = { maxAgeSeconds: 3600, contentType: 'application/mcp-server-card+json' } as const

/**
 * What a client learns about the endpoint before it connects, at the place that the extension
 * reserves.
 */
export function addServerCards(app: FastifyInstance, version: string): void {
  for (const endpoint of Object.values(TOOL_ENDPOINTS)) {
    const cardOf = perSchool(OPTIONS, (school) => serverCard(school, endpoint, version))
    app.get(endpoint + SERVER_CARD, (request, reply) =>
      sendDocument(request, reply, cardOf(request.school)),
    )
  }
}

/** @see modelcontextprotocol/experimental-ext-server-card, schema.ts (v1) */
function serverCard({ name, origin }: School, endpoint: ToolEndpoint, version: string): object {
  const isMember = endpoint === TOOL_ENDPOINTS.member
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${namespaceOf(origin)}/${isMember ? 'schoolgate-member' : 'schoolgate'}`,
    version,
    title: plainText(name, 90) || 'Schoolgate',
    description: isMember
      ? 'Courses, events and, for a signed-in member, their own courses and account.'
      : 'Courses, events and, for a signed-in owner or admin, the whole school.',
    websiteUrl: origin + DOCUMENTS.guide,
    remotes: [
      {
        type: 'streamable-http',
        url: origin + endpoint,
        supportedProtocolVersions: [MODERN_VERSION, ...HANDSHAKE_VERSIONS],
      },
    ],
  }
}

/**
 * The host in reverse order; characters that a name may not have, as in an IPv6 address, become
 * hyphens.
 */
function namespaceOf(origin: string): string {
  const labels = new URL(origin).hostname.split('.').reverse()
  return labels.join('.').replace(/[^a-zA-Z0-9.-]/g, '-')
}

/** RFC 6454 §6.2: scheme, host and perhaps a port, of web pages and of native shells alike. */
const SERIALIZED = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+$/i

/**
 * Refuses an `Origin` that names no site: `null`, lists and garbage. Every site that does name
 * itself may call, because nothing here is decided by a cookie or by where a request comes from: a
 * page reads public tools, or brings a token of its own. Against DNS rebinding stands the Host
 * header, which must be a school's.
 */
export function checkWebOrigin(origin: string | undefined): void {
  if (origin === undefined || SERIALIZED.test(origin)) return
  throw new RpcRefusal(403, '403', 'The Origin header does not name an origin.')
}
