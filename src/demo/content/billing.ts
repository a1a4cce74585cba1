import type { AttemptSketch, PurchaseSketch } from './school-content.ts'

/** What of a school's catalogue a member's billing history is made from. */
export interface Billing {
  readonly prefix: string
  readonly courses: readonly [
    installments: string,
    retried: string,
    transferred: string,
    refunded: string,
  ]
  readonly products: readonly [first: string, second: string, third: string]
  readonly events: readonly [free: string, paid: string, refunded: string]
  readonly plans: readonly [monthly: string, yearly: string]
  readonly coupons: readonly [percent: string, amount: string, everything: string]
  /** A paid extra that is no course, product, event or plan, in whole units. */
  readonly extra: { readonly title: string; readonly price: number }
  readonly months: number
  readonly extras: number
}

/**
 * A billing history with every kind of row there is: each payment state by each type it can have,
 * the refunds, installments, coupons, invoices, retries, and checkouts left half-way.
 */
export function everyKindOfPurchase(billing: Billing): readonly PurchaseSketch[] {
  return [
    ...bought(billing),
    ...refunds(billing),
    ...unpaid(billing),
    ...failures(billing),
    ...renewals(billing),
    ...extras(billing),
  ].map((purchase) => ({ ...purchase, key: `${billing.prefix}/${purchase.key}` }))
}

const paid = (
  type: AttemptSketch['type'],
  daysAgo: number,
  rest: Partial<AttemptSketch> = {},
): AttemptSketch => ({ type, outcome: 'paid', daysAgo, invoice: true, ...rest })

const failed = (type: AttemptSketch['type'], daysAgo: number): AttemptSketch => ({
  type,
  outcome: 'failed',
  daysAgo,
})

const pending = (
  type: AttemptSketch['type'],
  daysAgo: number,
  expiresInDays: number,
  time?: string,
): AttemptSketch => ({
  type,
  outcome: 'pending',
  daysAgo,
  expiresInDays,
  ...(time === undefined ? {} : { time }),
})

function bought({ courses, products, events, coupons }: Billing): PurchaseSketch[] {
  const [installments, retried, transferred] = courses
  const [first, second, third] = products
  return [
    {
      key: 'installments-12',
      goods: [{ course: installments }],
      coupon: coupons[0],
      attempts: [paid('credit_card', 75, { installments: 12 })],
    },
    {
      key: 'retried',
      goods: [{ course: retried }],
      attempts: [
        failed('credit_card', 64),
        pending('atm', 63, -60),
        paid('convenience_store', 59, { time: '15:20' }),
      ],
    },
    {
      key: 'transfer',
      goods: [{ course: transferred }],
      promotion: { label: 'Season opening', share: 0.1 },
      attempts: [paid('atm', 110)],
    },
    { key: 'gift', goods: [{ product: first }], coupon: coupons[2], attempts: [paid('free', 33)] },
    { key: 'free-ticket', goods: [{ event: events[0] }], attempts: [paid('free', 50)] },
    {
      key: 'bundle',
      goods: [{ product: second, quantity: 2 }, { product: third }],
      coupon: coupons[1],
      promotion: { label: 'Two and more', share: 0.05 },
      attempts: [paid('credit_card', 28)],
    },
    {
      key: 'ticket',
      goods: [{ event: events[1], quantity: 3 }],
      attempts: [paid('credit_card', 20, { installments: 3 })],
    },
    {
      key: 'no-invoice-yet',
      goods: [{ product: third }],
      attempts: [paid('credit_card', 1, { installments: 6, invoice: false })],
    },
    // Two payments of one instant: lists must still have one order.
    {
      key: 'twin-1',
      goods: [{ product: second }],
      attempts: [paid('convenience_store', 41, { time: '10:30' })],
    },
    {
      key: 'twin-2',
      goods: [{ product: third }],
      attempts: [paid('credit_card', 41, { time: '10:30' })],
    },
  ]
}

