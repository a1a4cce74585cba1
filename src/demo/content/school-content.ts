/** What a school of the demo world teaches, sells and says, before it becomes rows. */
export interface SchoolContent {
  readonly key: SchoolKey
  readonly name: string
  readonly description: string
  readonly tagline: string
  readonly colors: readonly [primary: string, accent: string]
  readonly currency: 'TWD' | 'USD' | 'EUR'
  readonly timeZone: string
  readonly variant: 'newer' | 'older'
  readonly mcpConnections: boolean
  readonly keyStage: 'active' | 'published' | 'none'
  /** Numbers of the generic classmates `student-01` and up, first and last. */
  readonly classmates: readonly [first: number, last: number]
  readonly lecturers: readonly LecturerSketch[]
  readonly courses: readonly CourseSketch[]
  readonly products: readonly ProductSketch[]
  readonly plans: readonly PlanSketch[]
  readonly coupons: readonly CouponSketch[]
  readonly events: readonly EventSketch[]
  readonly services: readonly ServiceSketch[]
  readonly studyGroups: readonly StudyGroupSketch[]
  readonly posts: readonly ArticleSketch[]
  readonly pages: readonly ArticleSketch[]
  readonly forms: readonly FormSketch[]
  readonly payAt: PaymentPlaces
  readonly members: readonly MemberStory[]
  readonly discussions: readonly DiscussionSketch[]
}

type SchoolKey = 'demo' | 'harbor' | 'heritage'

interface LecturerSketch {
  readonly key: string
  readonly headline: string
  readonly bio: string
}

export interface CourseSketch {
  readonly slug: string
  readonly title: string
  readonly summary: string
  /** In whole units of the school's currency, like every price here. */
  readonly price: number
  readonly state?: 'draft' | 'archived'
  readonly taughtBy: readonly string[]
  readonly sections: readonly SectionSketch[]
}

export interface SectionSketch {
  readonly title: string
  readonly lectures: readonly string[]
  /** Opens so many days after the member enrolled. */
  readonly unlockAfterDays?: number
  /** Opens for everybody on a date, so many days from the making of the demo world. */
  readonly unlockInDays?: number
}

export interface ProductSketch {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly price: number
  readonly state?: 'draft' | 'archived'
}

export interface PlanSketch {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly interval: 'month' | 'year'
  readonly price: number
  readonly courses: readonly string[]
  readonly state?: 'draft' | 'archived'
}

export interface CouponSketch {
  readonly code: string
  readonly percentOff?: number
  readonly amountOff?: number
  readonly startsInDays?: number
  readonly endsInDays?: number
  readonly maxRedemptions?: number
  readonly maxPerMember?: number
  readonly archived?: boolean
}

export interface EventSketch {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly inDays: number
  readonly time: string
  readonly hours: number
  readonly location?: string
  readonly online?: boolean
  readonly capacity?: number
  readonly price: number
  readonly state?: 'draft' | 'canceled'
  /** Classmates who have a place, besides those drawn. */
  readonly attendees?: readonly string[]
}

export interface ServiceSketch {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly host: string
  readonly courses: readonly string[]
  readonly slots: readonly SlotSketch[]
  readonly paused?: boolean
}

export interface SlotSketch {
  readonly weekday: number
  readonly time: string
  readonly minutes: number
  readonly capacity: number
}

export interface StudyGroupSketch {
  readonly key: string
  readonly name: string
  readonly course: string
  readonly weekday: number
  readonly time: string
  readonly minutes: number
  readonly weeks: readonly [first: number, last: number, every: number]
  readonly members: readonly string[]
}

export interface ArticleSketch {
  readonly slug: string
  readonly title: string
  readonly body: string
  readonly daysAgo: number
  readonly draft?: boolean
}

export interface FormSketch {
  readonly slug: string
  readonly title: string
  readonly state: 'draft' | 'open' | 'closed'
  readonly fields: readonly FormField[]
  readonly answers: readonly FormAnswers[]
}

interface FormField {
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'email' | 'long_text' | 'number' | 'yes_no'
  readonly required: boolean
}

