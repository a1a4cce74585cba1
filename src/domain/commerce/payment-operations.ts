import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { id, text } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { createOperation, objectOperations } from '../operation/object-operations.ts'
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

const ops = objectOperations({
  of: payments,
  table: 'payments',
  one: 'a payment',
  scope: null,
})

export const listPayments = listOperation({
  ...ops.listed,
  summary: 'Every attempt to pay, failed and expired ones included.',
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

export const readPayment = ops.read({
  summary: 'One attempt to pay by its id.',
})

export const recordPayment = createOperation({
  name: 'payments.record',
  title: 'Record a payment',
  summary:
    'Records an attempt to pay that was made in another system. An unknown order number creates the order. A known trade number updates its payment; lines, adjustments and invoice stay unchanged if they are left out.',
  ...WITHOUT_SCOPE,
  of: payments,
  fields: attemptFields,
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
