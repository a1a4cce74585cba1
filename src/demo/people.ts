import type {
  EnrollmentSketch,
  MemberStory,
  ProductAccessSketch,
  PurchaseSketch,
  RegistrationSketch,
  SchoolContent,
  SubscriptionSketch,
} from './content/school-content.ts'
import type { DemoClock } from './demo-clock.ts'
import type { RowSet } from './row-set.ts'
import { demoSchools } from './schools.ts'
import { demoId, idAt, type Stage, type Variety, varietyOf } from './stage.ts'

/** The password of everyone who can sign in; the demo world is refused in production. */
export const DEMO_PASSWORD = 'schoolgate-demo'

/** The people who can sign in. Classmates and lecturers have no password. */
export const namedPeople = [
  { key: 'owner', name: 'Demo Owner' },
  { key: 'admin', name: 'Demo Admin' },
  { key: 'ada', name: 'Ada Demo' },
  { key: 'ben', name: 'Ben Demo' },
] as const

export function personId(key: string): string {
  return demoId(`person/${key}`)
}

export function emailOf(key: string): string {
  return `${key}@demo.test`
}

export function classmatesOf({ classmates: [first, last] }: SchoolContent): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => studentKey(first + i))
}

/** The members of a school with their roles. */
export function rolesAt(school: SchoolContent): ReadonlyMap<string, readonly string[]> {
  const classmates = classmatesOf(school)
  const isDemo = school.key === 'demo'
  return new Map<string, readonly string[]>([
    ['owner', ['owner']],
    ...(isDemo ? [['admin', ['admin']] as const] : []),
    ['ada', ['student']],
    ...(isDemo ? [['ben', ['student']] as const] : []),
    ...school.lecturers.map(({ key }) => [key, ['lecturer']] as const),
    ...classmates.map((key) => [key, ['student']] as const),
    // A member who left: the row stays, without a role.
    [classmates.at(-1) ?? studentKey(1), []],
  ])
}

export function addPeople(rows: RowSet, clock: DemoClock, passwordHash: string): void {
  for (const { key, name } of namedPeople) {
    rows.add('users', {
      ...person(key, name, key, clock),
      password_hash: passwordHash,
      password_changed_at: clock.at(-1300),
    })
  }
  for (const key of new Set(demoSchools.flatMap(classmatesOf))) {
    rows.add('users', person(key, titled(key), 'student', clock))
  }
  for (const { key } of demoSchools.flatMap((school) => school.lecturers)) {
    rows.add('users', person(key, titled(key), 'lecturer', clock))
  }
}

export function addMembers({ school, schoolId, clock, rows }: Stage): void {
  const variety = varietyOf(`${school.key}/members`)
  for (const [key, roles] of rolesAt(school)) {
    const daysAgo = key.startsWith('student') ? variety.integer(205, 420) : 1250
    rows.add('school_members', {
      school_id: schoolId,
      user_id: personId(key),
      roles: [...roles],
      joined_at: clock.at(-daysAgo, `0${variety.integer(1, 9)}:00`),
      // People of the demo world count as having signed in, also those without a password: all have
      // names and pictures.
      signed_in_at: clock.at(-daysAgo, '12:00'),
    })
  }
  for (const { key, headline, bio } of school.lecturers) {
    const created_at = clock.at(-1250)
    rows.add('lecturers', {
      school_id: schoolId,
      user_id: personId(key),
      headline,
      bio,
      created_at,
    })
  }
}

function person(key: string, name: string, picture: string, clock: DemoClock) {
  return {
    id: personId(key),
    email: emailOf(key),
    name,
    // A path without an origin: every origin serves these pictures.
    avatar_url: `/assets/avatars/${picture}.svg`,
    created_at: clock.at(-1300),
  }
}

function studentKey(number: number): string {
  return `student-${String(number).padStart(2, '0')}`
}

