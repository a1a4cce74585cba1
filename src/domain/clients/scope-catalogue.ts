import { type RawBuilder, sql } from 'kysely'
import type { TenantTable } from '../../foundation/db/school-db.ts'
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

interface OperatorData {
  /** What pages call the data: "this app read courses". */
  readonly data: string
  /** What the scopes let an app do, as the consent page says it. */
  readonly see?: string
  readonly change?: string
  /** The rows that an app would see, which the consent page counts. */
  readonly rows?: CountedRows
}

interface CountedRows {
  readonly one: string
  /** If it is not the name of the data. */
  readonly many?: string
  /** If it is not the subject of the scopes. */
  readonly table?: TenantTable
  readonly which?: RawBuilder<unknown>
}

/** What apps of operators can see and change, by the subject of their scopes. */
const OPERATOR_DATA = {
  courses: {
    data: 'courses',
    see: 'See all courses',
    change: 'Create, change, publish and archive courses',
    rows: { one: 'course' },
  },
  students: {
    data: 'students',
    see: 'See students, their enrollments and progress',
    change: 'Add students and change their enrollments',
    rows: { one: 'student', table: 'school_members', which: sql`'student' = any(roles)` },
  },
  members: {
    data: 'members',
    see: 'See members and their roles',
    change: 'Add members and change their roles',
    rows: { one: 'member', table: 'school_members', which: sql`roles <> '{}'` },
  },
  analytics: { data: 'analytics', see: 'See revenue, enrollments and activity figures' },
  curriculum: {
    data: 'sections and lectures',
    see: 'See sections and lectures',
    change: 'Create, change and reorder sections and lectures',
    rows: { one: 'lecture', many: 'lectures', table: 'lectures' },
  },
  orders: { data: 'orders', see: 'See orders, payments and refunds', rows: { one: 'order' } },
  school: {
    data: 'school settings',
    see: 'See the school’s settings',
    change: 'Change the school’s settings',
  },
  appearance: {
    data: 'colors and logo',
    see: 'See colors and logo',
    change: 'Change colors and logo',
  },
  events: {
    data: 'events',
    see: 'See events and registrations',
    change: 'Create and change events and registrations',
    rows: { one: 'event' },
  },
  membership_plans: {
    data: 'membership plans',
    see: 'See membership plans',
    change: 'Create and change membership plans',
    rows: { one: 'membership plan' },
  },
  coupons: {
    data: 'coupons',
    see: 'See coupons and their use',
    change: 'Create and change coupons',
    rows: { one: 'coupon' },
  },
  posts: {
    data: 'posts',
    see: 'See posts, drafts included',
    change: 'Write, change and publish posts',
    rows: { one: 'post' },
  },
  subscriptions: {
    data: 'subscriptions',
    see: 'See subscriptions',
    change: 'Change and cancel subscriptions',
    rows: { one: 'subscription' },
  },
  digital_products: {
    data: 'digital products',
    see: 'See digital products',
    change: 'Create and change digital products',
    rows: { one: 'digital product' },
  },
  comments: {
    data: 'comments',
    see: 'See comments under lectures',
    rows: { one: 'comment' },
  },
  lecturers: {
    data: 'lecturers',
    see: 'See lecturers',
    change: 'Add and change lecturers',
    rows: { one: 'lecturer' },
  },
  storage: { data: 'files', change: 'Upload files' },
  forms: {
    data: 'forms',
    see: 'See forms and what was submitted',
    rows: { one: 'form' },
  },
  pages: {
    data: 'pages',
    see: 'See pages, drafts included',
    change: 'Write, change and publish pages',
    rows: { one: 'page' },
  },
} as const satisfies Readonly<Record<string, OperatorData>>

/** The subject of a scope of operators. */
export type OperatorSubject = keyof typeof OPERATOR_DATA

export const operatorData: Readonly<Record<string, OperatorData>> = OPERATOR_DATA

const operatorScopes = Object.entries(operatorData).flatMap(([subject, { see, change }]) => [
  ...(see === undefined ? [] : [scopeOf(subject, 'read', see)]),
  ...(change === undefined ? [] : [scopeOf(subject, 'write', change)]),
])

function scopeOf(subject: string, access: 'read' | 'write', meaning: string): ScopeEntry {
  return { name: `${subject}:${access}`, audience: 'operator', access, meaning }
}

/** Every scope there is. Discovery, registration, consent and the admin area all read this list. */
export const SCOPES: readonly ScopeEntry[] = [
  identity('openid', 'Know who you are at this school'),
  identity('profile', 'See your name and picture'),
  identity('email', 'See your email address'),
  ...operatorScopes,
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
