import { chapter } from '../chapter.ts'

export const payments = [
  chapter('member-api', 'Payment node', {
    'payment.one-node': 'One node stands for one payment.',
    'payment.trade-no': 'tradeNo identifies the payment and not the purchase.',
    'payment.amount-and-currency': 'A payment has amount and currency.',
    'payment.type': 'A payment has a paymentType.',
    'payment.paid-at': 'paidAt is the time of payment.',
    'payment.state': 'paymentState is the state of the payment.',
    'payment.adjustments': 'adjustments are the coupon and promotion lines.',
    'payment.invoice': 'A payment can have an invoice.',
    'payment.lineitems': 'lineitems say what a payment was for.',
    'payment.installment': 'installment tells which part of a plan a payment is.',
    'payment.refunding':
      'refundingState, refundedAmount, refundedAt and refundRequestedAt describe refunds.',
    'payment.instructions':
      'Unpaid ATM and convenience-store payments carry bankCode, bankName, codeNo and expiredAt.',
    'payment.retry.separate': 'A repeated checkout makes another node with a new tradeNo.',
    'payment.retry.unlinked': 'No field connects the attempts of one purchase.',
    'payment.abandoned.hidden':
      'An attempt left before a method was chosen is not listed as long as it is unpaid.',
    'payment.abandoned.expired-shown': 'An abandoned attempt that has expired is listed.',
    'payment.unpaid-and-expired.listed':
      'Unpaid and expired payments are in the list, so that buyers find their instructions again.',
  }),

  chapter('member-api', 'Member API', {
    'payment.order': 'Payments come newest first.',
    'payment.scope': 'Reading payments takes account:read.',
  }),

  chapter('member-api', 'Limits', {
    'payment.page-size': 'A page of payments never exceeds fifty nodes.',
  }),

  chapter('member-api', 'product decision', {
    'payment.state.values': 'paymentState is pending, paid, failed, expired or refunded.',
    'payment.refunding.values':
      'refundingState is none, requested, partially_refunded, refunded or rejected.',
    'payment.type.values':
      'paymentType is credit_card, atm, convenience_store or free, and null before a choice.',
    'payment.plain-lists': 'adjustments and lineitems are plain lists.',
    'payment.hidden.everywhere': 'Hidden attempts are missing from totalCount and cursors as well.',
    'payment.expiry.at-read': 'Expiry is decided when the row is read, not by a job.',
    'payment.expired.keeps-instructions':
      'Expired bank and store payments keep their instructions.',
    'payment.failed.keeps-instructions': 'Failed bank and store payments keep theirs as well.',
  }),
] as const
