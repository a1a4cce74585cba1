import {
  canMarkPaid,
  canMarkUnpaid,
  markPaid,
  markUnpaid,
} from '../../../../domain/commerce/paid-operations.ts'
import {
  listPayments,
  readPayment,
  recordPayment,
} from '../../../../domain/commerce/payment-operations.ts'
import { DUE_SOON_DAYS } from '../../../../domain/commerce/payments-of-member.ts'
import {
  canRefund,
  isRefundAnswered,
  isRefundAsked,
  leftToRefund,
  refundPayment,
  refuseRefund,
  undoRefund,
  wasRefundAsked,
} from '../../../../domain/commerce/refund-operations.ts'
import { oneMember } from '../../../../domain/notifications/reach.ts'
import { listMembers } from '../../../../domain/people/member-operations.ts'
import { Badge, Panel } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import { formatMoney } from '../../frame/words.ts'
import { asking, type Choice } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import {
  address,
  amountIn,
  FORMER_MEMBER,
  figure,
  inWords,
  moment,
  money,
  nameOf,
  number,
  ObjectTable,
  person,
  state,
  text,
} from '../crud/object-table.tsx'
import { defineResource } from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'
import type { Place } from '../frame/operator.ts'
import { aPerson } from './people-fields.ts'

/** The ways to pay. */
const METHODS: readonly Choice[] = [
  ['credit_card', 'Credit card'],
  ['atm', 'ATM'],
  ['convenience_store', 'Convenience store'],
  ['free', 'Free'],
]

/** How it was paid; undefined before the member chose. */
export function methodOf({ payment_type }: { readonly payment_type: string | null }) {
  return METHODS.find(([value]) => value === payment_type)?.[1]
}

/** A field of the actions that write to the inbox of the buyer. */
export const MESSAGE = {
  name: 'message',
  label: 'Message to the member',
  hint: 'Added to the notification. May be empty.',
  kind: 'text',
} as const

type Payment = OutputOf<typeof readPayment>

const instructions: Show<Payment> = ({ bank_name, bank_code, code_no }) =>
  [bank_name, bank_code, code_no].filter(Boolean).join(', ')

const installments: Show<Payment> = (payment, place) =>
  payment.installment_count === null
    ? undefined
    : `${payment.installment_count} of ${amountIn(payment.installment_amount, payment.currency, place)}`

const refund: Show<Payment> = ({ refunding_state }) =>
  refunding_state === 'none' ? undefined : inWords(refunding_state)

const order: Show<Payment> = ({ order_id, order_number }) => (
  <a href={`/admin/orders/${order_id}`}>{order_number}</a>
)

const payerOf = ({ member }: Payment): string => plainText(member?.name ?? '') || 'The member'

/** For a refund that the member asked for and for one that they did not. */
const refunding = {
  does: asking(refundPayment, [
    {
      name: 'amount',
      label: 'Amount',
      kind: 'money',
      hint: 'The whole sum, or less for a part of it.',
      startsAs: leftToRefund,
    },
    {
      name: 'end_access',
      label: 'End access to the courses and downloads of the order',
      hint: 'Except those that they have from another order, too. Progress is kept.',
    },
    MESSAGE,
  ]),
  consequence: (payment: Payment) =>
    `${payerOf(payment)} is told of the refund, at most ${formatMoney(leftToRefund(payment), payment.currency)}. Schoolgate records it and moves no money: pay it back where it was paid.`,
  tells: ({ member_id }: Payment) => oneMember('refund_completed', member_id),
  done: 'The refund is recorded, and the member is told.',
}

const fullState: Show<Payment> = (payment, place) => (
  <>
    {state('state')(payment, place)}
    {isRefundAsked(payment) && (
      <>
        {' '}
        <Badge tone="warning">Refund requested</Badge>
      </>
    )}
  </>
)

/** What the payment was for, as it read at the time. */
function Parts({ payment, place }: { payment: Payment; place: Place }) {
  const { lines, adjustments, currency } = payment
  return (
    <>
      {lines.length > 0 && (
        <Panel title="What it was for">
          <ObjectTable
            caption="What it was for"
            columns={[
              { label: 'Item', show: text('title') },
              { label: 'Quantity', show: number('quantity') },
              {
                label: 'Price each',
                show: figure((line) => formatMoney(line.unit_amount, currency)),
              },
            ]}
            rows={lines}
            place={place}
          />
        </Panel>
      )}
      {adjustments.length > 0 && (
        <Panel title="Deductions">
          <ObjectTable
            caption="Deductions"
            columns={[
              { label: 'Name', show: text('label') },
              { label: 'Kind', show: (line) => inWords(line.kind) },
              { label: 'Amount', show: figure((line) => formatMoney(line.amount, currency)) },
            ]}
            rows={adjustments}
            place={place}
          />
        </Panel>
      )}
    </>
  )
}

