import type { ComponentChildren } from 'preact'
import { Address } from '../../../foundation/html/components.tsx'
import { Code, Panel } from '../../../foundation/html/site-components.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { GuideProps } from './guide-facts.ts'

/** The sections of the guide by their anchors, in the order of the page and of its navigation. */
const GROUPS = {
  'Copy and paste': {
    'member-road': 'Quick start for a member',
    'operator-road': 'Quick start for an operator',
  },
  'Step by step': {
    discover: '1. Discover',
    choose: '2. Choose who you act for',
    register: '3. Get a client_id',
    authorize: '4. Send the person here, and exchange the code',
    use: '5. Use it',
    errors: '6. Read refusals',
  },
  Later: {
    refresh: 'Stay signed in',
    'sign-out': 'Sign out',
    'id-token': 'ID tokens',
    assistants: 'Connect an assistant (MCP)',
    'good-to-know': 'Good to know',
  },
} as const

const TITLES = { ...GROUPS['Copy and paste'], ...GROUPS['Step by step'], ...GROUPS.Later }

export function Section(props: { id: keyof typeof TITLES; children: ComponentChildren }) {
  return (
    <Panel id={props.id} title={TITLES[props.id]}>
      {props.children}
    </Panel>
  )
}

/** What a command answers. */
export function Sample({ children }: { children: object }) {
  return <Code>{JSON.stringify(children, null, 2)}</Code>
}

const REFERENCE = {
  '/docs/errors': 'Errors',
  '/docs/api': 'REST API',
  '/schema.graphql': 'GraphQL schema',
  '/postman.json': 'Postman collection',
  '/docs.md': 'This guide as Markdown',
} as const

/** Beside the guide on wide screens, closed above it on narrow ones. */
export function Contents() {
  return (
    <nav class="side" aria-label="On this page">
      <details class="menu">
        <summary>On this page</summary>
        <div class="menu-groups">
          {Object.entries(GROUPS).map(([group, sections]) => (
            <Group title={group}>
              {Object.entries(sections).map(([id, title]) => (
                <li>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </Group>
          ))}
          <Group title="Reference">
            {Object.entries(REFERENCE).map(([href, title]) => (
              <li>
                <a href={href}>{title}</a>
              </li>
            ))}
          </Group>
        </div>
      </details>
    </nav>
  )
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="menu-group">
      <h2>{title}</h2>
      <ul>{children}</ul>
    </div>
  )
}

/** For people who connect an assistant, and for developers of one. */
export function Assistants(props: GuideProps) {
  const { name, origin, variant, signsIdTokens, mcpConnections } = props
  return (
    <Section id="assistants">
      <div class="prose">
        <h3>Members</h3>
        <p>
          Give your assistant the address <Address text={`${origin}/mcp/member`} />. It shows you
          your own courses, progress
          {variant === 'newer' && ', schedule, payments'} and notifications. The assistant needs a{' '}
          <code>client_id</code> of {plainText(name)}.
          {mcpConnections && (
            <>
              {' '}
              <a href="/account/assistants">Use with an assistant</a> lists those that the school
              offers, with the steps for each. An owner or admin adds one from a template: Admin,
              Developers, Assistants.
            </>
          )}
        </p>
        <p>
          {mcpConnections ? 'For any other assistant an' : 'An'} operator makes an application with
          the scopes <code>openid profile email account:read account:write</code> and the
          assistant’s redirect URI. Some assistants ask only for what they need, others for all the
          scopes that the metadata of this address lists, which are these five. Give the application
          all five: a request for a scope that it lacks is refused.
          {!signsIdTokens && ' Here openid brings no ID token, and assistants need none.'}
        </p>
        <h3>Owners and admins</h3>
        <p>
          Give your assistant the address <Address text={`${origin}/mcp`} />. It asks for identity
          and read scopes first, and for a write scope when you want to change something. Platforms
          that this server knows register by themselves. Any other assistant needs a tool of the
          school or a metadata document, as in <a href="#register">step 3</a>. Some assistants ask
          for every identity and read scope, and a tool that lacks one of them is then refused: give
          it all, or tell the assistant which scopes to ask for. Tools that change data are listed
          once the token has a write scope; the server’s instructions name them.
        </p>
        <h3>What both addresses have in common</h3>
        <p>
          They are two names of one endpoint: the tools depend on the token, and a token of this
          school works at both. Each name has its own metadata, whose <code>resource</code> is the
          address that you called:
        </p>
        <Code>
          {[
            `curl ${origin}/.well-known/oauth-protected-resource/mcp/member`,
            `curl ${origin}/.well-known/oauth-protected-resource/mcp`,
            '',
            `curl ${origin}/mcp/member \\`,
            "  -H 'Content-Type: application/json' \\",
            `  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`,
          ].join('\n')}
        </Code>
        <ul>
          <li>
            Send <code>resource</code> as you found it. <Address text={origin} />, <code>/mcp</code>{' '}
            and <code>/mcp/member</code> below it mean the same.
          </li>
          <li>
            Without a token an assistant sees the public tools. The tool <code>sign_in</code> starts
            the sign-in: <code>{'{"as": "member"}'}</code> or <code>{'{"as": "operator"}'}</code>.
          </li>
          <li>
            A tool answers with at most 80,000 characters, unless one item of a list alone is
            longer; <code>max_characters</code> allows up to 200,000. If an answer was cut,{' '}
            <code>nextCursor</code> is not null: call the tool again with the same arguments and
            this <code>cursor</code>. A list of an operator’s tool goes on with <code>after</code>,
            as in the REST API; any other long result comes as <code>part</code>, a part of its JSON
            text: join all parts, then parse the text.
          </li>
        </ul>
      </div>
    </Section>
  )
}
