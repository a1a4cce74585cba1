import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { demoDatabase } from '../support/demo-database.ts'
import { at, count, person, rowOf, rowsOf } from './queries.ts'

const { db } = await testDatabase(await demoDatabase())

describe('other rows', () => {
  test('Ada has data at the other schools too; slugs are the same there, trade numbers differ', async () => {
    for (const subdomain of ['harbor', 'heritage']) {
      const mine = sql`school_id = ${at(subdomain)} and user_id = ${person('ada')}`
      const row = await rowOf(
        db,
        sql<Record<string, number>>`
          select (select count(*) from enrollments where ${mine}) as courses,
            (select count(*) from payments where ${mine}) as payments,
            (select count(*) from meeting_seats where ${mine}) as seats,
            (select count(*) from study_group_members where ${mine}) as groups,
            (select count(*) from notifications where ${mine}) as notifications,
            (select count(*) from courses c join courses d on d.slug = c.slug and d.title <> c.title
               where c.school_id = ${at(subdomain)} and d.school_id = ${at('demo')}) as collisions`,
      )
      expect(row.courses).toBeGreaterThanOrEqual(4)
      expect(row.payments).toBeGreaterThanOrEqual(40)
      expect(row.seats).toBeGreaterThanOrEqual(15)
      expect(row.groups).toBe(1)
      expect(row.notifications).toBeGreaterThanOrEqual(4)
      expect(row.collisions).toBeGreaterThanOrEqual(2)
    }
    const shared = await count(
      db,
      sql<{ n: number }>`select count(*) - count(distinct trade_no) as n from payments`,
    )
    expect(shared).toBe(0)
  })

  test('Ada and Ben share no course, product, event, meeting or study group', async () => {
    const shared = async (column: string, table: string) =>
      count(
        db,
        sql<{ n: number }>`
          select count(*) as n from ${sql.table(table)} a join ${sql.table(table)} b
            on b.school_id = a.school_id and b.${sql.ref(column)} = a.${sql.ref(column)}
          where a.user_id = ${person('ada')} and b.user_id = ${person('ben')}`,
      )
    expect(await shared('course_id', 'enrollments')).toBe(0)
    expect(await shared('product_id', 'digital_product_accesses')).toBe(0)
    expect(await shared('event_id', 'event_registrations')).toBe(0)
    expect(await shared('meeting_id', 'meeting_seats')).toBe(0)
    expect(await shared('group_id', 'study_group_members')).toBe(0)
  })

  test('every table that an admin page lists has rows', async () => {
    const tables = [
      'appearances',
      'comments',
      'coupons',
      'coupon_redemptions',
      'events',
      'forms',
      'form_submissions',
      'learning_days',
      'lecturers',
      'course_lecturers',
      'membership_plans',
      'membership_plan_courses',
      'subscriptions',
      'orders',
      'order_items',
      'pages',
      'posts',
      'digital_products',
      'study_groups',
    ] as const
    for (const table of tables) {
      const schools = await count(
        db,
        sql<{ n: number }>`select count(distinct school_id) as n from ${sql.table(table)}`,
      )
      expect(schools, table).toBe(3)
    }
  })

  test('coupons and events do not exceed their limits', async () => {
    const over = await rowsOf(
      db,
      sql<{ name: string }>`
        select c.code as name from coupons c where
          (select count(*) from coupon_redemptions r where r.coupon_id = c.id) > c.max_redemptions
          or exists (select from coupon_redemptions r where r.coupon_id = c.id
            group by r.user_id having count(*) > c.max_per_member)
        union all
        select e.slug from events e where e.capacity <
          (select count(*) from event_registrations r where r.event_id = e.id and r.state <> 'canceled')`,
    )
    expect(over).toEqual([])
    const full = await count(
      db,
      sql<{ n: number }>`
        select count(*) as n from events e where e.capacity =
          (select count(*) from event_registrations r where r.event_id = e.id and r.state <> 'canceled')`,
    )
    expect(full).toBeGreaterThan(0)
  })

  test('learning days cover three months', async () => {
    const row = await rowOf(
      db,
      sql<{ days: number; members: number }>`
        select count(distinct day) as days, count(distinct user_id) as members
        from learning_days where school_id = ${at('demo')} and day > current_date - 91`,
    )
    expect(row.days).toBeGreaterThanOrEqual(80)
    expect(row.members).toBeGreaterThanOrEqual(20)
  })
})
