import type { School } from '../../domain/schools/school.ts'
import { Address } from '../../foundation/html/components.tsx'
import { Document, Footer, renderPage, SchoolMark } from '../../foundation/html/layout.tsx'
import { plainText } from '../../foundation/html/plain-text.ts'
import { Code, PageHead, Panel } from '../../foundation/html/site-components.tsx'
import { TOOL_ENDPOINTS, type ToolEndpoint } from '../../foundation/protocol/resource-names.ts'
import { brandingOf } from '../../gate/branding.ts'

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
