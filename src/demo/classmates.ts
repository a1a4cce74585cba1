import type {
  EnrollmentSketch,
  MemberStory,
  PurchaseSketch,
  RegistrationSketch,
  SchoolContent,
  SubscriptionSketch,
} from './content/school-content.ts'
import { classmatesOf } from './people.ts'
import { type Variety, varietyOf } from './variety.ts'

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
