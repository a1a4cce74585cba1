import {
  adjustmentsOfPayments,
  countPaymentsOf,
  linesOfPayments,
  type MemberPayment,
  type PaymentAdjustment,
  type PaymentLine,
  type PaymentState,
  type PaymentType,
  paymentsOf,
  type RefundingState,
} from '../../../domain/commerce/payments-of-member.ts'
import { once } from '../../../foundation/cache/lru-cache.ts'
import type { Builder, MemberContext, Ref, Viewer } from '../builder.ts'
import { openConnection, type PageInfo } from '../connections/connection.ts'
import { defineConnection, pageArgs, pageSizes } from '../connections/define-connection.ts'
import { rowsOf } from '../documents/prices.ts'
import { defineEnum } from './scalars.ts'

const MAXIMUM = 50

export function addPayments(builder: Builder, viewer: Ref<Viewer>, pageInfo: Ref<PageInfo>): void {
  const payment = definePayment(builder)
  const connection = defineConnection(builder, pageInfo, 'Payment', payment, 'payments')
  builder.objectField(viewer, 'payments', (t) =>
    t.field({
      type: connection,
      description:
        'The billing history of the viewer, newest attempt first, whatever was bought. Unpaid and expired payments are in it on purpose, so that buyers find their payment instructions again; only a checkout that was left before a method was chosen is missing until it expires.',
      args: pageArgs(builder, MAXIMUM),
      extensions: pageSizes(MAXIMUM),
      resolve: ({ id }, args, context) =>
        openConnection(
          {
            name: 'payments',
            maximum: MAXIMUM,
            read: async (range) =>
              paymentNodes(context, await paymentsOf(context.schoolDb, id, range)),
            count: () => countPaymentsOf(context.schoolDb, id),
          },
          args,
        ),
    }),
  )
}

export interface PaymentNode extends MemberPayment {
  readonly lineitems: () => Promise<PaymentLine[]>
  readonly adjustments: () => Promise<PaymentAdjustment[]>
}

/** The payments of one page. The first that is asked for its lines reads them for all of them. */
function paymentNodes(context: MemberContext, payments: MemberPayment[]): PaymentNode[] {
  const ids = payments.map(({ id }) => id)
  const lines = once(() => context.meter.read(() => linesOfPayments(context.schoolDb, ids), rowsOf))
  const adjustments = once(() =>
    context.meter.read(() => adjustmentsOfPayments(context.schoolDb, ids), rowsOf),
  )
  return payments.map((payment) => ({
    lineitems: async () => (await lines()).get(payment.id) ?? [],
    adjustments: async () => (await adjustments()).get(payment.id) ?? [],
    ...payment,
  }))
}

const FOR_UNPAID =
  'For an ATM or convenience-store payment that was never paid: pending, expired or failed; null otherwise.'

function definePayment(builder: Builder): Ref<PaymentNode> {
  const type = definePaymentType(builder)
  const state = definePaymentState(builder)
  const refundingState = defineRefundingState(builder)
  const adjustment = definePaymentAdjustment(builder)
  const lineitem = definePaymentLineitem(builder)
  const invoice = defineInvoice(builder)
  const installment = defineInstallment(builder)
  return builder.objectRef<PaymentNode>('Payment').implement({
    description:
      'One attempt to pay. A checkout that was tried again is another payment with another tradeNo; nothing links the attempts of a purchase, and no field stands for the purchase itself.',
    fields: (t) => ({
      tradeNo: t.exposeString('tradeNo', {
        description: 'Identifies this payment, not the purchase behind it. Unique at its school.',
      }),
      amount: t.expose('amount', {
        type: 'MinorUnits',
        description: 'What was or is to be paid, after adjustments.',
      }),
      currency: t.exposeString('currency', {
        description: 'Currency of every amount of this payment (ISO 4217).',
      }),
      paymentType: t.expose('paymentType', {
        type,
        nullable: true,
        description: 'How it is paid; null if no method was ever chosen.',
      }),
      paymentState: t.expose('paymentState', {
        type: state,
        description: 'State of the payment.',
      }),
      createdAt: t.expose('createdAt', {
        type: 'UnixTime',
        description: 'When the attempt was started; payments are sorted by it.',
      }),
      paidAt: t.expose('paidAt', {
        type: 'UnixTime',
        nullable: true,
        description: 'When the payment was received; null if it was not.',
      }),
      adjustments: t.field({
        type: [adjustment],
        description: 'The coupons and promotions that were taken off.',
        extensions: { usualLength: 3 },
        resolve: (payment) => payment.adjustments(),
      }),
      lineitems: t.field({
        type: [lineitem],
        description: 'What the payment is for, as it read at the time.',
        extensions: { usualLength: 5 },
        resolve: (payment) => payment.lineitems(),
      }),
      invoice: t.expose('invoice', {
        type: invoice,
        nullable: true,
        description: 'The invoice; null if none was issued.',
      }),
      installment: t.expose('installment', {
        type: installment,
        nullable: true,
        description: 'How the amount is spread over months; null if it is paid at once.',
      }),
      refundingState: t.expose('refundingState', {
        type: refundingState,
        description: 'State of a refund.',
      }),
      refundedAmount: t.expose('refundedAmount', {
        type: 'MinorUnits',
        description: 'Amount that was refunded so far.',
      }),
      refundedAt: t.expose('refundedAt', {
        type: 'UnixTime',
        nullable: true,
        description: 'Time of the last refund; null if there was none.',
      }),
      refundRequestedAt: t.expose('refundRequestedAt', {
        type: 'UnixTime',
        nullable: true,
        description: 'When a refund was requested; null if none was.',
      }),
      bankCode: t.exposeString('bankCode', {
        nullable: true,
        description: `Code of the bank or store to pay at. ${FOR_UNPAID}`,
      }),
      bankName: t.exposeString('bankName', {
        nullable: true,
        description: `Name of the bank or store to pay at. ${FOR_UNPAID}`,
      }),
      codeNo: t.exposeString('codeNo', {
        nullable: true,
        description: `The account to transfer to, or the code to show at the counter. ${FOR_UNPAID}`,
      }),
      expiredAt: t.expose('expiredAt', {
        type: 'UnixTime',
        nullable: true,
        description:
          'Until when an unpaid payment can be made, or until when it could; null once it is paid, and if it has no limit.',
      }),
    }),
  })
}

