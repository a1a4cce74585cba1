import type { ComponentChildren } from 'preact'
import { SETTINGS_PATH } from '../account-paths.ts'
import { NavLink, type SiteFrame, sitePage } from '../site-layout.tsx'

export const MEMBER_PATHS = {
  home: '/account',
  settings: SETTINGS_PATH,
} as const

const MENU: readonly (readonly [path: string, label: string])[] = [
  [MEMBER_PATHS.home, 'Home'],
  [MEMBER_PATHS.settings, 'Account settings'],
]

interface MemberPageProps extends SiteFrame {
  title: string
  script?: string
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
