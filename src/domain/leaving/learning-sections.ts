import { sql } from 'kysely'
import { TAKEN_BACK } from '../learning/comment-operations.ts'
import { IS_LAST_LECTURE, LAST_POSITION } from '../learning/progress.ts'
import { type StoredMessage, sayMessage } from '../notifications/causes.ts'
import type { Section } from './section.ts'

/** What the person learned, wrote, booked and was told. */
export const LEARNING_SECTIONS: readonly Section[] = [
  {
    name: 'enrollments',
    title: 'Courses that you are enrolled in',
    tables: ['enrollments'],
    fields: sql`c.title as course, e.source, e.enrolled_at, e.expires_at, e.revoked_at, l.title as last_lecture,
      ${LAST_POSITION} as last_position_seconds, e.last_watched_at`,
    rows: ({ schoolId, userId }) => sql`
      from enrollments e join courses c on c.school_id = e.school_id and c.id = e.course_id
        left join lectures l on l.school_id = e.school_id and l.id = e.last_lecture_id
        left join lecture_progress p on ${IS_LAST_LECTURE}
      where e.school_id = ${schoolId} and e.user_id = ${userId}`,
    order: [sql`e.enrolled_at`, sql`e.id`],
  },
  {
    name: 'progress',
    title: 'Your progress in lectures',
    tables: ['lecture_progress'],
    fields: sql`c.title as course, l.title as lecture, p.state, p.position_seconds, p.first_read_at, p.completed_at`,
    rows: ({ schoolId, userId }) => sql`
      from lecture_progress p join courses c on c.school_id = p.school_id and c.id = p.course_id
        join lectures l on l.school_id = p.school_id and l.id = p.lecture_id
      where p.school_id = ${schoolId} and p.user_id = ${userId}`,
    order: [sql`p.first_read_at`, sql`p.lecture_id`],
  },
  {
    name: 'learning_days',
    title: 'Days on which you learned',
    tables: ['learning_days'],
    fields: sql`d.day`,
    rows: ({ schoolId, userId }) => sql`
      from learning_days d where d.school_id = ${schoolId} and d.user_id = ${userId}`,
    order: [sql`d.day`, sql`d.day`],
  },
  {
    name: 'comments',
    title: 'Your comments',
    tables: ['comments'],
    fields: sql`l.title as lecture, c.body, c.created_at, c.hidden_at`,
    rows: ({ schoolId, userId }) => sql`
      from comments c join lectures l on l.school_id = c.school_id and l.id = c.lecture_id
      where c.school_id = ${schoolId} and c.user_id = ${userId} and c.body <> ${TAKEN_BACK}`,
    order: [sql`c.created_at`, sql`c.id`],
  },
  {
    name: 'meetings',
    title: 'Meetings that you booked',
    tables: ['meeting_seats'],
    fields: sql`m.title, m.state, m.starts_at, m.ends_at, s.booked_at`,
    rows: ({ schoolId, userId }) => sql`
      from meeting_seats s join consulting_meetings m on m.school_id = s.school_id and m.id = s.meeting_id
      where s.school_id = ${schoolId} and s.user_id = ${userId}`,
    order: [sql`s.booked_at`, sql`s.meeting_id`],
  },
  {
    name: 'study_groups',
    title: 'Study groups that you belong to',
    tables: ['study_group_members'],
    fields: sql`g.name, r.joined_at`,
    rows: ({ schoolId, userId }) => sql`
      from study_group_members r join study_groups g on g.school_id = r.school_id and g.id = r.group_id
      where r.school_id = ${schoolId} and r.user_id = ${userId}`,
    order: [sql`r.joined_at`, sql`r.group_id`],
  },
  {
    name: 'event_registrations',
    title: 'Events that you registered for',
    tables: ['event_registrations'],
    fields: sql`e.title, e.starts_at, r.state, r.registered_at, r.canceled_at`,
    rows: ({ schoolId, userId }) => sql`
      from event_registrations r join events e on e.school_id = r.school_id and e.id = r.event_id
      where r.school_id = ${schoolId} and r.user_id = ${userId}`,
    order: [sql`r.registered_at`, sql`r.id`],
  },
  {
    name: 'form_answers',
    title: 'Forms that you filled in',
    tables: ['form_submissions'],
    fields: sql`f.title as form, s.answers, s.submitted_at`,
    rows: ({ schoolId, userId }) => sql`
      from form_submissions s join forms f on f.school_id = s.school_id and f.id = s.form_id
      where s.school_id = ${schoolId} and s.user_id = ${userId}`,
    order: [sql`s.submitted_at`, sql`s.id`],
  },
  {
    name: 'notifications',
    title: 'What you were told',
    tables: ['notifications'],
    fields: sql`n.kind, n.title, n.body, n.url, n.created_at, n.read_at, n.facts, s.time_zone`,
    rows: ({ schoolId, userId }) => sql`
      from notifications n join schools s on s.id = n.school_id
      where n.school_id = ${schoolId} and n.user_id = ${userId}`,
    finish: ({ facts, time_zone, ...row }) => ({
      ...row,
      ...sayMessage({ ...row, facts, timeZone: time_zone } as StoredMessage),
    }),
    order: [sql`n.created_at`, sql`n.id`],
  },
  {
    name: 'notification_settings',
    title: 'What you want to be told',
    tables: ['notification_subscriptions'],
    fields: sql`n.topic, n.channel, n.enabled, n.updated_at`,
    rows: ({ schoolId, userId }) => sql`
      from notification_subscriptions n where n.school_id = ${schoolId} and n.user_id = ${userId}`,
    order: [sql`n.updated_at`, sql`n.topic || ' ' || n.channel`],
  },
]

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
