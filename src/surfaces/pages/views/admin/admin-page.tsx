import type { ComponentChildren } from 'preact'
import { type SiteFrame, sitePage } from '../site-layout.tsx'

export interface AdminFrame extends SiteFrame {
  /** Whether the beta feature that reveals OAuth applications is on. */
  applicationsShown: boolean
  timeZone: string
}

interface AdminPageProps extends AdminFrame {
  title: string
  children: ComponentChildren
}

export const paths = {
  overview: '/admin',
  settings: '/admin/settings',
  applications: '/admin/developers/applications',
  newApplication: '/admin/developers/applications/new',
  clients: '/admin/developers/clients',
  client: '/admin/developers/clients/view',
  keys: '/admin/developers/keys',
  audit: '/admin/audit',
} as const

/** The page of one application. */
export function applicationPath(clientId: string, rest: '' | '/secret' | '/delete' = ''): string {
  return `${paths.applications}/${encodeURIComponent(clientId)}${rest}`
}

/** The page of any other client: its id may be a URL, which no path takes whole. */
export function clientPath(clientId: string): string {
  return `${paths.client}?id=${encodeURIComponent(clientId)}`
}

export function adminPage(props: AdminPageProps): string {
  return sitePage({ ...props, side: <AdminNav {...props} /> })
}

function AdminNav({ here, applicationsShown }: AdminFrame) {
  return (
    <nav class="side" aria-label="Admin">
      <ul>
        <Item here={here} href={paths.overview} exact>
          Overview
        </Item>
        <Item here={here} href={paths.settings}>
          Settings
        </Item>
        <Item here={here} href={paths.audit}>
          Audit log
        </Item>
      </ul>
      <h2 id="developers">Developers</h2>
      <ul aria-labelledby="developers">
        {applicationsShown && (
          <Item here={here} href={paths.applications}>
            OAuth applications
          </Item>
        )}
        <Item here={here} href={paths.clients}>
          Platforms and documents
        </Item>
        <Item here={here} href={paths.keys}>
          Signing keys
        </Item>
      </ul>
    </nav>
  )
}

function Item(props: { href: string; here: string; exact?: boolean; children: ComponentChildren }) {
  const { href, here, exact } = props
  const isHere = here === href || (!exact && here.startsWith(`${href}/`))
  return (
    <li>
      <a href={href} aria-current={isHere ? 'page' : undefined}>
        {props.children}
      </a>
    </li>
  )
}