export const payments = defineResource({
  path: 'payments',
  one: 'payment',
  many: 'Payments',
  lead: 'Every attempt to pay, including failed ones. Record here what was paid outside the checkout.',
  list: listPlan({
    operation: listPayments,
    expand: ['member'],
    columns: [
      { label: 'Trade number', show: address('trade_no') },
      { label: 'Member', show: nameOf('member', 'name', FORMER_MEMBER) },
      { label: 'State', show: fullState },
      { label: 'Amount', show: money('amount'), sort: 'amount' },
      { label: 'Started', show: moment('created_at'), sort: 'created_at' },
    ],
    searchHint: 'Number, name or email',
    filters: [
      { name: 'state', label: 'State' },
      { name: 'refunding_state', label: 'Refund' },
      {
        name: 'due',
        label: 'To be paid',
        choices: [['soon', `Within ${DUE_SOON_DAYS} days`]],
      },
      { name: 'created_after', label: 'Started from' },
      { name: 'created_before', label: 'Started until' },
    ],
    sorts: [
      '-created_at',
      'created_at',
      ['-amount', 'Highest amount'],
      ['amount', 'Lowest amount'],
    ],
  }),
  read: readPayment,
  expand: ['member'],
  name: (payment) => `Payment ${payment.trade_no}`,
  badges: fullState,
  facts: [
    { label: 'Member', show: person('member', 'members') },
    { label: 'Order', show: order },
    { label: 'Amount', show: money('amount') },
    { label: 'By', show: methodOf },
    { label: 'Started', show: moment('created_at') },
    { label: 'Paid', show: moment('paid_at') },
    { label: 'To be paid until', show: moment('expires_at') },
    { label: 'To be paid to', show: instructions },
    { label: 'Installments', show: installments },
    { label: 'Refund', show: refund },
    {
      label: 'Refunded',
      show: (payment, place) =>
        payment.refunded_amount === 0 ? undefined : money('refunded_amount')(payment, place),
    },
    { label: 'Refunded at', show: moment('refunded_at') },
    { label: 'Invoice', show: ({ invoice }) => invoice?.number },
  ],
  fields: [
    aPerson('member_id', 'Email of the member', listMembers),
    {
      name: 'order_number',
      label: 'Number of the order',
      hint: 'The same for every attempt at one purchase. A new number makes an order.',
    },
    {
      name: 'trade_no',
      label: 'Trade number',
      hint: 'Of this attempt alone. That of a known payment brings it up to date with what you write here.',
    },
    { name: 'amount', label: 'Amount', kind: 'money' },
    { name: 'currency', label: 'Currency', kind: 'currency' },
    {
      name: 'payment_type',
      label: 'By',
      choices: METHODS,
      hint: 'None until the member has chosen.',
    },
    { name: 'state', label: 'State' },
    { name: 'paid_at', label: 'Paid', hint: 'For what was paid. Empty means now.' },
    { name: 'expires_at', label: 'To be paid until' },
    { name: 'bank_name', label: 'Bank or store', hint: 'For ATM and convenience store.' },
    { name: 'bank_code', label: 'Code of the bank' },
    { name: 'code_no', label: 'Number to pay with' },
    { name: 'refunding_state', label: 'Refund' },
    { name: 'refunded_amount', label: 'Refunded', kind: 'money' },
  ],
  create: recordPayment,
  createLabel: 'Record a payment',
  actions: [
    {
      path: 'mark-paid',
      label: 'Mark as paid',
      does: asking(markPaid, [
        { name: 'paid_at', label: 'Paid', hint: 'Empty means now.' },
        MESSAGE,
      ]),
      question: 'Mark this payment as paid?',
      consequence: (payment) =>
        `${formatMoney(payment.amount, payment.currency)} counts as received, and order ${payment.order_number} is completed. The courses and downloads of the order open for ${payerOf(payment)}, who is told. You can undo it later.`,
      tells: ({ member_id }) => oneMember('payment_received', member_id),
      done: 'The payment is marked as paid, and the member is told.',
      when: (payment) => canMarkPaid(payment),
    },
    {
      ...refunding,
      path: 'approve-refund',
      label: 'Approve refund',
      question: 'Approve this refund?',
      when: (payment) => isRefundAsked(payment),
    },
    {
      path: 'refuse-refund',
      label: 'Refuse refund',
      does: asking(refuseRefund, [MESSAGE]),
      question: 'Refuse this refund?',
      consequence: (payment) =>
        `${payerOf(payment)} is told that the refund was refused. The payment stays paid. You can change the answer later.`,
      tells: ({ member_id }) => oneMember('refund_refused', member_id),
      done: 'The refund is refused, and the member is told.',
      tone: 'danger',
      when: (payment) => isRefundAsked(payment),
    },
    {
      ...refunding,
      path: 'refund',
      label: 'Refund',
      question: 'Refund this payment?',
      when: (payment) => canRefund(payment) && !isRefundAsked(payment),
    },
    {
      path: 'undo-refund',
      label: 'Undo answer',
      does: undoRefund,
      question: 'Undo the answer to this refund?',
      consequence: (payment) =>
        `For an answer that was a mistake. Nothing counts as refunded any more, ${wasRefundAsked(payment) ? 'the request waits again' : 'the payment is paid without a refund'}, and ${payerOf(payment)} is told so. Access that the refund ended stays ended; enroll them again if they should have it.`,
      tells: (payment) =>
        oneMember(
          wasRefundAsked(payment) ? 'refund_requested' : 'refund_withdrawn',
          payment.member_id,
        ),
      done: 'The answer is undone, and the member is told.',
      when: (payment) => isRefundAnswered(payment),
    },
    {
      path: 'mark-unpaid',
      label: 'Mark as not paid',
      does: asking(markUnpaid, [MESSAGE]),
      question: 'Mark this payment as not paid?',
      consequence: (payment) =>
        `For a payment that was marked as paid by mistake. It waits for its money again, its order is open unless another payment completed it, and ${payerOf(payment)} is told. Access that they have stays until you end it.`,
      tells: ({ member_id }) => oneMember('payment_due', member_id),
      done: 'The payment is marked as not paid, and the member is told.',
      tone: 'danger',
      when: (payment) => canMarkUnpaid(payment),
    },
  ],
  panels: async (payment, place) => <Parts payment={payment} place={place} />,
})
