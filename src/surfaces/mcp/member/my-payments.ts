import { z } from 'zod'
import {
  ADJUSTMENT_KINDS,
  adjustmentsOfPayments,
  linesOfPayments,
  PAYMENT_STATES,
  PAYMENT_TYPES,
  paymentsOf,
  REFUNDING_STATES,
} from '../../../domain/commerce/payments-of-member.ts'
import { nextCursor, pageInput, readPage } from '../paging.ts'
import {
  amount,
  currency,
  inShape,
  maybeTime,
  onNewerOrigins,
  READS,
  scopedTool,
  time,
} from '../tool.ts'
import { graphqlLink, linkTo } from './graphql-link.ts'

const payment = z.object({
  tradeNo: z.string(),
  amount,
  currency,
  paymentType: z.enum(PAYMENT_TYPES).nullable(),
  paymentState: z.enum(PAYMENT_STATES),
  createdAt: time,
  paidAt: maybeTime,
  refundingState: z.enum(REFUNDING_STATES),
  refundedAmount: amount,
  refundedAt: maybeTime,
  refundRequestedAt: maybeTime,
  bankCode: z.string().nullable(),
  bankName: z.string().nullable(),
  codeNo: z.string().nullable().describe('account or code to pay with; null once paid'),
  expiredAt: maybeTime,
  installment: z.object({ count: z.number().int(), amount }).nullable(),
  invoice: z.object({ number: z.string(), issuedAt: time, url: z.string().nullable() }).nullable(),
  lineitems: z.array(
    z.object({ title: z.string(), quantity: z.number().int(), unitAmount: amount, amount }),
  ),
  adjustments: z.array(z.object({ kind: z.enum(ADJUSTMENT_KINDS), label: z.string(), amount })),
})

export const myPayments = scopedTool({
  name: 'my_payments',
  title: 'My payments',
  description:
    'The billing history of the signed-in person, newest first. Each entry is one attempt to pay, not a purchase; unpaid ATM and convenience-store payments carry the instructions to pay them. Reads only; nothing is paid here.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'payments',
  existsAt: onNewerOrigins,
  input: z.strictObject(pageInput),
  output: z.object({ payments: z.array(payment), nextCursor, graphql: graphqlLink }),
  run: async ({ db, caller, school }, page) => {
    const found = await readPage('my_payments', page, (range) =>
      paymentsOf(db, caller.person.id, range),
    )
    const ids = found.rows.map(({ id }) => id)
    const [lines, adjustments] = await Promise.all([
      linesOfPayments(db, ids),
      adjustmentsOfPayments(db, ids),
    ])
    const items = found.rows.map((row) =>
      inShape(payment, {
        ...row,
        lineitems: lines.get(row.id) ?? [],
        adjustments: adjustments.get(row.id) ?? [],
      }),
    )
    const graphql = linkTo(
      school,
      `{ viewer { payments(first: ${page.limit}) { nodes { tradeNo amount currency paymentType paymentState paidAt bankCode bankName codeNo expiredAt refundingState refundedAmount } } } }`,
    )
    return found.answer(items, (payments, nextCursor) => ({ payments, nextCursor, graphql }))
  },
})