function refunds({ courses, products, events }: Billing): PurchaseSketch[] {
  const refund = (
    type: AttemptSketch['type'],
    daysAgo: number,
    settledDaysAgo: number,
  ): AttemptSketch =>
    paid(type, daysAgo, {
      outcome: 'refunded',
      refund: { state: 'refunded', requestedDaysAgo: settledDaysAgo + 3, settledDaysAgo },
    })
  return [
    { key: 'refunded', goods: [{ course: courses[3] }], attempts: [refund('credit_card', 90, 80)] },
    { key: 'refunded-atm', goods: [{ event: events[2] }], attempts: [refund('atm', 26, 4)] },
    {
      key: 'refunded-store',
      goods: [{ product: products[1] }],
      attempts: [refund('convenience_store', 130, 121)],
    },
    {
      key: 'refunded-in-part',
      goods: [{ product: products[0] }, { product: products[1] }],
      attempts: [
        paid('credit_card', 57, {
          refund: {
            state: 'partially_refunded',
            requestedDaysAgo: 55,
            settledDaysAgo: 49,
            share: 0.4,
          },
        }),
      ],
    },
    {
      key: 'refund-requested',
      goods: [{ product: products[2] }],
      attempts: [paid('atm', 11, { refund: { state: 'requested', requestedDaysAgo: 2 } })],
    },
    {
      key: 'refund-rejected',
      goods: [{ event: events[1] }],
      attempts: [
        paid('convenience_store', 47, { refund: { state: 'rejected', requestedDaysAgo: 30 } }),
      ],
    },
  ]
}

/**
 * Instructions a buyer still needs, and checkouts that were left: hidden while they may be taken
 * up.
 */
function unpaid({ courses, products, events, extra }: Billing): PurchaseSketch[] {
  return [
    { key: 'atm-open', goods: [{ extra }], attempts: [pending('atm', 1, 2)] },
    { key: 'atm-open-long', goods: [{ product: products[0] }], attempts: [pending('atm', 3, 60)] },
    {
      key: 'store-open',
      goods: [{ event: events[1] }],
      attempts: [pending('convenience_store', 2, 5)],
    },
    {
      key: 'store-open-long',
      goods: [{ product: products[1] }],
      attempts: [pending('convenience_store', 6, 150)],
    },
    {
      key: 'card-open',
      goods: [{ product: products[2] }],
      attempts: [pending('credit_card', 1, 7)],
    },
    {
      key: 'atm-again',
      goods: [{ course: courses[3] }],
      attempts: [pending('atm', 16, -9), pending('atm', 4, 30)],
    },
    { key: 'abandoned', goods: [{ product: products[0] }], attempts: [pending(null, 1, 1)] },
    { key: 'abandoned-long', goods: [{ event: events[1] }], attempts: [pending(null, 5, 90)] },
    {
      key: 'abandoned-then-card',
      goods: [{ extra }],
      attempts: [pending(null, 8, 45, '20:55'), paid('credit_card', 8, { time: '21:10' })],
    },
    { key: 'left-1', goods: [{ product: products[1] }], attempts: [pending(null, 36, -35)] },
    { key: 'left-2', goods: [{ course: courses[2] }], attempts: [pending(null, 112, -111)] },
    { key: 'atm-expired', goods: [{ extra }], attempts: [pending('atm', 70, -67)] },
    {
      key: 'store-expired',
      goods: [{ product: products[2] }],
      attempts: [pending('convenience_store', 85, -78)],
    },
    { key: 'card-expired', goods: [{ extra }], attempts: [pending('credit_card', 22, -21)] },
  ]
}

function failures({ products, extra }: Billing): PurchaseSketch[] {
  return [
    {
      key: 'card-failed',
      goods: [{ product: products[0] }],
      attempts: [failed('credit_card', 34)],
    },
    { key: 'atm-failed', goods: [{ extra }], attempts: [failed('atm', 45)] },
    { key: 'store-failed', goods: [{ extra }], attempts: [failed('convenience_store', 96)] },
  ]
}

function renewals({ plans, months }: Billing): PurchaseSketch[] {
  const [monthly, yearly] = plans
  const renewal = (month: number): PurchaseSketch => ({
    key: `renewal-${month}`,
    goods: [{ plan: monthly }],
    attempts: [
      ...(month % 9 === 4 ? [failed('credit_card', 30 * month + 6)] : []),
      paid('credit_card', 30 * month + 5, { time: '00:10' }),
    ],
  })
  return [
    {
      key: 'yearly',
      goods: [{ plan: yearly }],
      attempts: [paid('credit_card', 30 * months + 380)],
    },
    ...Array.from({ length: months }, (_, month) => renewal(month)),
  ]
}

function extras({ extra, extras: count }: Billing): PurchaseSketch[] {
  const types = ['credit_card', 'atm', 'convenience_store'] as const
  return Array.from({ length: count }, (_, i) => ({
    key: `extra-${i}`,
    goods: [{ extra, quantity: 1 + (i % 2) }],
    attempts: [paid(types[i % types.length] ?? 'atm', 24 + 19 * i, { time: '12:40' })],
  }))
}
