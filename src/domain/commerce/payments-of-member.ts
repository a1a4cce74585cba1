import { type RawBuilder, sql } from 'kysely'
import {
  groupRows,
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { COUNTED } from '../operation/list-page.ts'

export const PAYMENT_STATES = ['pending', 'paid', 'failed', 'expired', 'refunded'] as const
export type PaymentState = (typeof PAYMENT_STATES)[number]

export const REFUNDING_STATES = [
  'none',
  'requested',
  'partially_refunded',
  'refunded',
  'rejected',
] as const
export type RefundingState = (typeof REFUNDING_STATES)[number]

export const PAYMENT_TYPES = ['credit_card', 'atm', 'convenience_store', 'free'] as const
export type PaymentType = (typeof PAYMENT_TYPES)[number]

/** One attempt to pay, as its member sees it, without anything that identifies the order. */
export interface MemberPayment extends Keyed {
  readonly id: string
  readonly tradeNo: string
  readonly amount: number
  readonly currency: string
  readonly paymentType: PaymentType | null
  readonly paymentState: PaymentState
  readonly createdAt: Date
  readonly paidAt: Date | null
  readonly refundingState: RefundingState
  readonly refundedAmount: number
  readonly refundedAt: Date | null
  readonly refundRequestedAt: Date | null
  readonly installment: { readonly count: number; readonly amount: number } | null
  readonly invoice: {
    readonly number: string
    readonly issuedAt: Date
    readonly url: string | null
  } | null
  readonly bankCode: string | null
  readonly bankName: string | null
  readonly codeNo: string | null
  readonly expiredAt: Date | null
}

type PaymentRow = Omit<MemberPayment, 'key' | 'installment' | 'invoice'> & {
  readonly installmentCount: number | null
  readonly installmentAmount: number | null
  readonly invoiceNumber: string | null
  readonly invoiceIssuedAt: Date | null
  readonly invoiceUrl: string | null
}

/**
 * The payments that a member sees: all except a pending checkout without a payment method. No job
 * writes expiry; every reading compares expires_at with the time.
 */
function shownTo(db: SchoolDb, userId: string): RawBuilder<boolean> {
  return sql<boolean>`
    p.school_id = ${db.schoolId} and p.user_id = ${userId}
    and (p.state <> 'pending' or p.payment_type is not null or p.expires_at <= now())`
}

const SELECT = sql`
  select p.id, p.trade_no as "tradeNo", p.amount, p.currency, p.payment_type as "paymentType",
    case when p.state = 'pending' and p.expires_at <= now() then 'expired' else p.state end as "paymentState",
    p.created_at as "createdAt", p.paid_at as "paidAt", p.expires_at as "expiredAt",
    p.bank_code as "bankCode", p.bank_name as "bankName", p.code_no as "codeNo",
    p.installment_count as "installmentCount", p.installment_amount as "installmentAmount",
    p.refunding_state as "refundingState", p.refunded_amount as "refundedAmount",
    p.refund_requested_at as "refundRequestedAt", p.refunded_at as "refundedAt",
    i.number as "invoiceNumber", i.issued_at as "invoiceIssuedAt", i.url as "invoiceUrl"
  from payments p left join invoices i on i.school_id = p.school_id and i.payment_id = p.id`

/** The billing history of a member, newest attempt first. */
export async function paymentsOf(
  db: SchoolDb,
  userId: string,
  range: KeysetRange,
): Promise<MemberPayment[]> {
  const { rows } = await db.run(sql<PaymentRow>`
    ${SELECT} where ${shownTo(db, userId)} and ${inRange('p.created_at', 'p.id', range)}
    ${rangeOrder('p.created_at', 'p.id', range)}`)
  return newestFirst(rows.map(shownPayment), range)
}

/** One payment of the member; undefined if it is another member's or does not exist. */
export async function findPaymentOf(
  db: SchoolDb,
  userId: string,
  id: string,
): Promise<MemberPayment | undefined> {
  const { rows } = await db.run(sql<PaymentRow>`
    ${SELECT} where ${shownTo(db, userId)} and p.id = ${id}`)
  return rows.map(shownPayment)[0]
}

/** What a member still has to pay, the first due first. */
export async function paymentsToPay(
  db: SchoolDb,
  userId: string,
  limit: number,
): Promise<MemberPayment[]> {
  const { rows } = await db.run(sql<PaymentRow>`
    ${SELECT} where ${shownTo(db, userId)} and p.state = 'pending'
      and (p.expires_at is null or p.expires_at > now())
    order by p.expires_at, p.created_at, p.id limit ${limit}`)
  return rows.map(shownPayment)
}

export async function countPaymentsOf(db: SchoolDb, userId: string): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total ${paymentRowsOf(db, userId)}`)
  return rows[0]?.total ?? 0
}

export function paymentRowsOf(db: SchoolDb, userId: string): RawBuilder<unknown> {
  return sql`from payments p where ${shownTo(db, userId)}`
}

const NO_INSTRUCTIONS = { bankCode: null, bankName: null, codeNo: null, expiredAt: null }

function shownPayment(row: PaymentRow): MemberPayment {
  const { installmentCount, installmentAmount, invoiceNumber, invoiceIssuedAt, ...shown } = row
  const { invoiceUrl: url, ...payment } = shown
  const isUnpaid = row.paidAt === null && (row.paymentState !== 'failed' || isByInstruction(row))
  return {
    ...payment,
    // If a paid payment still showed instructions, a member might pay twice.
    ...(isUnpaid ? {} : NO_INSTRUCTIONS),
    key: { at: row.createdAt, id: row.id },
    installment:
      installmentCount === null || installmentAmount === null
        ? null
        : { count: installmentCount, amount: installmentAmount },
    invoice:
      invoiceNumber === null || invoiceIssuedAt === null
        ? null
        : { number: invoiceNumber, issuedAt: invoiceIssuedAt, url },
  }
}

/** The buyer pays elsewhere, by the instructions, and must find them again in every state. */
function isByInstruction({ paymentType }: PaymentRow): boolean {
  return paymentType === 'atm' || paymentType === 'convenience_store'
}

/** A payment is due soon if its code or account number can be used for this many days or less. */
export const DUE_SOON_DAYS = 3

/**
 * Selects the ids of unpaid payments that are due soon, the first to expire first, no more than
 * lists count.
 */
export function paymentsDueSoon(db: SchoolDb): RawBuilder<unknown> {
  return sql`
    select p.id from payments p
    where p.school_id = ${db.schoolId} and p.state = 'pending'
      and p.expires_at > now() and p.expires_at <= now() + make_interval(days => ${DUE_SOON_DAYS})
    order by p.expires_at limit ${sql.lit(COUNTED)}`
}

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

/**
 * The lines of these payments, by payment. The caller has checked that the payments are the
 * member's.
 */
export async function linesOfPayments(
  db: SchoolDb,
  paymentIds: readonly string[],
): Promise<Map<string, PaymentLine[]>> {
  const { rows } = await db.run(sql<PaymentLine & { paymentId: string }>`
    select payment_id as "paymentId", title, quantity, unit_amount as "unitAmount", amount
    from payment_lines
    where school_id = ${db.schoolId} and payment_id = any(${paymentIds}::uuid[])
    order by payment_id, position`)
  return groupRows(rows, ({ paymentId }) => paymentId)
}

/** The coupon and promotion lines of these payments, by payment. */
export async function adjustmentsOfPayments(
  db: SchoolDb,
  paymentIds: readonly string[],
): Promise<Map<string, PaymentAdjustment[]>> {
  const { rows } = await db.run(sql<PaymentAdjustment & { paymentId: string }>`
    select payment_id as "paymentId", kind, label, amount
    from payment_adjustments
    where school_id = ${db.schoolId} and payment_id = any(${paymentIds}::uuid[])
    order by payment_id, position`)
  return groupRows(rows, ({ paymentId }) => paymentId)
}
