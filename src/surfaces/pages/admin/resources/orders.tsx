import {
  canCancelOrder,
  cancelOrder,
  isCanceled,
  listOrders,
  readOrder,
  reopenOrder,
} from '../../../../domain/commerce/order-operations.ts'
import { oneMember } from '../../../../domain/notifications/reach.ts'
import { Panel } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import { formatMoney } from '../../frame/words.ts'
import { asking } from '../crud/field.ts'
import { type Column, listPlan } from '../crud/list-plan.ts'
import {
  address,
  FORMER_MEMBER,
  figure,
  inWords,
  moment,
  momentOf,
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
import { MESSAGE, methodOf } from './payments.tsx'

type Order = OutputOf<typeof readOrder>

/** An open order is not paid yet, so its badge is not green. */
const orderState = state('state', { open: 'waiting' })

const buyerOf = ({ member }: Order): string => plainText(member?.name ?? '') || 'The member'

/** What was bought in a few words. */
const bought: Show<Order> = (order) => {
  const [first, ...others] = order.items
  if (first === undefined) return undefined
  const rest = others.length === 0 ? '' : ` and ${others.length} more`
  return `${plainText(first.title)}${rest}`
}

const order = { label: 'Order', show: address('number') }
const purchase = [
  { label: 'Bought', show: bought },
  { label: 'State', show: orderState },
  { label: 'Total', show: money('total_amount'), sort: 'total_amount' },
  { label: 'Date', show: moment('created_at'), sort: 'created_at' },
] as const

const narrowing = {
  searchHint: 'Number, name or email',
  filters: [
    { name: 'state', label: 'State' },
    { name: 'created_after', label: 'From' },
    { name: 'created_before', label: 'Until' },
  ],
  sorts: [
    '-created_at',
    'created_at',
    ['-total_amount', 'Highest total'],
    ['total_amount', 'Lowest total'],
  ],
} as const

/** For the page of a member: every row has the same buyer. */
export const ordersOfMember = listPlan({
  operation: listOrders,
  columns: [order, ...purchase],
  ...narrowing,
})

export const orders = defineResource({
  path: 'orders',
  empty: 'Members make one at the checkout. What was paid elsewhere is recorded under Payments.',
  one: 'order',
  many: 'Orders',
  lead: 'What was bought, and every attempt to pay for it. Orders come from the checkout.',
  list: listPlan({
    operation: listOrders,
    expand: ['member'],
    columns: [
      order,
      { label: 'Buyer', show: nameOf('member', 'name', FORMER_MEMBER) },
      ...purchase,
    ],
    ...narrowing,
  }),
  read: readOrder,
  expand: ['member'],
  name: (order) => `Order ${order.number}`,
  badges: orderState,
  facts: [
    { label: 'Buyer', show: person('member', 'members') },
    { label: 'Total', show: money('total_amount') },
    { label: 'Coupons', show: (order) => order.coupon_codes.join(', ') },
    { label: 'Placed', show: moment('created_at') },
    { label: 'Completed', show: moment('completed_at') },
  ],
  fields: [],
  actions: [
    {
      path: 'cancel',
      label: 'Cancel order',
      does: asking(cancelOrder, [
        {
          name: 'end_access',
          label: 'End access to its courses and downloads',
          hint: 'Except those that they have from another order, too. Progress is kept.',
        },
        MESSAGE,
      ]),
      question: 'Cancel this order?',
      consequence: (order) =>
        `${buyerOf(order)} is told, and need not pay for it: codes to pay with no longer work. You can reopen the order, but not those codes.`,
      tells: ({ member_id }) => oneMember('order_canceled', member_id),
      done: 'The order is canceled, and the member is told.',
      tone: 'danger',
      when: (order) => canCancelOrder(order),
    },
    {
      path: 'reopen',
      label: 'Reopen order',
      does: asking(reopenOrder, [MESSAGE]),
      question: 'Reopen this order?',
      consequence: (order) =>
        `The order is completed again if a payment of it was paid, and otherwise open. Codes to pay with stay ended, and access that you ended with it does not come back. ${buyerOf(order)} is told.`,
      tells: ({ member_id }) => oneMember('order_reopened', member_id),
      done: 'The order is not canceled any more, and the member is told.',
      when: (order) => isCanceled(order),
    },
  ],
  panels: async (order, place) => (
    <>
      <Panel title="What was bought">
        <ObjectTable
          caption="What was bought"
          columns={itemColumns(order.currency)}
          rows={order.items}
          place={place}
        />
      </Panel>
      <Payments payments={order.payments} place={place} />
    </>
  ),
})

function itemColumns(currency: string): readonly Column<Order['items'][number]>[] {
  return [
    { label: 'Item', show: text('title') },
    { label: 'Kind', show: ({ kind }) => inWords(kind) },
    { label: 'Quantity', show: number('quantity') },
    { label: 'Price each', show: figure((item) => formatMoney(item.unit_amount, currency)) },
  ]
}

type Payment = Order['payments'][number]

const refund: Show<Payment> = (payment, place) => {
  if (payment.refunding_state === 'none') return undefined
  const amount = formatMoney(payment.refunded_amount, payment.currency)
  const words = inWords(payment.refunding_state)
  if (payment.refunded_amount === 0) return words
  return (
    <>
      {`${words}: ${amount} `}
      {momentOf(payment.refunded_at, place)}
    </>
  )
}

const paymentColumns: readonly Column<Payment>[] = [
  { label: 'Trade number', show: address('trade_no') },
  { label: 'State', show: state('state') },
  { label: 'Amount', show: money('amount') },
  { label: 'By', show: methodOf },
  { label: 'Paid', show: moment('paid_at') },
  { label: 'Refund', show: refund },
  { label: 'Invoice', show: address('invoice_number') },
]

function Payments({ payments, place }: { payments: readonly Payment[]; place: Place }) {
  return (
    <Panel title="Payments" lead="Every attempt, oldest first.">
      {payments.length === 0 ? (
        <p class="row-note">There are no payments yet.</p>
      ) : (
        <ObjectTable
          caption="Payments"
          columns={paymentColumns}
          rows={payments}
          place={place}
          urlOf={({ id }) => `/admin/payments/${id}`}
        />
      )}
    </Panel>
  )
}
