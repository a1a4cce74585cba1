import type { PaymentState, RefundingState } from './payments-of-member.ts'

/** What of a payment decides about its refund. */
interface Refundable {
  readonly state: PaymentState
  readonly refunding_state: RefundingState
  readonly amount: number
  readonly refunded_amount: number
  readonly refund_requested_at: string | null
  readonly refunded_at: string | null
}

/** The part of a payment that can still be refunded; 0 if it was never paid. */
export function leftToRefund({ state, amount, refunded_amount }: Refundable): number {
  return state === 'paid' ? amount - refunded_amount : 0
}

export const canRefund = (payment: Refundable): boolean => leftToRefund(payment) > 0

export const isRefundAsked = ({ refunding_state }: Refundable): boolean =>
  refunding_state === 'requested'

/** An answer can be taken back: a request then waits again. */
export const isRefundAnswered = ({ refunding_state }: Refundable): boolean =>
  refunding_state !== 'none' && refunding_state !== 'requested'

/** A refund without a request has the same two times; see `refundPayment` and the times of recorded payments. */
export const wasRefundAsked = ({ refund_requested_at, refunded_at }: Refundable): boolean =>
  refund_requested_at !== null && refund_requested_at !== refunded_at
