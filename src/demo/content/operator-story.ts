import type { MemberStory } from './school-content.ts'

interface OperatorStory {
  readonly who: 'owner' | 'admin'
  readonly school: string
  readonly product: string
  readonly event: string
}

/** People who run a school have an inbox and a few purchases there too. */
export function operatorStory({ who, school, product, event }: OperatorStory): MemberStory {
  return {
    who,
    products: [{ product, daysAgo: 70 }],
    registrations: [{ event, daysAgo: 30 }],
    purchases: [
      {
        key: `${who}/product`,
        goods: [{ product }],
        attempts: [{ type: 'credit_card', outcome: 'paid', daysAgo: 70, invoice: true }],
      },
      {
        key: `${who}/ticket`,
        goods: [{ event }],
        attempts: [{ type: 'atm', outcome: 'paid', daysAgo: 30, invoice: true }],
      },
      {
        key: `${who}/open`,
        goods: [{ product, quantity: 2 }],
        attempts: [{ type: 'atm', outcome: 'pending', daysAgo: 1, expiresInDays: 14 }],
      },
    ],
    notifications: [
      {
        kind: 'order_placed',
        title: `A new order at ${school}`,
        body: 'A student bought a course. The order is paid.',
        url: '/admin',
        hoursAgo: 3,
        unread: true,
      },
      {
        kind: 'refund_requested',
        title: 'A refund was requested',
        body: 'Please answer within two working days.',
        url: '/admin',
        hoursAgo: 50,
        unread: true,
      },
      {
        kind: 'announcement',
        title: 'Your school is ready',
        body: 'Try the admin area, then connect an app of your own.',
        url: '/admin',
        hoursAgo: 24 * 90,
      },
    ],
    muted: [['announcements', 'email']],
  }
}
