import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { id, text } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { createOperation, readOperation } from '../operation/object-operations.ts'
import { checkRow } from '../operation/row-rules.ts'
import { codeOf, ownCode } from '../operation/search-related.ts'
import { WITHOUT_SCOPE } from '../operation/writing.ts'
import { personOf } from '../people/find-people.ts'
import { checkMembers } from '../people/membership.ts'
import { schoolCurrency } from '../schools/school.ts'
import { payments } from './payment-resource.ts'
import { PAYMENT_STATES, paymentsDueSoon, REFUNDING_STATES } from './payments-of-member.ts'
import { attemptFields, attemptRules, completeAttempt, recordAttempt } from './record-attempt.ts'

/** On the column and not on the shown state, because an index has the column. */
function isInState(state: (typeof PAYMENT_STATES)[number]): RawBuilder<unknown> {
  if (state === 'expired') return sql`r.filter_state = 'pending' and r.expires_at <= now()`
  const isWritten = sql`r.filter_state = ${sql.lit(state)}`
  if (state !== 'pending') return isWritten
  return sql`${isWritten} and (r.expires_at is null or r.expires_at > now())`
}

export const listPayments = listOperation({
  name: 'payments.list',
  title: 'List payments',
  summary: 'Every attempt to pay, failed and expired ones included.',
  ...WITHOUT_SCOPE,
  of: payments,
  filters: {
    state: filter(z.enum(PAYMENT_STATES), isInState),
    member_id: filter(id, (value) => sql`r.member_id = ${value}`),
    order_id: filter(id, (value) => sql`r.order_id = ${value}`),
    trade_no: filter(text(1, 64), (value) => sql`r.trade_no = ${value}`),
    refunding_state: filter(
      z.enum(REFUNDING_STATES),
      (state) => sql`r.refunding_state = ${sql.lit(state)}`,
    ),
    // By their ids: in the order of the list, all others may have to be read before the first that
    // matches.
    due: filter(z.enum(['soon']), (_, db) => sql`r.id = any (array(${paymentsDueSoon(db)}))`),
    search: searchIn(
      ownCode('payments', 'trade_no'),
      codeOf('order_id', 'orders', 'number'),
      personOf('member_id'),
    ),
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

export const recordPayment = createOperation({
  name: 'payments.record',
  title: 'Record a payment',
  summary:
    'Records an attempt to pay that was made in another system. An unknown order number creates the order. A known trade number updates its payment; lines, adjustments and invoice stay unchanged if they are left out.',
  ...WITHOUT_SCOPE,
  of: payments,
  fields: {
    ...attemptFields,
    currency: attemptFields.currency
      .optional()
      .meta({ description: 'The school’s currency if left out.' }),
    payment_type: attemptFields.payment_type.default(null),
    state: attemptFields.state.default('pending'),
    created_at: attemptFields.created_at.optional(),
    paid_at: attemptFields.paid_at.default(null),
    expires_at: attemptFields.expires_at.default(null),
    bank_code: attemptFields.bank_code.default(null),
    bank_name: attemptFields.bank_name.default(null),
    code_no: attemptFields.code_no.default(null),
    installment_count: attemptFields.installment_count.default(null),
    installment_amount: attemptFields.installment_amount.default(null),
    refunding_state: attemptFields.refunding_state.default('none'),
    refunded_amount: attemptFields.refunded_amount.default(0),
    refund_requested_at: attemptFields.refund_requested_at.default(null),
    refunded_at: attemptFields.refunded_at.default(null),
    lines: attemptFields.lines.optional(),
    adjustments: attemptFields.adjustments.optional(),
    invoice: attemptFields.invoice.optional(),
  },
  async create(tx, _caller, attempt) {
    completeAttempt(attempt)
    checkRow(attemptRules, attempt)
    await checkMembers(tx, 'member_id', [attempt.member_id])
    return await recordAttempt(tx, {
      ...attempt,
      currency: attempt.currency ?? (await schoolCurrency(tx)),
    })
  },
})
