import { coursesOf, peopleOf, type SchoolSize, someOf } from '../school-size.ts'
import { each, rowTexts } from './row-texts.ts'

/** Orders and payments, two of each person, and what else is sold. */
export function commerceRows(size: SchoolSize): readonly string[] {
  const { school, id, ago, oneOf } = rowTexts(size)
  const people = peopleOf(size)
  const orders = people * 2
  const courses = coursesOf(size)
  const some = someOf(size)
  const subscriptions = size.thousands * 200
  const accesses = size.thousands * 200
  const redemptions = size.thousands * 100
  const buyer = id('person', '(n - 1) / 2 + 1')
  const currency = `case when n % 10 = 3 then 'TWD' else 'USD' end`
  const amount = '100 * (1 + n % 97)'
  // Of twenty orders 16 are paid, one of these is refunded and one half refunded; two wait, two
  // failed.
  const isPaid = 'n % 20 < 16'
  const isRefunded = 'n % 20 in (0, 1)'
  const made = ago('n', orders)
  return [
    `insert into orders (school_id, id, number, user_id, state, total_amount, currency, completed_at, created_at)
     select ${school}, ${id('order', 'n')}, 'A-' || lpad(n::text, 8, '0'), ${buyer},
       case when ${isPaid} then 'completed' when n % 20 < 18 then 'open' else 'canceled' end, ${amount}, ${currency},
       case when ${isPaid} then ${made} end, ${made} from ${each('n', orders)}`,
    `insert into order_items (school_id, order_id, position, title, course_id, unit_amount)
     select ${school}, ${id('order', 'n')}, 0, 'A course', ${id('course', `1 + n % ${courses}`)}, ${amount} from ${each('n', orders)}`,
    `insert into payments (school_id, id, order_id, user_id, trade_no, amount, currency, payment_type, state, created_at, paid_at,
       expires_at, refunding_state, refunded_amount, refund_requested_at, refunded_at)
     select ${school}, ${id('payment', 'n')}, ${id('order', 'n')}, ${buyer}, 'T' || n, ${amount}, ${currency},
       ${oneOf('n', ['credit_card', 'atm', 'convenience_store'])},
       case when n % 20 = 0 then 'refunded' when ${isPaid} then 'paid' when n % 20 < 18 then 'pending' else 'failed' end,
       ${made}, case when ${isPaid} then ${made} end, case when n % 20 = 16 then ${made} + interval '3 days' end,
       case n % 20 when 0 then 'refunded' when 1 then 'partially_refunded' when 2 then 'requested' else 'none' end,
       case n % 20 when 0 then ${amount} when 1 then 50 else 0 end, case when n % 20 < 3 then ${made} end,
       case when ${isRefunded} then ${made} end
     from ${each('n', orders)}`,
    `insert into payment_lines (school_id, payment_id, position, title, unit_amount, amount)
     select ${school}, ${id('payment', 'n')}, 0, 'A course', ${amount}, ${amount} from ${each('n', orders)}`,
    `insert into membership_plans (school_id, id, slug, name, state, interval, price_amount, currency, created_at)
     select ${school}, ${id('plan', 'n')}, 'plan-' || n, 'Plan ' || n, 'published', 'month', 900 + n, 'USD', ${ago('n', some)}
     from ${each('n', some)}`,
    `insert into membership_plan_courses (school_id, plan_id, course_id)
     select ${school}, ${id('plan', 'n')}, ${id('course', `1 + (n * 7 + k) % ${courses}`)} from ${each('n', some)}, generate_series(1, 3) k`,
    `insert into subscriptions (school_id, id, plan_id, user_id, state, started_at, current_period_starts_at, current_period_ends_at, canceled_at, created_at)
     select ${school}, ${id('subscription', 'n')}, ${id('plan', `1 + n % ${some}`)}, ${id('person', 'n')},
       ${oneOf('n', ['active', 'active', 'active', 'past_due', 'canceled'])}, ${ago('n', subscriptions)}, now() - interval '10 days',
       now() + interval '20 days', case when n % 5 = 4 then now() end, ${ago('n', subscriptions)}
     from ${each('n', subscriptions)}`,
    `insert into digital_products (school_id, id, slug, title, state, price_amount, currency, created_at)
     select ${school}, ${id('product', 'n')}, 'product-' || n, 'Workbook ' || n, 'published', 500 + n, 'USD', ${ago('n', some)} from ${each('n', some)}`,
    `insert into digital_product_accesses (school_id, id, product_id, user_id, granted_at)
     select ${school}, ${id('access', 'n')}, ${id('product', `1 + n % ${some}`)}, ${id('person', 'n')}, ${ago('n', accesses)} from ${each('n', accesses)}`,
    `insert into coupons (school_id, id, code, percent_off, max_redemptions, created_at)
     select ${school}, ${id('coupon', 'n')}, 'SAVE' || n, 1 + n % 90, 1000000, ${ago('n', courses)} from ${each('n', courses)}`,
    `insert into coupon_redemptions (school_id, id, coupon_id, order_id, user_id, redeemed_at)
     select ${school}, ${id('redemption', 'n')}, ${id('coupon', `1 + n % ${courses}`)}, ${id('order', 'n')}, ${buyer}, ${made} from ${each('n', redemptions)}`,
  ]
}
