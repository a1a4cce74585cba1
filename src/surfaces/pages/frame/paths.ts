import { SETTINGS_PATH } from '../../../domain/people/link-paths.ts'

export const adminPaths = {
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
  clientStatus: '/admin/clients/standing',
  keys: '/admin/keys',
  audit: '/admin/audit',
} as const

/** The page of one application. */
export function applicationPath(
  clientId: string,
  rest: '' | '/renew' | '/secret' | '/logo' | '/old-secret' | '/delete' = '',
): string {
  return `${adminPaths.applications}/${encodeURIComponent(clientId)}${rest}`
}

/** The page of one tool. */
export function toolPath(slug: string): string {
  return `${adminPaths.tools}/${encodeURIComponent(slug)}`
}

export const factorPaths = {
  page: '/account/second-factor',
  setup: '/account/second-factor/new',
  codes: '/account/second-factor/codes',
  off: '/account/second-factor/off',
} as const

/** Slugs are ASCII letters, digits and hyphens; what a visitor typed may be anything. */
export function lecturePath(slug: string, lectureId: string): string {
  return `/courses/${encodeURIComponent(slug)}/lectures/${encodeURIComponent(lectureId)}`
}

/** Questions may have any name, also that of a field of ours. */
export const ANSWER_PREFIX = 'answer.'

/** The way up from a page of the settings. */
export const TO_SETTINGS = { url: SETTINGS_PATH, label: 'Account settings' }

export const MEMBER_PATHS = {
  home: '/account',
  courses: '/account/courses',
  bookings: '/account/bookings',
  payments: '/account/payments',
  inbox: '/account/inbox',
  events: '/account/events',
  downloads: '/account/downloads',
  settings: SETTINGS_PATH,
} as const

export const PASSKEYS_PATH = '/account/passkeys'
export const CALENDAR_PATH = '/account/calendar'
/** The calendar file of a booking or an event. */
export const calendarFile = (id: string) => `${CALENDAR_PATH}/${id}.ics`
export const NOTIFICATIONS_PATH = '/account/notifications'

/** The page of a comment below the lecture with this path. */
export const threadPath = (lecture: string, comment: string): string =>
  `${lecture}/comments/${comment}`
