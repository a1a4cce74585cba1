import { z } from 'zod'
import { amount, currency, id, line, text, time, webAddress } from '../operation/fields.ts'
import type { RowRules } from '../operation/row-rules.ts'
import { ITEM_KINDS } from './order-rules.ts'
import { adjustmentSchema } from './payment-resource.ts'
import {
  PAYMENT_STATES,
  PAYMENT_TYPES,
  type PaymentState,
  type PaymentType,
  REFUNDING_STATES,
  type RefundingState,
} from './payments-of-member.ts'

const boughtLine = z.strictObject({
  title: line(300),
  quantity: z.int().min(1).max(1_000_000).default(1),
  unit_amount: amount,
  kind: z.enum(ITEM_KINDS).default('other').meta({ description: 'What item_id is the id of.' }),
  item_id: id.nullable().default(null),
})

const invoice = z.strictObject({
  number: text(1, 64),
  issued_at: time.optional(),
  url: webAddress.nullable().default(null),
})

const instruction = (max: number) => text(1, max).nullable()

export const attemptFields = {
  trade_no: text(1, 64),
  order_number: text(1, 64).meta({ description: 'The same for every attempt at one purchase.' }),
  member_id: id,
  amount,
  currency,
  payment_type: z
    .enum(PAYMENT_TYPES)
    .nullable()
    .meta({ description: 'Null until the member chooses one.' }),
  state: z.enum(PAYMENT_STATES),
  created_at: time,
  paid_at: time.nullable(),
  expires_at: time.nullable(),
  bank_code: instruction(20),
  bank_name: instruction(100),
  code_no: instruction(64),
  installment_count: z.int().min(2).max(60).nullable(),
  installment_amount: amount.min(1).nullable(),
  refunding_state: z.enum(REFUNDING_STATES),
  refunded_amount: amount,
  refund_requested_at: time.nullable(),
  refunded_at: time.nullable(),
  lines: z.array(boughtLine).max(200),
  adjustments: z.array(adjustmentSchema).max(50),
  invoice: invoice.nullable(),
}

/** The members of an attempt to pay that depend on each other. */
export interface Attempt {
  readonly amount: number
  readonly payment_type?: PaymentType | null | undefined
  readonly state: PaymentState
  readonly created_at?: string | undefined
  paid_at?: string | null | undefined
  readonly expires_at?: string | null | undefined
  readonly bank_code?: string | null | undefined
  readonly bank_name?: string | null | undefined
  readonly code_no?: string | null | undefined
  readonly installment_count?: number | null | undefined
  readonly installment_amount?: number | null | undefined
  readonly refunding_state: RefundingState
  readonly refunded_amount: number
  refund_requested_at?: string | null | undefined
  refunded_at?: string | null | undefined
  invoice?: z.output<typeof invoice> | null | undefined
}

const wasPaid = ({ state }: Attempt) => state === 'paid' || state === 'refunded'
const hasRefund = ({ refunding_state }: Attempt) =>
  refunding_state === 'refunded' || refunding_state === 'partially_refunded'

/** Fills in times that the states need and the attempt lacks: they default to the time of the attempt. */
export function completeAttempt(attempt: Attempt): void {
  const begun = attempt.created_at ?? new Date().toISOString()
  if (wasPaid(attempt)) attempt.paid_at ??= begun
  if (hasRefund(attempt)) attempt.refunded_at ??= attempt.paid_at ?? begun
  if (attempt.refunding_state !== 'none') {
    attempt.refund_requested_at ??= attempt.refunded_at ?? attempt.paid_at ?? begun
  }
  if (attempt.invoice != null) {
    const issued_at = attempt.invoice.issued_at ?? attempt.paid_at ?? begun
    attempt.invoice = { ...attempt.invoice, issued_at: new Date(issued_at).toISOString() }
  }
}

export const attemptRules: RowRules<Attempt> = [
  {
    field: 'paid_at',
    code: 'inconsistent',
    broken: (attempt) => attempt.paid_at != null && !wasPaid(attempt),
    detail: 'Only a paid or refunded payment has a time at which it was paid.',
  },
  {
    field: 'expires_at',
    code: 'inconsistent',
    broken: ({ state, expires_at }, _before, now) =>
      state === 'expired' && !(expires_at != null && Date.parse(expires_at) <= now),
    detail: 'Write when it expired: a time in the past.',
  },
  {
    field: 'bank_code',
    code: 'inconsistent',
    broken: ({ payment_type, bank_code, bank_name, code_no }) =>
      payment_type !== 'atm' &&
      payment_type !== 'convenience_store' &&
      [bank_code, bank_name, code_no].some((value) => value != null),
    detail: 'Only ATM and convenience-store payments have instructions.',
  },
  {
    field: 'installment_amount',
    code: 'inconsistent',
    broken: ({ installment_count, installment_amount }) =>
      (installment_count == null) !== (installment_amount == null),
    detail: 'Write both the number of installments and the amount of each, or neither.',
  },
  {
    field: 'refunding_state',
    code: 'inconsistent',
    broken: ({ state, refunding_state }) =>
      (state === 'refunded') !== (refunding_state === 'refunded'),
    detail: 'A payment is refunded when both its state and its refunding state say so.',
  },
  {
    field: 'refunding_state',
    code: 'inconsistent',
    broken: (attempt) => attempt.refunding_state !== 'none' && !wasPaid(attempt),
    detail: 'A payment that was not paid cannot be refunded.',
  },
  {
    field: 'refunded_amount',
    code: 'inconsistent',
    broken: (attempt) =>
      attempt.refunded_amount > attempt.amount ||
      attempt.refunded_amount > 0 !== hasRefund(attempt),
    detail: 'Write the refunded amount, at most the amount paid. Without a refund it is 0.',
  },
  {
    field: 'refunded_at',
    code: 'inconsistent',
    broken: (attempt) => attempt.refunded_at != null && !hasRefund(attempt),
    detail: 'Only a payment with a refund has a time of that refund.',
  },
  {
    field: 'refund_requested_at',
    code: 'inconsistent',
    broken: ({ refunding_state, refund_requested_at }) =>
      refund_requested_at != null && refunding_state === 'none',
    detail: 'Only a payment with a requested refund has a time of that request.',
  },
]
