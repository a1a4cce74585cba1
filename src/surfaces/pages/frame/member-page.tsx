import type { ComponentChildren } from 'preact'
import { NavLink, type SiteFrame, sitePage } from './layout.tsx'
import { MEMBER_PATHS } from './paths.ts'

const MENU: readonly (readonly [path: string, label: string])[] = [
  [MEMBER_PATHS.home, 'Home'],
  [MEMBER_PATHS.courses, 'Courses'],
  [MEMBER_PATHS.bookings, 'Bookings'],
  [MEMBER_PATHS.payments, 'Payments'],
  [MEMBER_PATHS.inbox, 'Inbox'],
  [MEMBER_PATHS.events, 'Events'],
  [MEMBER_PATHS.downloads, 'Downloads'],
  [MEMBER_PATHS.settings, 'Settings'],
]

interface MemberPageProps extends SiteFrame {
  title: string
  script?: string | undefined
  children: ComponentChildren
}

/** A page about what a member has at the school. */
export function memberPage(props: MemberPageProps): string {
  return sitePage({
    ...props,
    side: (
      <nav class="side" aria-label="Your account">
        <ul>
          {MENU.map(([href, label]) => (
            <li>
              <NavLink href={href} here={props.here}>
                {label}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
    ),
  })
}
