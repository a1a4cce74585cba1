import type { ComponentChildren } from 'preact'
import { Alert, Icon, type IconName } from '../../../../foundation/html/components.tsx'
import { SETTINGS_PATH } from '../account-paths.ts'
import { type SiteFrame, sitePage } from '../site-layout.tsx'
import { count } from '../words.ts'
import { isAt, MENU, type MenuItem, openGroups, TOP } from './admin-menu.ts'
import { AdminSearch } from './admin-search.tsx'

export interface AdminFrame extends SiteFrame {
  /** Whether the beta feature "MCP connections" is on, which shows the Developers area. */
  developersShown: boolean
  timeZone: string
  /** The school's own. */
  currency: string
  /** Days until the school demands more of this person's sign-in; undefined if it is enough. */
  factorDays?: number | undefined
}

interface AdminPageProps extends AdminFrame {
  title: string
  /** Files of `assets/`, in addition to those of every admin page. */
  stylesheets?: readonly string[]
  /** A file of `assets/`; send the page with `sendScriptedPage`. */
  script?: string | undefined
  /** What was searched for, on the page of the search. */
  searchText?: string
  children: ComponentChildren
}

export const paths = {
  overview: '/admin',
  analytics: '/admin/analytics',
  settings: '/admin/settings',
  applications: '/admin/developers/applications',
  newApplication: '/admin/developers/applications/new',
  assistants: '/admin/developers/assistants',
  tools: '/admin/developers/tools',
  newTool: '/admin/developers/tools/new',
  clients: '/admin/clients',
  client: '/admin/clients/view',
  endAccess: '/admin/clients/end-all',
  stopAll: '/admin/clients/stop-all',
  standing: '/admin/clients/standing',
  keys: '/admin/keys',
  audit: '/admin/audit',
} as const

/** The page of one application. */
export function applicationPath(
  clientId: string,
  rest: '' | '/renew' | '/secret' | '/logo' | '/old-secret' | '/delete' = '',
): string {
  return `${paths.applications}/${encodeURIComponent(clientId)}${rest}`
}

/** The page of one tool. */
export function toolPath(slug: string): string {
  return `${paths.tools}/${encodeURIComponent(slug)}`
}

/**
 * The page of a client of any kind, where an operator sees and stops it. The id may be a URL, which
 * does not fit into a path.
 */
export function clientPath(clientId: string): string {
  return `${paths.client}?id=${encodeURIComponent(clientId)}`
}

/** The question before a client of any kind is switched off. */
export function switchOffPath(clientId: string): string {
  return `${paths.standing}?id=${encodeURIComponent(clientId)}`
}

/** The question before the access of a client of any kind ends. */
export function endAccessPath(clientId: string): string {
  return `${paths.endAccess}?id=${encodeURIComponent(clientId)}`
}

export function adminPage(props: AdminPageProps): string {
  const stylesheets = ['admin.css', ...(props.stylesheets ?? [])]
  const children = (
    <>
      <AdminSearch text={props.searchText} />
      {props.factorDays !== undefined && <FactorSoon days={props.factorDays} />}
      {props.children}
    </>
  )
  return sitePage({ ...props, stylesheets, wide: true, side: <AdminNav {...props} />, children })
}

function FactorSoon({ days }: { days: number }) {
  return (
    <Alert
      tone="warning"
      title={`In ${count(days, 'day', 'days')} this area needs a passkey or a second factor`}
    >
      <p>
        You have signed in with a password alone.{' '}
        <a href={SETTINGS_PATH}>Set one up in your account</a>, then sign in with it.
      </p>
    </Alert>
  )
}

/**
 * The menu is open on wide screens and closed on narrow ones, where the line that opens it shows the
 * current page. Some of its groups are open, so that all of it is seen without scrolling. It needs no script.
 */
function AdminNav({ here, developersShown }: AdminFrame) {
  const groups = MENU.filter(({ beta }) => developersShown || beta !== true)
  const items = [...TOP, ...groups.flatMap((group) => group.items)]
  const current = items.find((item) => isAt(item, here))
  const open = openGroups(here)
  return (
    <nav class="side" aria-label="Admin">
      <details class="menu">
        <summary>
          <span class="visually-hidden">Admin menu{current !== undefined && ', at '}</span>
          {current?.label}
        </summary>
        <div class="menu-parts">
          <ul>
            {TOP.map((item) => (
              <Item item={item} here={here} icon={item.icon} />
            ))}
          </ul>
          {groups.map(({ title, icon, items }) => (
            <details class="menu-part" open={open.has(title)}>
              <summary class="menu-part-title">
                <Icon name={icon} />
                {title}
              </summary>
              <ul class="menu-part-items">
                {items.map((item) => (
                  <Item item={item} here={here} />
                ))}
              </ul>
            </details>
          ))}
        </div>
      </details>
    </nav>
  )
}

function Item({ item, here, icon }: { item: MenuItem; here: string; icon?: IconName }) {
  return (
    <li>
      <a href={item.href} aria-current={isAt(item, here) ? 'page' : undefined}>
        {icon !== undefined && <Icon name={icon} />}
        {item.label}
      </a>
    </li>
  )
}
