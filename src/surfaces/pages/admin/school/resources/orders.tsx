import { listOrders, readOrder } from '../../../../../domain/commerce/order-operations.ts'
import { Panel } from '../../../../../foundation/html/site-components.tsx'
import { formatMoney } from '../../../views/money.ts'
import {
  type AdminResource,
  type Column,
  type ListPlan,
  type Place,
  type Row,
  rowsOf,
  type Show,
  textOf,
} from '../resource.ts'
import {
  address,
  moment,
  momentOf,
  money,
  nameOf,
  number,
  person,
  state,
  text,
} from '../views/cells.tsx'
import { ObjectTable } from '../views/object-table.tsx'
import { inWords } from '../views/words.ts'
import { methodOf } from './payment-words.ts'

export const orderList: ListPlan = {
  operation: listOrders,
  searchHint: 'Number, name or email',
  filters: [{ name: 'state', label: 'State' }],
  sorts: [
    ['-created_at', 'Newest first'],
    ['created_at', 'Oldest first'],
    ['-total_amount', 'Highest total'],
    ['total_amount', 'Lowest total'],
  ],
}

/** An open order waits for its payment, which is no reason to be glad yet. */
const orderState = state('state', { open: 'plain' })

/** What was bought in a few words. */
const bought: Show = (order) => {
  const [first, ...others] = rowsOf(order, 'items')
  if (first === undefined) return undefined
  const rest = others.length === 0 ? '' : ` and ${others.length} more`
  return `${textOf(first, 'title')}${rest}`
}

const buyer: Column = {
  label: 'Buyer',
  show: nameOf('member', 'name', 'Somebody who left'),
}

/** The columns on a member's page, where the buyer is known. */
export const purchaseColumns: readonly Column[] = [
  { label: 'Order', show: address('number') },
  { label: 'Bought', show: bought },
  { label: 'State', show: orderState },
  { label: 'Total', show: money('total_amount'), sort: 'total_amount' },
  { label: 'Date', show: moment('created_at'), sort: 'created_at' },
]

const [orderColumn, ...purchase] = purchaseColumns

export const orders: AdminResource = {
  path: 'orders',
  one: 'order',
  many: 'Orders',
  lead: 'What was bought, and every attempt to pay for it. Orders come from the checkout.',
  list: orderList,
  read: readOrder,
  expand: ['member'],
  name: (order) => `Order ${textOf(order, 'number')}`,
  badges: orderState,
  columns: orderColumn === undefined ? purchase : [orderColumn, buyer, ...purchase],
  facts: [
    { label: 'Buyer', show: person('member', 'members') },
    { label: 'Total', show: money('total_amount') },
    { label: 'Coupons', show: (order) => codesOf(order).join(', ') },
    { label: 'Placed', show: moment('created_at') },
    { label: 'Completed', show: moment('completed_at') },
  ],
  fields: [],
  actions: [],
  panels: async (order, place) => (
    <>
      <Panel title="What was bought">
        <ObjectTable
          caption="What was bought"
          columns={itemColumns(textOf(order, 'currency'))}
          rows={rowsOf(order, 'items')}
          place={place}
        />
      </Panel>
      <Payments payments={rowsOf(order, 'payments')} place={place} />
    </>
  ),
}

function codesOf(order: Row): readonly string[] {
  return Array.isArray(order.coupon_codes) ? order.coupon_codes.map(String) : []
}

function itemColumns(currency: string): readonly Column[] {
  return [
    { label: 'Item', show: text('title') },
    { label: 'Kind', show: (item) => inWords(textOf(item, 'kind')) },
    { label: 'Quantity', show: number('quantity') },
    { label: 'Price each', show: (item) => formatMoney(Number(item.unit_amount), currency) },
  ]
}

const paidBack: Show = (payment, place) => {
  if (payment.refunding_state === 'none') return undefined
  const amount = formatMoney(Number(payment.refunded_amount), textOf(payment, 'currency'))
  const words = inWords(textOf(payment, 'refunding_state'))
  if (Number(payment.refunded_amount) === 0) return words
  return (
    <>
      {`${words}: ${amount} `}
      {momentOf(payment, 'refunded_at', place)}
    </>
  )
}

const paymentColumns: readonly Column[] = [
  { label: 'Trade number', show: address('trade_no') },
  { label: 'State', show: state() },
  { label: 'Amount', show: money('amount') },
  { label: 'By', show: methodOf },
  { label: 'Paid', show: moment('paid_at') },
  { label: 'Refund', show: paidBack },
  { label: 'Invoice', show: address('invoice_number') },
]

function Payments({ payments, place }: { payments: readonly Row[]; place: Place }) {
  return (
    <Panel title="Payments" lead="Every attempt, oldest first.">
      {payments.length === 0 ? (
        <p class="row-note">Nobody has tried to pay yet.</p>
      ) : (
        <ObjectTable caption="Payments" columns={paymentColumns} rows={payments} place={place} />
      )}
    </Panel>
  )
}
