import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { testDatabase } from '../support/database.ts'
import { demoDatabase } from '../support/demo-database.ts'
import { at, count, person, rowOf, rowsOf } from './queries.ts'

const { db } = await testDatabase(await demoDatabase())

describe('Ada at demo', () => {
  const mine = sql`school_id = ${at('demo')} and user_id = ${person('ada')}`

  verifies('demo.ada', 'enrollments without an end, with an end, ended and revoked', async () => {
    const row = await rowOf(
      db,
      sql<Record<'alive' | 'life' | 'ending' | 'ended' | 'withdrawn', number>>`
        select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > now())) as alive,
          count(*) filter (where revoked_at is null and expires_at is null) as life,
          count(*) filter (where expires_at > now()) as ending,
          count(*) filter (where expires_at <= now()) as ended,
          count(*) filter (where revoked_at is not null) as withdrawn
        from enrollments where ${mine}`,
    )
    expect(row.alive).toBeGreaterThanOrEqual(5)
    expect(row.life).toBeGreaterThanOrEqual(2)
    expect(row.ending).toBeGreaterThanOrEqual(2)
    expect(row.ended).toBeGreaterThanOrEqual(1)
    expect(row.withdrawn).toBeGreaterThanOrEqual(1)
  })

  verifies(
    'demo.ada',
    'a long course with lectures in all three states, locked lectures of both kinds and a last position',
    async () => {
      const row = await rowOf(
        db,
        sql<Record<string, number>>`
        select count(*) as lectures, count(distinct l.section_id) as sections,
          count(*) filter (where p.state = 'completed') as completed,
          count(*) filter (where p.state = 'read') as read,
          count(*) filter (where p.state is null) as unread,
          count(*) filter (where l.unlock_at > now()) as locked_by_date,
          count(*) filter (where e.enrolled_at + make_interval(days => l.unlock_after_days) > now()) as locked_by_days,
          count(*) filter (where l.unlock_at <= now()) as opened_by_date,
          count(*) filter (where e.enrolled_at + make_interval(days => l.unlock_after_days) <= now()) as opened_by_days,
          count(*) filter (where p.state is not null and (l.unlock_at > now()
            or e.enrolled_at + make_interval(days => l.unlock_after_days) > now())) as locked_but_read,
          max(e.last_position_seconds) as position,
          count(*) filter (where l.id = e.last_lecture_id and e.last_position_seconds < l.duration_seconds) as last
        from enrollments e join courses c on c.school_id = e.school_id and c.id = e.course_id
          join lectures l on l.school_id = e.school_id and l.course_id = e.course_id
          left join lecture_progress p on p.school_id = e.school_id and p.user_id = e.user_id and p.lecture_id = l.id
        where e.school_id = ${at('demo')} and e.user_id = ${person('ada')} and c.slug = 'practical-typescript'`,
      )
      expect(row).toMatchObject({ lectures: 48, sections: 8, locked_but_read: 0, last: 1 })
      for (const kind of [
        'completed',
        'read',
        'unread',
        'locked_by_date',
        'locked_by_days',
        'opened_by_date',
        'opened_by_days',
        'position',
      ]) {
        expect(row[kind], kind).toBeGreaterThan(0)
      }
    },
  )

  verifies('demo.ada', 'payments in every state of every type that can have it', async () => {
    const rows = await rowsOf(
      db,
      sql<{ kind: string; n: number }>`
        select concat_ws(' ', case when state = 'pending' and expires_at <= now() then 'expired' else state end,
            coalesce(payment_type, 'no-type')) as kind, count(*) as n
        from payments where ${mine} group by 1`,
    )
    const kinds = new Map(rows.map(({ kind, n }) => [kind, n]))
    const types = ['credit_card', 'atm', 'convenience_store']
    for (const state of ['pending', 'paid', 'failed', 'expired', 'refunded']) {
      for (const type of types)
        expect(kinds.get(`${state} ${type}`), `${state} ${type}`).toBeGreaterThan(0)
    }
    expect(kinds.get('paid free')).toBeGreaterThan(0)
    expect(
      kinds.get('pending no-type'),
      'abandoned, hidden from the member',
    ).toBeGreaterThanOrEqual(2)
    expect(kinds.get('expired no-type'), 'abandoned, shown to the member').toBeGreaterThanOrEqual(2)
    const visible = rows.reduce((sum, { n }) => sum + n, 0) - (kinds.get('pending no-type') ?? 0)
    expect(visible).toBeGreaterThanOrEqual(70)
  })

  verifies(
    'demo.ada',
    'refunds, installments, coupons, promotions, invoices and retries',
    async () => {
      const refunds = await rowsOf(
        db,
        sql<{
          state: string
        }>`select distinct refunding_state as state from payments where ${mine} order by 1`,
      )
      expect(refunds.map(({ state }) => state)).toEqual([
        'none',
        'partially_refunded',
        'refunded',
        'rejected',
        'requested',
      ])
      const row = await rowOf(
        db,
        sql<Record<string, number>>`
        select count(*) filter (where installment_count is not null) as installments,
          count(*) filter (where exists (select from payment_adjustments a
            where a.payment_id = p.id and a.kind = 'coupon')) as coupons,
          count(*) filter (where exists (select from payment_adjustments a
            where a.payment_id = p.id and a.kind = 'promotion')) as promotions,
          count(*) filter (where exists (select from invoices i where i.payment_id = p.id)) as invoices,
          count(*) filter (where paid_at is not null
            and not exists (select from invoices i where i.payment_id = p.id)) as paid_without_invoice,
          count(*) filter (where (select count(*) from payments o where o.order_id = p.order_id) > 1) as attempts,
          count(*) filter (where (select count(*) from payment_lines l where l.payment_id = p.id) > 1) as several_lines,
          count(*) filter (where not exists (select from payment_lines l where l.payment_id = p.id)) as no_lines,
          count(*) - count(distinct created_at) as twins,
          count(*) filter (where payment_type in ('atm', 'convenience_store')
            and (bank_code is null or bank_name is null or code_no is null or expires_at is null)) as no_instructions
        from payments p where ${mine}`,
      )
      expect(row).toMatchObject({ no_lines: 0, no_instructions: 0 })
      for (const kind of [
        'installments',
        'coupons',
        'promotions',
        'invoices',
        'paid_without_invoice',
        'attempts',
        'several_lines',
        'twins',
      ]) {
        expect(row[kind], kind).toBeGreaterThan(0)
      }
    },
  )

  test('every payment adds up: lines and adjustments make its amount', async () => {
    const wrong = await count(
      db,
      sql<{ n: number }>`
        select count(*) as n from payments p
        where p.amount <> (select sum(amount) from payment_lines l where l.school_id = p.school_id and l.payment_id = p.id)
          + coalesce((select sum(amount) from payment_adjustments a where a.school_id = p.school_id and a.payment_id = p.id), 0)
          or p.currency <> (select currency from schools where id = p.school_id)
          or p.expires_at <= p.created_at
          or (p.payment_type = 'free') <> (p.amount = 0)`,
    )
    expect(wrong).toBe(0)
  })

  verifies('demo.ada', 'past and future meetings in all states, by seat and by group', async () => {
    const rows = await rowsOf(
      db,
      sql<{ kind: string; n: number }>`
        select concat_ws(' ', case when starts_at > now() then 'coming' else 'past' end, state,
            case when study_group_id is null then 'seat' else 'class' end) as kind, count(*) as n
        from consulting_meetings m where school_id = ${at('demo')} and (
          exists (select from meeting_seats s where s.meeting_id = m.id and s.user_id = ${person('ada')})
          or exists (select from study_group_members g
            where g.group_id = m.study_group_id and g.user_id = ${person('ada')}))
        group by 1`,
    )
    const kinds = new Map(rows.map(({ kind, n }) => [kind, n]))
    for (const time of ['past', 'coming']) {
      for (const kind of ['available seat', 'scheduled seat', 'canceled seat', 'available class']) {
        expect(kinds.get(`${time} ${kind}`), `${time} ${kind}`).toBeGreaterThan(0)
      }
    }
    expect([...kinds.keys()].filter((kind) => kind.endsWith('class')).toSorted()).toEqual([
      'coming available class',
      'past available class',
    ])
    expect(rows.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThanOrEqual(70)
  })

  test('ended, canceled and current meetings have a stored room URL, which the APIs must hide', async () => {
    const row = await rowOf(
      db,
      sql<Record<string, number>>`
        select count(*) filter (where room_url = '') as roomless,
          count(*) filter (where starts_at <= now() and ends_at > now() and state <> 'canceled') as now,
          count(*) - count(distinct starts_at) as same_start
        from consulting_meetings m where school_id = ${at('demo')}`,
    )
    expect(row.roomless).toBe(0)
    expect(row.now).toBeGreaterThan(0)
    expect(row.same_start).toBeGreaterThan(0)
  })

  test('the services offered to her have slots and meetings of other people', async () => {
    const rows = await rowsOf(
      db,
      sql<{ title: string; slots: number; others: number }>`
        select s.title, (select count(*) from consulting_slots t where t.service_id = s.id) as slots,
          (select count(*) from consulting_meetings m where m.service_id = s.id
             and exists (select from meeting_seats x where x.meeting_id = m.id)
             and not exists (select from meeting_seats x where x.meeting_id = m.id and x.user_id = ${person('ada')})) as others
        from consulting_services s where s.school_id = ${at('demo')} and exists (
          select from consulting_service_courses c join enrollments e
            on e.school_id = c.school_id and e.course_id = c.course_id and e.user_id = ${person('ada')}
          where c.service_id = s.id and e.revoked_at is null and (e.expires_at is null or e.expires_at > now()))`,
    )
    expect(rows.length).toBeGreaterThanOrEqual(3)
    for (const { slots } of rows) expect(slots).toBeGreaterThan(0)
    expect(rows.filter(({ others }) => others > 5).length).toBeGreaterThanOrEqual(2)
    expect(rows.map(({ title }) => title)).not.toContain('Critique Table')
  })

  verifies('demo.ada', 'products, events, notifications and subscriptions', async () => {
    const row = await rowOf(
      db,
      sql<Record<string, number>>`
        select (select count(*) from digital_product_accesses where ${mine} and revoked_at is null) as products,
          (select count(*) from digital_product_accesses where ${mine} and revoked_at is not null) as withdrawn,
          (select count(distinct state) from event_registrations where ${mine}) as registration_states,
          (select count(*) from event_registrations r join events e on e.id = r.event_id
             where r.school_id = ${at('demo')} and r.user_id = ${person('ada')} and e.starts_at > now()) as coming,
          (select count(*) from notifications where ${mine}) as notifications,
          (select count(*) from notifications where ${mine} and read_at is null) as unread,
          (select count(*) from notification_subscriptions where ${mine} and not enabled) as muted,
          (select count(*) from subscriptions where ${mine} and state = 'active') as plans`,
    )
    expect(row).toMatchObject({ registration_states: 3, plans: 1, withdrawn: 1 })
    expect(row.products).toBeGreaterThanOrEqual(4)
    expect(row.coming).toBeGreaterThanOrEqual(2)
    expect(row.notifications).toBeGreaterThanOrEqual(12)
    expect(row.unread).toBeGreaterThanOrEqual(5)
    expect(row.muted).toBeGreaterThan(0)
  })
})
