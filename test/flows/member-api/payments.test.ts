import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { anOrder, aPayment, type PaymentSketch } from '../../support/billing.ts'
import { daysFromNow } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

const PAYMENTS = `query ($first: Int, $last: Int, $after: String) {
  viewer { payments(first: $first, last: $last, after: $after) { totalCount
    pageInfo { hasNextPage endCursor }
    nodes { tradeNo amount currency paymentType paymentState createdAt paidAt
      adjustments { kind label amount } invoice { number issuedAt url }
      lineitems { title quantity unitAmount amount } installment { count amount }
      refundingState refundedAmount refundedAt refundRequestedAt
      bankCode bankName codeNo expiredAt } } } }`

interface PaymentsAnswer {
  readonly totalCount: number
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly nodes: readonly ({ readonly tradeNo: string } & Record<string, unknown>)[]
}

async function payments(
  token: string,
  args: Record<string, unknown> = {},
): Promise<PaymentsAnswer> {
  const { viewer } = await read<{ viewer: { payments: PaymentsAnswer } }>(
    world,
    school,
    token,
    PAYMENTS,
    args,
  )
  return viewer.payments
}

/** Creates a member with this payment, and returns it. */
async function onlyPayment(sketch: PaymentSketch): Promise<PaymentsAnswer['nodes'][number]> {
  const member = await world.aMember(school)
  await aPayment(school, member, sketch)
  const { nodes } = await payments(await aToken(world, school, member))
  const [node] = nodes
  if (node === undefined || nodes.length > 1) throw new Error(`${nodes.length} payments`)
  return node
}

const ATM = { code: '808', name: 'E.SUN Bank', codeNo: '99812345678901' }
const STORE = { code: '7-11', name: '7-ELEVEN', codeNo: 'CVS12345678901' }

describe('a payment', () => {
  verifies(
    [
      'payment.one-node',
      'payment.trade-no',
      'payment.amount-and-currency',
      'payment.type',
      'payment.paid-at',
      'payment.state',
      'payment.adjustments',
      'payment.invoice',
      'payment.lineitems',
      'payment.installment',
      'viewer.money',
      'viewer.payments',
    ],
    'that is paid shows its items, amount, coupon, invoice and installments',
    async () => {
      const node = await onlyPayment({
        amount: 3_000_000_000,
        lines: [
          { title: 'A course', amount: 2_000_000_500 },
          { title: 'A book', amount: 1_000_000_000 },
        ],
        coupon: { code: 'SPRING', off: 500 },
        invoice: 'INV-1',
        installments: 3,
      })
      expect(node).toMatchObject({
        amount: 3_000_000_000,
        currency: 'TWD',
        paymentType: 'credit_card',
        paymentState: 'paid',
        paidAt: expect.any(Number),
        adjustments: [{ kind: 'coupon', label: 'SPRING', amount: -500 }],
        lineitems: [
          { title: 'A course', quantity: 1, unitAmount: 2_000_000_500, amount: 2_000_000_500 },
          { title: 'A book', quantity: 1, unitAmount: 1_000_000_000, amount: 1_000_000_000 },
        ],
        invoice: { number: 'INV-1', issuedAt: expect.any(Number), url: null },
        installment: { count: 3, amount: 1_000_000_000 },
        refundingState: 'none',
        refundedAmount: 0,
        refundedAt: null,
        refundRequestedAt: null,
      })
    },
  )

  verifies('payment.refunding', 'that is refunded shows the time and the amount', async () => {
    expect(
      await onlyPayment({ refund: { state: 'partially_refunded', amount: 400 } }),
    ).toMatchObject({
      paymentState: 'paid',
      refundingState: 'partially_refunded',
      refundedAmount: 400,
      refundedAt: expect.any(Number),
      refundRequestedAt: expect.any(Number),
    })
    expect(
      await onlyPayment({ state: 'refunded', refund: { state: 'refunded', amount: 1000 } }),
    ).toMatchObject({ paymentState: 'refunded', refundingState: 'refunded' })
    expect(await onlyPayment({ refund: { state: 'rejected' } })).toMatchObject({
      refundingState: 'rejected',
      refundedAt: null,
    })
  })

  for (const [type, bank] of [
    ['atm', ATM],
    ['convenience_store', STORE],
  ] as const) {
    const instructions = { bankCode: bank.code, bankName: bank.name, codeNo: bank.codeNo }

    verifies(
      ['payment.instructions', 'payment.unpaid-and-expired.listed'],
      `by ${type} that is unpaid has its instructions`,
      async () => {
        const expiresAt = daysFromNow(2)
        expect(await onlyPayment({ type, state: 'pending', bank, expiresAt })).toMatchObject({
          paymentType: type,
          paymentState: 'pending',
          ...instructions,
          expiredAt: seconds(expiresAt),
          paidAt: null,
        })
      },
    )

    verifies(
      ['payment.expired.keeps-instructions', 'payment.expiry.at-read'],
      `by ${type} that was not paid in time is expired and keeps its instructions`,
      async () => {
        const expiresAt = daysFromNow(-2)
        expect(await onlyPayment({ type, state: 'pending', bank, expiresAt })).toMatchObject({
          paymentState: 'expired',
          ...instructions,
          expiredAt: seconds(expiresAt),
        })
      },
    )

    verifies(
      'payment.failed.keeps-instructions',
      `by ${type} that failed keeps its instructions`,
      async () => {
        const expiresAt = daysFromNow(-2)
        expect(await onlyPayment({ type, state: 'failed', bank, expiresAt })).toMatchObject({
          paymentState: 'failed',
          ...instructions,
          expiredAt: seconds(expiresAt),
        })
      },
    )

    test(`by ${type} that is paid has no instructions to pay it again`, async () => {
      expect(
        await onlyPayment({ type, state: 'paid', bank, expiresAt: daysFromNow(1) }),
      ).toMatchObject({
        paymentState: 'paid',
        bankCode: null,
        bankName: null,
        codeNo: null,
        expiredAt: null,
      })
    })
  }

  test('that the bank refused is failed, at any time', async () => {
    expect(await onlyPayment({ state: 'failed', expiresAt: daysFromNow(-1) })).toMatchObject({
      paymentState: 'failed',
      expiredAt: null,
    })
  })
})

