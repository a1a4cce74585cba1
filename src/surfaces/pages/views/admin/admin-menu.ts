/** The menu of the admin area. */

interface MenuItem {
  readonly label: string
  readonly href: string
  /** The item is not marked on pages below it. */
  readonly exact?: boolean
}

interface MenuGroup {
  readonly title: string
  readonly items: readonly MenuItem[]
  /** Shown only if the beta feature "MCP connections" is on. */
  readonly beta?: boolean
}

export const OVERVIEW: MenuItem = { label: 'Overview', href: '/admin', exact: true }

export const MENU: readonly MenuGroup[] = [
  {
    title: 'Teaching',
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
    items: [
      { label: 'Meetings', href: '/admin/meetings' },
      { label: 'Services', href: '/admin/services' },
      { label: 'Study groups', href: '/admin/study-groups' },
    ],
  },
  {
    title: 'Sales',
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
    items: [
      { label: 'Posts', href: '/admin/posts' },
      { label: 'Pages', href: '/admin/pages' },
      { label: 'Forms', href: '/admin/forms' },
    ],
  },
  {
    title: 'School',
    items: [
      { label: 'Analytics', href: '/admin/analytics' },
      { label: 'Members', href: '/admin/members' },
      { label: 'Connected apps', href: '/admin/clients' },
      { label: 'Notifications', href: '/admin/notifications' },
      { label: 'School details', href: '/admin/details' },
      { label: 'Appearance', href: '/admin/appearance' },
      { label: 'Settings', href: '/admin/settings' },
      { label: 'Signing keys', href: '/admin/keys' },
      { label: 'Background work', href: '/admin/jobs' },
      { label: 'Audit log', href: '/admin/audit' },
    ],
  },
  {
    title: 'Developers',
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
