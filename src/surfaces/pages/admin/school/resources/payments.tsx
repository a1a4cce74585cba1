import {
  listPayments,
  readPayment,
  recordPayment,
} from '../../../../../domain/commerce/payment-operations.ts'
import { listMembers } from '../../../../../domain/people/member-operations.ts'
import { Panel } from '../../../../../foundation/html/site-components.tsx'
import { formatMoney } from '../../../views/money.ts'
import {
  type AdminResource,
  type Column,
  type Place,
  partOf,
  type Row,
  rowsOf,
  type Show,
  textOf,
} from '../resource.ts'
import { address, moment, money, nameOf, number, person, state, text } from '../views/cells.tsx'
import { ObjectTable } from '../views/object-table.tsx'
import { inWords } from '../views/words.ts'
import { METHODS, methodOf } from './payment-words.ts'
import { byEmail } from './people-fields.ts'

const instructions: Show = (payment) =>
  [textOf(payment, 'bank_name'), textOf(payment, 'bank_code'), textOf(payment, 'code_no')]
    .filter((part) => part !== '')
    .join(', ')

const installments: Show = (payment) =>
  payment.installment_count === null
    ? undefined
    : `${payment.installment_count} of ${formatMoney(Number(payment.installment_amount), textOf(payment, 'currency'))}`

const refund: Show = (payment) =>
  payment.refunding_state === 'none' ? undefined : inWords(textOf(payment, 'refunding_state'))

const order: Show = (payment) => (
  <a href={`/admin/orders/${textOf(payment, 'order_id')}`}>{textOf(payment, 'order_number')}</a>
)

const priced = (payment: Row, member: string): Column['show'] => {
  const currency = textOf(payment, 'currency')
  return (line) => formatMoney(Number(line[member]), currency)
}

/** What the payment was for, as it read at the time. */
function Parts({ payment, place }: { payment: Row; place: Place }) {
  const lines = rowsOf(payment, 'lines')
  const adjustments = rowsOf(payment, 'adjustments')
  return (
    <>
      {lines.length > 0 && (
        <Panel title="What it was for">
          <ObjectTable
            caption="What it was for"
            columns={[
              { label: 'Item', show: text('title') },
              { label: 'Quantity', show: number('quantity') },
              { label: 'Price each', show: priced(payment, 'unit_amount') },
            ]}
            rows={lines}
            place={place}
          />
        </Panel>
      )}
      {adjustments.length > 0 && (
        <Panel title="What was taken off">
          <ObjectTable
            caption="What was taken off"
            columns={[
              { label: 'Name', show: text('label') },
              { label: 'Kind', show: (line) => inWords(textOf(line, 'kind')) },
              { label: 'Amount', show: priced(payment, 'amount') },
            ]}
            rows={adjustments}
            place={place}
          />
        </Panel>
      )}
    </>
  )
}

export const payments: AdminResource = {
  path: 'payments',
  one: 'payment',
  many: 'Payments',
  lead: 'Every attempt to pay, also those that came to nothing. Record here what was paid outside the checkout.',
  list: {
    operation: listPayments,
    searchHint: 'Number of the trade or the order',
    filters: [
      { name: 'state', label: 'State' },
      { name: 'refunding_state', label: 'Refund' },
    ],
    sorts: [
      ['-created_at', 'Newest first'],
      ['created_at', 'Oldest first'],
      ['-amount', 'Highest amount'],
      ['amount', 'Lowest amount'],
    ],
  },
  read: readPayment,
  expand: ['member'],
  name: (payment) => `Payment ${textOf(payment, 'trade_no')}`,
  badges: state(),
  columns: [
    { label: 'Trade number', show: address('trade_no') },
    { label: 'Member', show: nameOf('member', 'name', 'Somebody who left') },
    { label: 'State', show: state() },
    { label: 'Amount', show: money('amount'), sort: 'amount' },
    { label: 'Begun', show: moment('created_at'), sort: 'created_at' },
  ],
  facts: [
    { label: 'Member', show: person('member', 'members') },
    { label: 'Order', show: order },
    { label: 'Amount', show: money('amount') },
    { label: 'By', show: methodOf },
    { label: 'Begun', show: moment('created_at') },
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
    { label: 'Invoice', show: (payment) => textOf(partOf(payment, 'invoice') ?? {}, 'number') },
  ],
  fields: [
    byEmail('member_id', 'Email of the member', listMembers),
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
    { name: 'currency', label: 'Currency', hint: 'Three letters, such as USD.' },
    { name: 'payment_type', label: 'By', choices: METHODS, hint: 'None while nobody chose.' },
    { name: 'state', label: 'State' },
    { name: 'paid_at', label: 'Paid', hint: 'For what was paid. Empty means now.' },
    { name: 'expires_at', label: 'To be paid until' },
    { name: 'bank_name', label: 'Bank or store', hint: 'For ATM and convenience store.' },
    { name: 'bank_code', label: 'Code of the bank' },
    { name: 'code_no', label: 'Number to pay with' },
    { name: 'refunding_state', label: 'Refund' },
    { name: 'refunded_amount', label: 'Given back', kind: 'money' },
  ],
  create: recordPayment,
  createLabel: 'Record a payment',
  actions: [],
  panels: async (payment, place) => <Parts payment={payment} place={place} />,
}