interface FormAnswers {
  /** Absent: the sender was not signed in. */
  readonly by?: string
  readonly daysAgo: number
  readonly values: Readonly<Record<string, string | number | boolean>>
}

/** Where unpaid instructions send a buyer: a bank for transfers, a chain of stores for codes. */
interface PaymentPlaces {
  readonly bank: readonly [code: string, name: string]
  readonly store: readonly [code: string, name: string]
}

export interface DiscussionSketch {
  readonly course: string
  /** Counted over the whole course, from zero. */
  readonly lecture: number
  readonly by: string
  readonly daysAgo: number
  readonly body: string
  readonly hidden?: boolean
  readonly replies?: readonly { readonly by: string; readonly body: string }[]
}

/** What one of the four named people does at a school; classmates are drawn instead. */
export interface MemberStory {
  readonly who: string
  readonly enrollments?: readonly EnrollmentSketch[]
  readonly products?: readonly ProductAccessSketch[]
  readonly registrations?: readonly RegistrationSketch[]
  readonly subscriptions?: readonly SubscriptionSketch[]
  readonly bookings?: readonly BookingSketch[]
  readonly purchases: readonly PurchaseSketch[]
  readonly notifications: readonly NotificationSketch[]
  readonly muted?: readonly (readonly [topic: string, channel: 'email' | 'in_app'])[]
}

export interface EnrollmentSketch {
  readonly course: string
  readonly daysAgo: number
  readonly source: 'purchase' | 'plan' | 'grant' | 'import'
  readonly expiresInDays?: number
  readonly revokedDaysAgo?: number
  /** How much of the course was worked through, from 0 to 1. */
  readonly progress: number
  /** Nothing was learned here since so many days ago; yesterday if left out. */
  readonly restsSince?: number
}

export interface ProductAccessSketch {
  readonly product: string
  readonly daysAgo: number
  readonly revokedDaysAgo?: number
}

export interface RegistrationSketch {
  readonly event: string
  readonly daysAgo: number
  readonly state?: 'attended' | 'canceled'
}

export interface SubscriptionSketch {
  readonly plan: string
  readonly startedDaysAgo: number
  readonly periodStartedDaysAgo: number
  readonly state: 'active' | 'past_due' | 'canceled'
  readonly canceledDaysAgo?: number
  readonly cancelAtPeriodEnd?: boolean
}

export interface BookingSketch {
  readonly service: string
  readonly slot: number
  readonly weeks: readonly [first: number, last: number]
  readonly together?: readonly string[]
}

export type PaymentType = 'credit_card' | 'atm' | 'convenience_store' | 'free'

export interface PurchaseSketch {
  readonly key: string
  readonly goods: readonly GoodSketch[]
  readonly coupon?: string
  readonly promotion?: { readonly label: string; readonly share: number }
  readonly attempts: readonly AttemptSketch[]
}

export interface GoodSketch {
  readonly course?: string
  readonly product?: string
  readonly event?: string
  readonly plan?: string
  /** A line of its own: neither of the above, with a price of its own. */
  readonly extra?: { readonly title: string; readonly price: number }
  readonly quantity?: number
}

export interface AttemptSketch {
  /** Null: left before a method was chosen. */
  readonly type: PaymentType | null
  readonly outcome: 'pending' | 'paid' | 'failed' | 'refunded'
  readonly daysAgo: number
  readonly time?: string
  /** For a pending attempt: from now, so that a negative number reads as expired. */
  readonly expiresInDays?: number
  readonly installments?: number
  readonly invoice?: boolean
  readonly refund?: RefundSketch
}

interface RefundSketch {
  readonly state: 'requested' | 'partially_refunded' | 'refunded' | 'rejected'
  readonly requestedDaysAgo: number
  readonly settledDaysAgo?: number
  /** Of a partial refund: how much of the amount went back, from 0 to 1. */
  readonly share?: number
}

export interface NotificationSketch {
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly url?: string
  readonly hoursAgo: number
  readonly unread?: boolean
}
