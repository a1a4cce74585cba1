import type { IconName } from '../../../../foundation/html/components.tsx'

/** The menu of the admin area. */

export interface MenuItem {
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
export function isAt({ href, exact }: MenuItem, here: string): boolean {
  return here === href || (exact !== true && here.startsWith(`${href}/`))
}

/** How many items of groups fit below each other on a screen of 800 pixels, beside the lines of all groups. */
const MOST_OPEN = 11

/** Groups that operators use most. */
const OFTEN = ['Teaching', 'Sales']

/** The titles of the groups that are open on a page: the group of the page, then as many others as fit. */
export function openGroups(here: string): ReadonlySet<string> {
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
