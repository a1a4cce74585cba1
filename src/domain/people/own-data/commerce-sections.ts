import { sql } from 'kysely'
import type { Section } from './section.ts'

/** What the person bought. */
export const COMMERCE_SECTIONS: readonly Section[] = [
  {
    name: 'orders',
    title: 'Your orders',
    tables: ['orders'],
    fields: sql`o.number, o.state, o.total_amount, o.currency, o.created_at, o.completed_at, (
      select jsonb_agg(jsonb_build_object('title', i.title, 'quantity', i.quantity, 'unit_amount', i.unit_amount)
        order by i.position)
      from order_items i where i.school_id = o.school_id and i.order_id = o.id) as items`,
    rows: ({ schoolId, userId }) => sql`
      from orders o where o.school_id = ${schoolId} and o.user_id = ${userId}`,
    order: [sql`o.created_at`, sql`o.id`],
  },
  {
    name: 'payments',
    title: 'Your payments',
    tables: ['payments'],
    fields: sql`p.trade_no, p.amount, p.currency, p.payment_type, p.state, p.created_at, p.paid_at, p.expires_at,
      p.bank_code, p.bank_name, p.code_no, p.installment_count, p.installment_amount, p.refunding_state,
      p.refunded_amount, p.refund_requested_at, p.refunded_at, (
        select jsonb_agg(jsonb_build_object('title', l.title, 'quantity', l.quantity, 'amount', l.amount) order by l.position)
        from payment_lines l where l.school_id = p.school_id and l.payment_id = p.id) as lines, (
        select jsonb_agg(jsonb_build_object('label', a.label, 'amount', a.amount) order by a.position)
        from payment_adjustments a where a.school_id = p.school_id and a.payment_id = p.id) as adjustments, (
        select jsonb_build_object('number', i.number, 'issued_at', i.issued_at, 'url', i.url)
        from invoices i where i.school_id = p.school_id and i.payment_id = p.id) as invoice`,
    rows: ({ schoolId, userId }) => sql`
      from payments p where p.school_id = ${schoolId} and p.user_id = ${userId}`,
    order: [sql`p.created_at`, sql`p.id`],
  },
  {
    name: 'subscriptions',
    title: 'Your memberships',
    tables: ['subscriptions'],
    fields: sql`p.name as plan, s.state, s.started_at, s.current_period_starts_at, s.current_period_ends_at,
      s.cancel_at_period_end, s.canceled_at`,
    rows: ({ schoolId, userId }) => sql`
      from subscriptions s join membership_plans p on p.school_id = s.school_id and p.id = s.plan_id
      where s.school_id = ${schoolId} and s.user_id = ${userId}`,
    order: [sql`s.created_at`, sql`s.id`],
  },
  {
    name: 'digital_products',
    title: 'Digital products that you may use',
    tables: ['digital_product_accesses'],
    fields: sql`p.title, a.granted_at, a.revoked_at`,
    rows: ({ schoolId, userId }) => sql`
      from digital_product_accesses a
        join digital_products p on p.school_id = a.school_id and p.id = a.product_id
      where a.school_id = ${schoolId} and a.user_id = ${userId}`,
    order: [sql`a.granted_at`, sql`a.id`],
  },
  {
    name: 'coupons',
    title: 'Coupons that you used',
    tables: ['coupon_redemptions'],
    fields: sql`c.code, r.redeemed_at`,
    rows: ({ schoolId, userId }) => sql`
      from orders o join coupon_redemptions r on r.school_id = o.school_id and r.order_id = o.id
        join coupons c on c.school_id = r.school_id and c.id = r.coupon_id
      where o.school_id = ${schoolId} and o.user_id = ${userId}`,
    order: [sql`r.redeemed_at`, sql`r.id`],
  },
]
