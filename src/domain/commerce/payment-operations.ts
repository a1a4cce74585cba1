import { sql } from 'kysely'
import { z } from 'zod'
import { amount, currency, id, line, text, time, webAddress } from '../operation/fields.ts'
import { filter, listOperation, timeFilters } from '../operation/list-operation.ts'
import { createOperation, readOperation } from '../operation/object-operations.ts'
import { containing } from '../operation/wire-sql.ts'
import { WITHOUT_SCOPE } from '../operation/without-scope.ts'
import { checkMembers } from '../people/check-members.ts'
import { schoolCurrency } from '../schools/school-currency.ts'
import { checkAttempt } from './check-attempt.ts'
import { adjustmentSchema, payments } from './payment-resource.ts'
import { PAYMENT_STATES, PAYMENT_TYPES, REFUNDING_STATES } from './payments-of-member.ts'
import { recordAttempt } from './record-attempt.ts'

export const listPayments = listOperation({
  name: 'payments.list',
  title: 'List payments',
  summary: 'Every attempt to pay, also those that came to nothing.',
  ...WITHOUT_SCOPE,
  of: payments,
  filters: {
    state: filter(z.enum(PAYMENT_STATES), (state) => sql`r.state = ${state}`),
    member_id: filter(id, (value) => sql`r.member_id = ${value}`),
    order_id: filter(id, (value) => sql`r.order_id = ${value}`),
    trade_no: filter(text(1, 64), (value) => sql`r.trade_no = ${value}`),
    refunding_state: filter(z.enum(REFUNDING_STATES), (state) => sql`r.refunding_state = ${state}`),
    search: filter(line(100), (value) => {
      const pattern = containing(value)
      return sql`(r.trade_no ilike ${pattern} or r.order_number ilike ${pattern})`
    }),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', amount: 'number' },
  defaultSort: '-created_at',
})

export const readPayment = readOperation({
  name: 'payments.read',
  title: 'Read a payment',
  summary: 'One attempt to pay by its id.',
  ...WITHOUT_SCOPE,
  of: payments,
})

const boughtLine = z.strictObject({
  title: line(300),
  quantity: z.int().min(1).max(1_000_000).default(1),
  unit_amount: amount,
  kind: z
    .enum(['course', 'digital_product', 'event', 'membership_plan', 'other'])
    .default('other')
    .meta({ description: 'What item_id is the id of.' }),
  item_id: id.nullable().default(null),
})

const instruction = (max: number) => text(1, max).nullable().default(null)
const when = time.nullable().default(null)

export const recordPayment = createOperation({
  name: 'payments.record',
  title: 'Record a payment',
  summary:
    'Keeps an attempt to pay that was made elsewhere. The order is made if its number is new; the same trade number again brings the payment up to date, and leaves the lines, adjustments and invoice that are not told.',
  ...WITHOUT_SCOPE,
  of: payments,
  fields: {
    trade_no: text(1, 64),
    order_number: text(1, 64).meta({ description: 'The same for every attempt at one purchase.' }),
    member_id: id,
    amount,
    currency: currency.optional().meta({ description: 'The school’s own if left out.' }),
    payment_type: z
      .enum(PAYMENT_TYPES)
      .nullable()
      .default(null)
      .meta({ description: 'Null while none was chosen.' }),
    state: z.enum(PAYMENT_STATES).default('pending'),
    created_at: time.optional(),
    paid_at: when,
    expires_at: when,
    bank_code: instruction(20),
    bank_name: instruction(100),
    code_no: instruction(64),
    installment_count: z.int().min(2).max(60).nullable().default(null),
    installment_amount: amount.min(1).nullable().default(null),
    refunding_state: z.enum(REFUNDING_STATES).default('none'),
    refunded_amount: amount.default(0),
    refund_requested_at: when,
    refunded_at: when,
    lines: z.array(boughtLine).max(200).optional(),
    adjustments: z.array(adjustmentSchema).max(50).optional(),
    invoice: z
      .strictObject({
        number: text(1, 64),
        issued_at: time.optional(),
        url: webAddress.nullable().default(null),
      })
      .nullable()
      .optional(),
  },
  async create(tx, _caller, { currency: given, ...attempt }) {
    checkAttempt(attempt, Date.now())
    await checkMembers(tx, 'member_id', [attempt.member_id])
    return await recordAttempt(tx, { ...attempt, currency: given ?? (await schoolCurrency(tx)) })
  },
})