/** `lecturer-one` is called Lecturer One. */
function titled(key: string): string {
  return key.replaceAll('-', ' ').replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

export function addProductAccesses(
  stage: Stage,
  who: string,
  accesses: readonly ProductAccessSketch[],
): void {
  const { schoolId, clock, rows } = stage
  for (const { product, daysAgo, revokedDaysAgo } of accesses) {
    rows.add('digital_product_accesses', {
      school_id: schoolId,
      id: idAt(stage, 'product-access', `${who}/${product}`),
      product_id: idAt(stage, 'product', product),
      user_id: personId(who),
      granted_at: clock.at(-daysAgo, '06:00'),
      revoked_at: revokedDaysAgo === undefined ? null : clock.at(-revokedDaysAgo),
    })
  }
}

export function addSubscriptions(
  stage: Stage,
  who: string,
  subscriptions: readonly SubscriptionSketch[],
): void {
  const { school, schoolId, clock, rows } = stage
  for (const subscription of subscriptions) {
    const { plan, startedDaysAgo, periodStartedDaysAgo, canceledDaysAgo } = subscription
    const interval = school.plans.find(({ slug }) => slug === plan)?.interval
    const periodDays = interval === 'year' ? 365 : 30
    const started_at = clock.at(-startedDaysAgo, '00:00')
    rows.add('subscriptions', {
      school_id: schoolId,
      id: idAt(stage, 'subscription', `${who}/${plan}`),
      plan_id: idAt(stage, 'plan', plan),
      user_id: personId(who),
      state: subscription.state,
      started_at,
      current_period_starts_at: clock.at(-periodStartedDaysAgo, '00:00'),
      current_period_ends_at: clock.at(periodDays - periodStartedDaysAgo, '00:00'),
      cancel_at_period_end: subscription.cancelAtPeriodEnd ?? false,
      canceled_at: canceledDaysAgo === undefined ? null : clock.at(-canceledDaysAgo),
      created_at: started_at,
    })
  }
}

/** Random activity of the generic accounts, so that rosters, orders and charts are not empty. */
export function classmateStories(school: SchoolContent): readonly MemberStory[] {
  return classmatesOf(school).map((who) => classmateStory(school, who))
}

function classmateStory(school: SchoolContent, who: string): MemberStory {
  const variety = varietyOf(`${school.key}/classmate/${who}`)
  const enrollments = drawEnrollments(school, variety)
  const subscription = variety.chance(0.35) ? drawSubscription(school, variety) : undefined
  return {
    who,
    enrollments,
    registrations: drawRegistrations(school, variety),
    subscriptions: subscription === undefined ? [] : [subscription],
    purchases: [
      ...enrollments
        .filter(({ source }) => source === 'purchase')
        .map((enrollment, i) => ({
          ...coursePurchase(who, enrollment, variety),
          // Each member can use the welcome coupon once.
          ...(i === 0 && variety.chance(0.4) ? { coupon: 'WELCOME10' } : {}),
        })),
      ...(subscription === undefined ? [] : renewals(who, subscription)),
    ],
    notifications: [
      {
        kind: 'announcement',
        title: `News from ${school.name}`,
        body: 'There is a new post on our pages.',
        url: '/',
        hoursAgo: 24 * variety.integer(1, 20),
        unread: true,
      },
    ],
  }
}

function drawEnrollments(school: SchoolContent, variety: Variety): readonly EnrollmentSketch[] {
  const published = school.courses.filter(({ state }) => state === undefined)
  const first = variety.integer(0, published.length - 1)
  return Array.from({ length: variety.integer(1, 3) }, (_, i): EnrollmentSketch => {
    const course = published[(first + i * 2) % published.length]
    if (course === undefined) throw new Error(`${school.name} has no published course`)
    const daysAgo = variety.integer(3, 200)
    return {
      course: course.slug,
      daysAgo,
      source: course.price === 0 ? 'grant' : variety.pick(['purchase', 'purchase', 'plan']),
      ...(variety.chance(0.3) ? { expiresInDays: variety.integer(10, 300) } : {}),
      progress: variety.integer(0, 10) / 10,
      restsSince: variety.integer(1, Math.min(daysAgo - 1, 45)),
    }
  })
}

/** Only free events that are not full on purpose: only the named people have tickets. */
function drawRegistrations(school: SchoolContent, variety: Variety): readonly RegistrationSketch[] {
  return school.events
    .filter(({ state, capacity }) => state === undefined && (capacity ?? 99) > 6)
    .filter(() => variety.chance(0.3))
    .map(({ slug, inDays }) => ({
      event: slug,
      daysAgo: Math.max(1, -inDays) + variety.integer(1, 20),
      ...(inDays < 0 ? { state: variety.pick(['attended', 'attended', 'canceled']) } : {}),
    }))
}

function drawSubscription(school: SchoolContent, variety: Variety): SubscriptionSketch {
  const months = variety.integer(1, 8)
  const periodStartedDaysAgo = variety.integer(1, 28)
  const state = variety.pick(['active', 'active', 'active', 'past_due', 'canceled'])
  return {
    plan: school.plans.find(({ interval }) => interval === 'month')?.slug ?? '',
    startedDaysAgo: 30 * months + periodStartedDaysAgo,
    periodStartedDaysAgo,
    state,
    ...(state === 'canceled' ? { canceledDaysAgo: 1 } : {}),
    cancelAtPeriodEnd: state === 'active' && variety.chance(0.25),
  }
}

function coursePurchase(
  who: string,
  { course, daysAgo }: EnrollmentSketch,
  variety: Variety,
): PurchaseSketch {
  const type = variety.pick(['credit_card', 'credit_card', 'atm', 'convenience_store'])
  return {
    key: `${who}/${course}`,
    goods: [{ course }],
    attempts: [
      ...(variety.chance(0.15) ? [{ type, outcome: 'failed', daysAgo: daysAgo + 1 } as const] : []),
      { type, outcome: 'paid', daysAgo, invoice: true },
    ],
  }
}

function renewals(who: string, subscription: SubscriptionSketch): readonly PurchaseSketch[] {
  const { plan, startedDaysAgo, periodStartedDaysAgo, state } = subscription
  const purchases: PurchaseSketch[] = []
  for (let daysAgo = periodStartedDaysAgo; daysAgo <= startedDaysAgo; daysAgo += 30) {
    const isUnpaid = state === 'past_due' && daysAgo === periodStartedDaysAgo
    purchases.push({
      key: `${who}/renewal/${purchases.length}`,
      goods: [{ plan }],
      attempts: [
        isUnpaid
          ? { type: 'credit_card', outcome: 'failed', daysAgo }
          : { type: 'credit_card', outcome: 'paid', daysAgo, invoice: true },
      ],
    })
  }
  return purchases
}
