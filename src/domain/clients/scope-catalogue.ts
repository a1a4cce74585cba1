import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { SchoolVariant } from '../schools/school.ts'

/** Who a client acts for: a member reading their own data, or an operator running the school. */
export type Audience = 'member' | 'operator'

/** Identity scopes go with either audience. */
export type ScopeAudience = 'identity' | Audience

export interface ScopeEntry {
  readonly name: string
  readonly audience: ScopeAudience
  readonly access: 'read' | 'write'
  /** What it lets an app do, as the consent page says it. */
  readonly meaning: string
  /** The meaning on older origins, where it gives something else. */
  readonly olderMeaning?: string
}

const identity = (name: string, meaning: string): ScopeEntry => ({
  name,
  audience: 'identity',
  access: 'read',
  meaning,
})

const operator = (subject: string, see: string, change?: string): ScopeEntry[] => [
  { name: `${subject}:read`, audience: 'operator', access: 'read', meaning: see },
  ...(change === undefined
    ? []
    : [
        {
          name: `${subject}:write`,
          audience: 'operator',
          access: 'write',
          meaning: change,
        } as const,
      ]),
]

/** Every scope there is. Discovery, registration, consent and the admin area all read this list. */
export const SCOPES: readonly ScopeEntry[] = [
  identity('openid', 'Know who you are at this school'),
  identity('profile', 'See your name and picture'),
  identity('email', 'See your email address'),
  ...operator('courses', 'See all courses', 'Create, change, publish and archive courses'),
  ...operator(
    'students',
    'See students, their enrollments and progress',
    'Add students and change their enrollments',
  ),
  ...operator('members', 'See members and their roles', 'Add members and change their roles'),
  ...operator('analytics', 'See revenue, enrollments and activity figures'),
  ...operator(
    'curriculum',
    'See sections and lectures',
    'Create, change and reorder sections and lectures',
  ),
  ...operator('orders', 'See orders, payments and refunds'),
  ...operator('school', 'See the school’s settings', 'Change the school’s settings'),
  ...operator('appearance', 'See colors and logo', 'Change colors and logo'),
  ...operator(
    'events',
    'See events and registrations',
    'Create and change events and registrations',
  ),
  ...operator('membership_plans', 'See membership plans', 'Create and change membership plans'),
  ...operator('coupons', 'See coupons and their use', 'Create and change coupons'),
  ...operator('posts', 'See posts, drafts included', 'Write, change and publish posts'),
  ...operator('subscriptions', 'See subscriptions', 'Change and cancel subscriptions'),
  ...operator('digital_products', 'See digital products', 'Create and change digital products'),
  ...operator('comments', 'See comments under lectures'),
  ...operator('lecturers', 'See lecturers', 'Add and change lecturers'),
  {
    name: 'storage:write',
    audience: 'operator',
    access: 'write',
    meaning: 'Upload files',
  },
  ...operator('forms', 'See forms and what was submitted'),
  ...operator('pages', 'See pages, drafts included', 'Write, change and publish pages'),
  {
    name: 'account:read',
    audience: 'member',
    access: 'read',
    meaning: 'See your courses, progress, purchases, bookings, payments and notifications',
    olderMeaning: 'See your courses, progress, products, event registrations and notifications',
  },
  {
    name: 'account:write',
    audience: 'member',
    access: 'write',
    meaning: 'Mark your notifications as read and change what you are notified about',
  },
]

const byName = new Map(SCOPES.map((scope) => [scope.name, scope]))

export function findScope(name: string): ScopeEntry | undefined {
  return byName.get(name)
}

/** What a scope lets an app do at a school of this variant. */
export function meaningOf(scope: ScopeEntry, variant: SchoolVariant): string {
  return variant === 'older' ? (scope.olderMeaning ?? scope.meaning) : scope.meaning
}

/**
 * A scope that the catalogue does not know counts as a change: no page may understate what an app
 * can do.
 */
export function isChange(name: string): boolean {
  return findScope(name)?.access !== 'read'
}

const namesWhere = (wanted: (scope: ScopeEntry) => boolean): ScopeSet =>
  ScopeSet.of(SCOPES.filter(wanted).map((scope) => scope.name))

export const ALL_SCOPES = namesWhere(() => true)
export const IDENTITY_SCOPES = namesWhere((scope) => scope.audience === 'identity')
/** What a client of each audience may hold. */
export const SCOPES_OF_AUDIENCE: Readonly<Record<Audience, ScopeSet>> = {
  member: namesWhere((scope) => scope.audience !== 'operator'),
  operator: namesWhere((scope) => scope.audience !== 'member'),
}
/** All that a client metadata document may ask for before an operator has reviewed it. */
export const UNREVIEWED_SCOPES = namesWhere(
  (scope) => scope.audience !== 'member' && scope.access === 'read',
)
