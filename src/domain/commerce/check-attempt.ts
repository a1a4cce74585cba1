import { invalid, type OperationRefused } from '../operation/refusal.ts'
import type { PaymentState, PaymentType, RefundingState } from './payments-of-member.ts'

/** What the parts of an attempt to pay say about each other. */
export interface Attempt {
  readonly amount: number
  readonly payment_type: PaymentType | null
  readonly state: PaymentState
  readonly paid_at?: string | null | undefined
  readonly expires_at?: string | null | undefined
  readonly bank_code?: string | null | undefined
  readonly bank_name?: string | null | undefined
  readonly code_no?: string | null | undefined
  readonly installment_count?: number | null | undefined
  readonly installment_amount?: number | null | undefined
  readonly refunding_state: RefundingState
  readonly refunded_amount: number
  readonly refunded_at?: string | null | undefined
}

interface Rule {
  readonly field: keyof Attempt
  broken(attempt: Attempt, now: number): boolean
  readonly detail: string
}

const wasPaid = ({ state }: Attempt) => state === 'paid' || state === 'refunded'
const gaveBack = ({ refunding_state }: Attempt) =>
  refunding_state === 'refunded' || refunding_state === 'partially_refunded'

const RULES: readonly Rule[] = [
  {
    field: 'paid_at',
    broken: (attempt) => attempt.paid_at != null && !wasPaid(attempt),
    detail: 'Only a paid or refunded payment has a time at which it was paid.',
  },
  {
    field: 'expires_at',
    broken: ({ state, expires_at }, now) =>
      state === 'expired' && !(expires_at != null && Date.parse(expires_at) <= now),
    detail: 'Write when it expired: an expired payment is an unpaid one whose time has passed.',
  },
  {
    field: 'bank_code',
    broken: ({ payment_type, bank_code, bank_name, code_no }) =>
      payment_type !== 'atm' &&
      payment_type !== 'convenience_store' &&
      [bank_code, bank_name, code_no].some((value) => value != null),
    detail: 'Only ATM and convenience-store payments have instructions.',
  },
  {
    field: 'installment_amount',
    broken: ({ installment_count, installment_amount }) =>
      (installment_count == null) !== (installment_amount == null),
    detail: 'Write both how many installments and how much each, or neither.',
  },
  {
    field: 'refunding_state',
    broken: ({ state, refunding_state }) =>
      (state === 'refunded') !== (refunding_state === 'refunded'),
    detail: 'A payment is refunded when both its state and its refunding state say so.',
  },
  {
    field: 'refunding_state',
    broken: (attempt) => attempt.refunding_state !== 'none' && !wasPaid(attempt),
    detail: 'What was not paid cannot be asked back.',
  },
  {
    field: 'refunded_amount',
    broken: (attempt) =>
      attempt.refunded_amount > attempt.amount || attempt.refunded_amount > 0 !== gaveBack(attempt),
    detail: 'Write what was given back, up to the amount, if and only if something was.',
  },
  {
    field: 'refunded_at',
    broken: (attempt) => attempt.refunded_at != null && !gaveBack(attempt),
    detail: 'Only a refund that was made has a time at which it was made.',
  },
]

/** Throws the first rule that an attempt breaks, naming the field to mend. */
export function checkAttempt(attempt: Attempt, now: number): void {
  const broken = RULES.find((rule) => rule.broken(attempt, now))
  if (broken !== undefined) throw refusal(broken)
}

function refusal({ field, detail }: Rule): OperationRefused {
  return invalid(field, 'inconsistent', detail)
}
