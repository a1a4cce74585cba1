import { sql } from 'kysely'
import { groupRows } from '../../foundation/db/group-rows.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

export interface PaymentLine {
  readonly title: string
  readonly quantity: number
  readonly unitAmount: number
  readonly amount: number
}

export const ADJUSTMENT_KINDS = ['coupon', 'promotion'] as const

export interface PaymentAdjustment {
  readonly kind: (typeof ADJUSTMENT_KINDS)[number]
  readonly label: string
  readonly amount: number
}

/** The lines of these payments, by payment. The caller has checked that the payments are the member's. */
export async function linesOfPayments(
  at: SchoolDb,
  paymentIds: readonly string[],
): Promise<Map<string, PaymentLine[]>> {
  const { rows } = await at.run(sql<PaymentLine & { paymentId: string }>`
    select payment_id as "paymentId", title, quantity, unit_amount as "unitAmount", amount
    from payment_lines
    where school_id = ${at.schoolId} and payment_id = any(${paymentIds}::uuid[])
    order by payment_id, position`)
  return groupRows(rows, ({ paymentId }) => paymentId)
}

/** The coupon and promotion lines of these payments, by payment. */
export async function adjustmentsOfPayments(
  at: SchoolDb,
  paymentIds: readonly string[],
): Promise<Map<string, PaymentAdjustment[]>> {
  const { rows } = await at.run(sql<PaymentAdjustment & { paymentId: string }>`
    select payment_id as "paymentId", kind, label, amount
    from payment_adjustments
    where school_id = ${at.schoolId} and payment_id = any(${paymentIds}::uuid[])
    order by payment_id, position`)
  return groupRows(rows, ({ paymentId }) => paymentId)
}
