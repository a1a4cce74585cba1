import type { ComponentChildren } from 'preact'
import { SETTINGS_PATH } from '../../../../domain/people/link-paths.ts'
import { Alert, Icon, type IconName } from '../../../../foundation/html/components.tsx'
import { type SiteFrame, sitePage } from '../../frame/layout.tsx'
import { adminPaths } from '../../frame/paths.ts'
import { SearchField } from '../../frame/search-field.tsx'
import { count } from '../../frame/words.ts'

/** The menu of the admin area. */

interface MenuItem {
  readonly label: string
  readonly href: string
  /** The item is not marked on pages below it. */
  readonly exact?: boolean
}

interface MenuGroup {
  readonly title: string
  readonly icon: IconName
  readonly items: readonly MenuItem[]
  /** Shown only if the beta feature "MCP connections" is on. */
  readonly beta?: boolean
}

/** Stands above the groups. */
export interface TopItem extends MenuItem {
  readonly icon: IconName
}

export const TOP: readonly TopItem[] = [
  { label: 'Overview', href: '/admin', exact: true, icon: 'house' },
  { label: 'Apps and assistants', href: '/admin/clients', icon: 'plug' },
]

export const MENU: readonly MenuGroup[] = [
  {
    title: 'Teaching',
    icon: 'book',
    items: [
      { label: 'Courses', href: '/admin/courses' },
      { label: 'Students', href: '/admin/students' },
      { label: 'Lecturers', href: '/admin/lecturers' },
      { label: 'Events', href: '/admin/events' },
      { label: 'Comments', href: '/admin/comments' },
    ],
  },
  {
    title: 'Consulting',
    icon: 'talk',
    items: [
      { label: 'Meetings', href: '/admin/meetings' },
      { label: 'Services', href: '/admin/services' },
      { label: 'Study groups', href: '/admin/study-groups' },
    ],
  },
  {
    title: 'Sales',
    icon: 'tag',
    items: [
      { label: 'Orders', href: '/admin/orders' },
      { label: 'Payments', href: '/admin/payments' },
      { label: 'Membership plans', href: '/admin/plans' },
      { label: 'Subscriptions', href: '/admin/subscriptions' },
      { label: 'Digital products', href: '/admin/products' },
      { label: 'Coupons', href: '/admin/coupons' },
    ],
  },
  {
    title: 'Content',
    icon: 'sheet',
    items: [
      { label: 'Posts', href: '/admin/posts' },
      { label: 'Pages', href: '/admin/pages' },
      { label: 'Forms', href: '/admin/forms' },
    ],
  },
  {
    title: 'School',
    icon: 'school',
    items: [
      { label: 'Analytics', href: '/admin/analytics' },
      { label: 'Members', href: '/admin/members' },
      { label: 'Notifications', href: '/admin/notifications' },
      { label: 'Background work', href: '/admin/jobs' },
      { label: 'Audit log', href: '/admin/audit' },
    ],
  },
  {
    title: 'Set-up',
    icon: 'sliders',
    items: [
      { label: 'School details', href: '/admin/details' },
      { label: 'Appearance', href: '/admin/appearance' },
      { label: 'Settings', href: '/admin/settings' },
      { label: 'Signing keys', href: '/admin/keys' },
    ],
  },
  {
    title: 'Developers',
    icon: 'code',
    beta: true,
    items: [
      { label: 'OAuth applications', href: '/admin/developers/applications' },
      { label: 'Assistants', href: '/admin/developers/assistants' },
      { label: 'Operator tools', href: '/admin/developers/tools' },
    ],
  },
]

/** Whether a page is the item's page or below it. */
function isAt({ href, exact }: MenuItem, here: string): boolean {
  return here === href || (exact !== true && here.startsWith(`${href}/`))
}

/**
 * How many items of groups fit below each other on a screen of 800 pixels, beside the lines of all
 * groups.
 */
const MOST_OPEN = 11

/** Groups that operators use most. */
const OFTEN = ['Teaching', 'Sales']

/**
 * The titles of the groups that are open on a page: the group of the page, then as many others as
 * fit.
 */
function openGroups(here: string): ReadonlySet<string> {
  const own = MENU.find(({ items }) => items.some((item) => isAt(item, here)))
  const others = MENU.filter((group) => group !== own && OFTEN.includes(group.title))
  const open = new Set<string>()
  let left = MOST_OPEN
  for (const { title, items } of own === undefined ? others : [own, ...others]) {
    if (items.length > left && title !== own?.title) continue
    open.add(title)
    left -= items.length
  }
  return open
}

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

/**
 * The page of a client of any kind, where an operator sees and stops it. The id may be a URL, which
 * does not fit into a path.
 */
export function clientPath(clientId: string): string {
  return `${adminPaths.client}?id=${encodeURIComponent(clientId)}`
}

/** The question before a client of any kind is switched off. */
export function switchOffPath(clientId: string): string {
  return `${adminPaths.clientStatus}?id=${encodeURIComponent(clientId)}`
}

/** The question before the access of a client of any kind ends. */
export function endAccessPath(clientId: string): string {
  return `${adminPaths.endAccess}?id=${encodeURIComponent(clientId)}`
}

export function adminPage(props: AdminPageProps): string {
  const stylesheets = ['admin.css', ...(props.stylesheets ?? [])]
  const children = (
    <>
      <SearchField
        path={SEARCH_PATH}
        label="Search people, orders, courses and content"
        look="admin-search"
        placeholder="Search everything"
        text={props.searchText}
      />
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
 * The menu is open on wide screens and closed on narrow ones, where the line that opens it shows
 * the current page. Some of its groups are open, so that all of it is seen without scrolling. It
 * needs no script.
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

export const SEARCH_PATH = '/admin/search'
