import type { ComponentChildren } from 'preact'
import { Code, Panel } from '../../../../foundation/html/site-components.tsx'

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
