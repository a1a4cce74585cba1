import type { ComponentChildren } from 'preact'
import { type SiteFrame, sitePage } from '../site-layout.tsx'
import { isAt, MENU, OVERVIEW } from './admin-menu.ts'

export interface AdminFrame extends SiteFrame {
  /** Whether the beta feature that reveals OAuth applications is on. */
  applicationsShown: boolean
  timeZone: string
}

interface AdminPageProps extends AdminFrame {
  title: string
  /** Of `assets/`, on top of those that every page of the area has. */
  stylesheets?: readonly string[]
  children: ComponentChildren
}

export const paths = {
  overview: '/admin',
  analytics: '/admin/analytics',
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
  const stylesheets = ['admin.css', ...(props.stylesheets ?? [])]
  return sitePage({ ...props, stylesheets, side: <AdminNav {...props} /> })
}

/**
 * The menu is open on wide screens and folded on narrow ones, where the line that unfolds it says
 * where one is. No script has a part in it.
 */
function AdminNav({ here, applicationsShown }: AdminFrame) {
  const groups = MENU.map(({ title, items }) => ({
    title,
    items: items.filter(({ beta }) => applicationsShown || beta !== true),
  }))
  const current = groups.flatMap(({ items }) => items).find((item) => isAt(item, here)) ?? OVERVIEW
  return (
    <nav class="side" aria-label="Admin">
      <details class="menu">
        <summary>
          <span class="visually-hidden">Admin menu, at </span>
          {current.label}
        </summary>
        <div class="menu-groups">
          <ul>
            <Item item={OVERVIEW} here={here} />
          </ul>
          {groups.map(({ title, items }) => (
            <div class="menu-group">
              <h2 id={`menu-${title.toLowerCase()}`}>{title}</h2>
              <ul aria-labelledby={`menu-${title.toLowerCase()}`}>
                {items.map((item) => (
                  <Item item={item} here={here} />
                ))}
              </ul>
            </div>
          ))}
        </div>
      </details>
    </nav>
  )
}

function Item({ item, here }: { item: (typeof MENU)[number]['items'][number]; here: string }) {
  return (
    <li>
      <a href={item.href} aria-current={isAt(item, here) ? 'page' : undefined}>
        {item.label}
      </a>
    </li>
  )
}
