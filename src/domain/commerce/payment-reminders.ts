import { sql } from 'kysely'
import { inWindow, keyOf, type Reminder, type Window } from '../notifications/reminders.ts'

/** Not paid, also not by another attempt at the same order. */
const unpaid = ({ schoolId }: Window) => sql`
  select p.user_id, ${keyOf('p.id', 'p.expires_at')} as key, jsonb_build_object(
    'amount', p.amount, 'currency', p.currency, 'trade_no', p.trade_no, 'until', p.expires_at) as facts
  from payments p join orders o on o.school_id = p.school_id and o.id = p.order_id and o.state = 'open'
  where p.school_id = ${schoolId} and p.state = 'pending'`

export const paymentReminders: readonly Reminder[] = [
  {
    cause: 'payment_ends_soon',
    // Not for one that began with little more than three days.
    due: (window) => sql`${unpaid(window)} and ${inWindow(sql`p.expires_at`, window, 3)}
      and p.created_at < p.expires_at - interval '4 days'`,
  },
  {
    cause: 'payment_expired',
    due: (window) => sql`${unpaid(window)} and ${inWindow(sql`p.expires_at`, window, 0)}`,
  },
]