describe('the list', () => {
  verifies(
    ['payment.retry.separate', 'payment.one-node'],
    'a retried checkout is another node with its own tradeNo',
    async () => {
      const ada = await world.aMember(school)
      const orderId = await anOrder(school, ada)
      const first = await aPayment(school, ada, {
        orderId,
        state: 'failed',
        createdAt: daysFromNow(-2),
      })
      const second = await aPayment(school, ada, { orderId, createdAt: daysFromNow(-1) })
      const { nodes } = await payments(await aToken(world, school, ada))
      expect(nodes.map(({ tradeNo }) => tradeNo)).toEqual([second, first])
      const { number } = await school.db
        .from('orders')
        .select('number')
        .where('id', '=', orderId)
        .executeTakeFirstOrThrow()
      expect(JSON.stringify(nodes)).not.toContain(number)
      expect(JSON.stringify(nodes)).not.toContain(orderId)
    },
  )

  verifies(
    ['payment.abandoned.hidden', 'payment.abandoned.expired-shown', 'payment.hidden.everywhere'],
    'an abandoned attempt is not in nodes, total and cursors until it expires',
    async () => {
      const ada = await world.aMember(school)
      const token = await aToken(world, school, ada)
      const shown = await aPayment(school, ada, { createdAt: daysFromNow(-3) })
      const abandoned = await aPayment(school, ada, {
        type: null,
        state: 'pending',
        createdAt: daysFromNow(-2),
        expiresAt: daysFromNow(1),
      })
      await aPayment(school, ada, { type: null, state: 'pending', createdAt: daysFromNow(-1) })
      const before = await payments(token, { first: 1 })
      expect(before.nodes.map(({ tradeNo }) => tradeNo)).toEqual([shown])
      expect(before.totalCount).toBe(1)
      expect(before.pageInfo.hasNextPage).toBe(false)
      expect((await payments(token, { last: 5 })).nodes).toHaveLength(1)
      await school.db
        .update('payments')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .where('trade_no', '=', abandoned)
        .execute()
      const after = await payments(token)
      expect(after.totalCount).toBe(2)
      expect(after.nodes[0]).toMatchObject({
        tradeNo: abandoned,
        paymentType: null,
        paymentState: 'expired',
      })
    },
  )

  verifies(
    ['payment.order', 'payment.page-size'],
    'newest first, fifty on a page, complete over all pages',
    async () => {
      const ada = await world.aMember(school)
      const token = await aToken(world, school, ada)
      const orderId = await anOrder(school, ada)
      const made: string[] = []
      for (let i = 0; i < 55; i++) {
        made.unshift(await aPayment(school, ada, { orderId, createdAt: daysFromNow(-60 + i) }))
      }
      const first = await payments(token, { first: 1000 })
      expect(first.nodes.map(({ tradeNo }) => tradeNo)).toEqual(made.slice(0, 50))
      expect(first.totalCount).toBe(55)
      const rest = await payments(token, { first: 50, after: first.pageInfo.endCursor })
      expect(rest.nodes.map(({ tradeNo }) => tradeNo)).toEqual(made.slice(50))
      const last = await payments(token, { last: 51 })
      expect(last.nodes.map(({ tradeNo }) => tradeNo)).toEqual(made.slice(5))
    },
  )
})
