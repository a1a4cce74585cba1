import type { ComponentChildren } from 'preact'
import { Panel } from '../../../../foundation/html/site-components.tsx'

/** The sections of the guide by their anchors, in the order of the page. */
const TITLES = {
  discover: '1. Discover',
  choose: '2. Choose who you act for',
  register: '3. Get a client_id',
  authorize: '4. Send the person here, and exchange the code',
  use: '5. Use it',
  errors: '6. Read refusals',
  refresh: 'Stay signed in',
  'sign-out': 'Sign out',
  'id-token': 'ID tokens',
  assistants: 'Connect an assistant (MCP)',
  'good-to-know': 'Good to know',
} as const

export function Section(props: { id: keyof typeof TITLES; children: ComponentChildren }) {
  return (
    <Panel id={props.id} title={TITLES[props.id]}>
      {props.children}
    </Panel>
  )
}

export function Contents() {
  return (
    <nav class="prose" aria-label="On this page">
      <ul>
        {Object.entries(TITLES).map(([id, title]) => (
          <li>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
