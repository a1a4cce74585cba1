import type pg from 'pg'
import { connect } from './postgres.ts'

/** Enough that reading all rows of a table is told from reading a page. */
export const PEOPLE = 4000
/** So many courses are used; a school that sells single lessons has as many as people. */
const COURSES = 50

/** A family name of every eighth, one of a single person, and a name in Chinese letters. */
const NAME = `case when i % 8 = 0 then 'Chen ' || i when i = 777 then 'Zebedee Quill'
  when i % 1000 = 5 then '山田 ' || i else 'Person ' || md5(i::text) end`

const id = (kind: string, number = 'i') => `md5('${kind}' || ${number} || $1::text)::uuid`
const when = `timestamptz '2024-01-01Z' + i * interval '1 minute'`
const from = (count: number) => `from generate_series(1, ${count}) i`

/**
 * Rows of the tables that grow with a school, as COPY would load them, in the order of their
 * references.
 */
const INSERTS: readonly string[] = [
  `insert into users (id, email, name)
   select ${id('person')}, 'p' || i || '-' || left($1::text, 8) || '@people.test', ${NAME} ${from(PEOPLE)}`,
  `insert into school_members (school_id, user_id, roles, joined_at, signed_in_at, typed_name)
   select $1::uuid, ${id('person')}, '{student}', ${when}, case when i % 2 = 0 then now() end, ${NAME} ${from(PEOPLE)}`,
  `insert into courses (school_id, id, slug, title, currency, created_at, state, published_at, archived_at)
   select $1::uuid, ${id('course')}, 'course-' || i, 'Course ' || i, 'TWD', ${when},
     case i % 500 when 101 then 'draft' when 102 then 'archived' else 'published' end,
     case when i % 500 <> 101 then ${when} end, case when i % 500 = 102 then ${when} end ${from(PEOPLE)}`,
  `insert into posts (school_id, id, slug, title, state, published_at, created_at, updated_at)
   select $1::uuid, ${id('post')}, 'post-' || i, 'Post ' || i, case i % 500 when 1 then 'draft' else 'published' end,
     case when i % 500 <> 1 then ${when} end, ${when}, ${when} ${from(PEOPLE)}`,
  `insert into sections (school_id, id, course_id, position, title)
   select $1::uuid, ${id('section')}, ${id('course')}, 0, 'All' ${from(COURSES)}`,
  `insert into lectures (school_id, id, course_id, section_id, position, title)
   select $1::uuid, ${id('lecture')}, ${id('course')}, ${id('section')}, 0, 'Only' ${from(COURSES)}`,
  `insert into enrollments (school_id, id, course_id, user_id, source, enrolled_at, created_at, expires_at, revoked_at)
   select $1::uuid, ${id('enrollment')}, ${id('course', `(1 + i % ${COURSES})`)}, ${id('person')}, 'purchase', ${when}, ${when},
     case when i % 500 = 1 then ${when} + interval '1 day' end, case when i % 500 = 2 then now() end ${from(PEOPLE)}`,
  `insert into orders (school_id, id, number, user_id, state, total_amount, currency, completed_at, created_at)
   select $1::uuid, ${id('order')}, 'ORD-' || lpad(i::text, 7, '0'), ${id('person')},
     case i % 500 when 1 then 'open' when 2 then 'canceled' else 'completed' end, i, 'TWD',
     case when i % 500 not in (1, 2) then ${when} end, ${when} ${from(PEOPLE)}`,
  `insert into payments (school_id, id, order_id, user_id, trade_no, amount, currency, state, created_at, paid_at, expires_at,
     refunding_state, refund_requested_at, refunded_at)
   select $1::uuid, ${id('payment')}, ${id('order')}, ${id('person')}, 'T' || lpad(i::text, 9, '0'), i, 'TWD', state, ${when},
     case when state in ('paid', 'refunded') then ${when} end, case when i % 500 = 2 then ${when} end,
     case state when 'refunded' then 'refunded' else 'none' end, case state when 'refunded' then now() end,
     case state when 'refunded' then now() end
   from (select i, case i % 500 when 1 then 'pending' when 2 then 'pending' when 3 then 'failed' when 4 then 'refunded'
     else 'paid' end as state ${from(PEOPLE)}) i`,
  `insert into coupons (school_id, id, code, percent_off, max_redemptions, archived_at, created_at)
   select $1::uuid, ${id('coupon')}, 'C' || upper(md5(i::text)), 10, case when i % 500 = 2 then 1 else 10 end,
     case when i % 500 = 1 then now() end, ${when} ${from(PEOPLE)}`,
  `insert into coupon_redemptions (school_id, id, coupon_id, order_id, user_id)
   select $1::uuid, ${id('redemption')}, ${id('coupon')}, ${id('order')}, ${id('person')} ${from(PEOPLE)}`,
  `insert into comments (school_id, id, lecture_id, user_id, body, created_at, hidden_at)
   select $1::uuid, ${id('comment')}, ${id('lecture', `(1 + i % ${COURSES})`)}, ${id('person')},
     case when i = 777 then 'a xylophone, 木琴' else 'Words ' || md5(i::text) end, ${when},
     case when i % 500 = 1 then now() end ${from(PEOPLE)}`,
  `insert into membership_plans (school_id, id, slug, name, interval, price_amount, currency)
   values ($1::uuid, md5('plan' || $1::text)::uuid, 'all', 'All', 'month', 1, 'TWD')`,
  `insert into subscriptions (school_id, id, plan_id, user_id, state, current_period_starts_at, current_period_ends_at,
     cancel_at_period_end, created_at, canceled_at)
   select $1::uuid, ${id('subscription')}, md5('plan' || $1::text)::uuid, ${id('person')},
     case i % 500 when 1 then 'past_due' when 2 then 'canceled' else 'active' end, ${when}, ${when} + interval '30 days',
     i % 500 = 3, ${when}, case i % 500 when 2 then now() end ${from(PEOPLE)}`,
  `insert into notifications (school_id, id, user_id, kind, title, created_at)
   select $1::uuid, ${id('notification')}, ${id('person')}, 'announcement', 'News', ${when} ${from(PEOPLE)}`,
  `insert into study_groups (school_id, id, name) values ($1::uuid, md5('group' || $1::text)::uuid, 'Large class')`,
  `insert into study_group_members (school_id, group_id, user_id, joined_at)
   select $1::uuid, md5('group' || $1::text)::uuid, ${id('person')}, ${when} ${from(PEOPLE)}`,
  `insert into consulting_meetings (school_id, id, study_group_id, title, starts_at, ends_at, created_at)
   select $1::uuid, ${id('meeting')}, md5('group' || $1::text)::uuid, 'Class ' || i, ${when}, ${when} + interval '1 hour', ${when}
   ${from(PEOPLE)}`,
]

/** Fills the tables of a school and tells PostgreSQL how large they are. */
export async function fillSchool(connection: pg.ClientConfig, schoolId: string): Promise<void> {
  const client = await connect(connection)
  try {
    for (const insert of INSERTS) await client.query(insert, [schoolId])
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
