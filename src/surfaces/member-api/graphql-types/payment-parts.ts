import type {
  MemberPayment,
  PaymentAdjustment,
  PaymentLine,
} from '../../../domain/commerce/payments-of-member.ts'
import type { Builder, Ref } from '../builder.ts'
import { defineEnum } from './enums.ts'

export function definePaymentAdjustment(builder: Builder): Ref<PaymentAdjustment> {
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

export function definePaymentLineitem(builder: Builder): Ref<PaymentLine> {
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

export function defineInvoice(builder: Builder): Ref<InvoiceShape> {
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

export function defineInstallment(builder: Builder): Ref<InstallmentShape> {
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