function definePaymentType(builder: Builder) {
  return defineEnum<PaymentType>(builder, 'PaymentType', 'How a payment is made.', {
    credit_card: 'By card.',
    atm: 'By transfer to an account that the instructions name.',
    convenience_store: 'At the counter of a store, with the code that the instructions name.',
    free: 'There was nothing to pay.',
  })
}

function definePaymentState(builder: Builder) {
  return defineEnum<PaymentState>(builder, 'PaymentState', 'State of a payment.', {
    pending: 'Not paid yet, and can still be. Show the instructions.',
    paid: 'Paid, perhaps refunded in part.',
    failed: 'Refused by the bank, or canceled. The instructions remain, but no longer work.',
    expired: 'Not paid in time. The instructions remain, but no longer work.',
    refunded: 'Paid and fully refunded.',
  })
}

function defineRefundingState(builder: Builder) {
  return defineEnum<RefundingState>(builder, 'RefundingState', 'State of a refund.', {
    none: 'Not requested.',
    requested: 'Requested, not decided.',
    partially_refunded: 'A part was refunded.',
    refunded: 'The full amount was refunded.',
    rejected: 'The school rejected it.',
  })
}

function definePaymentAdjustment(builder: Builder): Ref<PaymentAdjustment> {
  const kind = defineEnum<PaymentAdjustment['kind']>(
    builder,
    'PaymentAdjustmentKind',
    'Why something was taken off.',
    { coupon: 'A coupon was redeemed.', promotion: 'The school had an offer.' },
  )
  return builder.objectRef<PaymentAdjustment>('PaymentAdjustment').implement({
    description: 'Something that was taken off a payment.',
    fields: (t) => ({
      kind: t.expose('kind', { type: kind, description: 'Why it was taken off.' }),
      label: t.exposeString('label', {
        description: 'The code of the coupon, or what the offer was called.',
      }),
      amount: t.expose('amount', {
        type: 'MinorUnits',
        description: 'What it changes; negative or 0.',
      }),
    }),
  })
}

function definePaymentLineitem(builder: Builder): Ref<PaymentLine> {
  return builder.objectRef<PaymentLine>('PaymentLineitem').implement({
    description: 'One thing that a payment is for.',
    fields: (t) => ({
      title: t.exposeString('title', { description: 'What it is, as it was called at the time.' }),
      quantity: t.exposeInt('quantity', { description: 'How many.' }),
      unitAmount: t.expose('unitAmount', { type: 'MinorUnits', description: 'Price of one.' }),
      amount: t.expose('amount', {
        type: 'MinorUnits',
        description: 'Price of all of them, before adjustments.',
      }),
    }),
  })
}

type InvoiceShape = NonNullable<MemberPayment['invoice']>

function defineInvoice(builder: Builder): Ref<InvoiceShape> {
  return builder.objectRef<InvoiceShape>('Invoice').implement({
    description: 'The invoice of a payment.',
    fields: (t) => ({
      number: t.exposeString('number', { description: 'Number of the invoice.' }),
      issuedAt: t.expose('issuedAt', { type: 'UnixTime', description: 'When it was issued.' }),
      url: t.exposeString('url', {
        nullable: true,
        description: 'Where to see it; null if it is not online.',
      }),
    }),
  })
}

type InstallmentShape = NonNullable<MemberPayment['installment']>

function defineInstallment(builder: Builder): Ref<InstallmentShape> {
  return builder.objectRef<InstallmentShape>('Installment').implement({
    description: 'How the amount of a payment is spread.',
    fields: (t) => ({
      count: t.exposeInt('count', { description: 'Into how many parts.' }),
      amount: t.expose('amount', {
        type: 'MinorUnits',
        description: 'What each part is; the last one may be smaller.',
      }),
    }),
  })
}
