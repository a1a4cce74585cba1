import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { couponKind, planKind, subscriptionKind } from '../../src/domain/commerce/offer-bulk.ts'
import { orderKind } from '../../src/domain/commerce/order-bulk.ts'
import { paymentKind } from '../../src/domain/commerce/payment-bulk.ts'
import {
  meetingKind,
  serviceKind,
  slotKind,
  studyGroupKind,
} from '../../src/domain/consulting/consulting-bulk.ts'
import { formKind } from '../../src/domain/content/content-bulk.ts'
import { registrationKind } from '../../src/domain/events/event-bulk.ts'
import { courseKind } from '../../src/domain/learning/course-bulk.ts'
import { progressKind } from '../../src/domain/learning/progress-bulk.ts'
import { notificationKind } from '../../src/domain/notifications/notification-bulk.ts'
import { EXAMPLE } from '../../src/domain/operation/operation.ts'
import { exportFrom, importInto } from '../support/bulk.ts'
import { addExamples } from '../support/example-school.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
let school: TestSchool

beforeEach(async () => {
  school = await world.aSchool()
  await addExamples(world, school)
})

const codesOf = (done: { errors: readonly { errors: readonly { code: string }[] }[] }) =>
  done.errors.map(({ errors }) => errors.map(({ code }) => code).join())

describe('offers', () => {
  test('the discount of an existing coupon cannot be changed', async () => {
    const rows = [
      { code: 'FIRST', percent_off: 90 },
      { code: 'BOTH', percent_off: 5, amount_off: 5, currency: 'USD' },
      { code: 'NONE' },
      { code: 'FIRST', max_redemptions: 5, percent_off: 10 },
    ]
    const done = await importInto(school, couponKind, rows)
    expect(codesOf(done)).toEqual(['fixed', 'inconsistent', 'inconsistent'])
    expect(done).toMatchObject({ updated: 1 })
  })

  test('an amount off is in the school’s own currency unless the row names one', async () => {
    const rows = [
      { code: 'OWN', amount_off: 500 },
      { code: 'EURO', amount_off: 500, currency: 'EUR' },
    ]
    expect(await importInto(school, couponKind, rows)).toMatchObject({ created: 2 })
    expect(await importInto(school, couponKind, rows)).toMatchObject({ unchanged: 2 })
    const coupons = await school.db
      .from('coupons')
      .innerJoin('schools', 'schools.id', 'coupons.school_id')
      .select(['code', 'coupons.currency', 'schools.currency as own'])
      .where('code', 'in', ['OWN', 'EURO'])
      .orderBy('code')
      .execute()
    expect(coupons.map(({ currency }) => currency)).toEqual(['EUR', coupons[0]?.own])
  })

  test('a plan with subscribers keeps its terms and may change its name', async () => {
    const rows = [
      { slug: 'studio', price_amount: 1 },
      { slug: 'studio', name: 'Atelier', price_amount: 1000 },
    ]
    expect(codesOf(await importInto(school, planKind, rows))).toEqual(['subscribed'])
    expect(JSON.parse(await exportFrom(school, planKind))).toMatchObject({
      name: 'Atelier',
      price_amount: 1000,
    })
  })

  test('a canceled subscription gets a time, and a member has one active subscription', async () => {
    const period = {
      plan_slug: 'studio',
      current_period_starts_at: '2027-01-01T00:00:00Z',
      current_period_ends_at: '2027-02-01T00:00:00Z',
    }
    const rows = [
      { external_id: '1', member_id: EXAMPLE.student, ...period },
      { external_id: '2', member_id: EXAMPLE.student, ...period, state: 'canceled' },
      { external_id: '2', state: 'canceled' },
    ]
    const done = await importInto(school, subscriptionKind, rows)
    expect(codesOf(done)).toEqual(['taken'])
    expect(done).toMatchObject({ created: 1, unchanged: 1 })
  })

  test('a state sets its time, and the next state clears it', async () => {
    await importInto(school, courseKind, [{ slug: 'second', state: 'archived' }])
    const stateOf = async () =>
      (await exportFrom(school, courseKind))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .find(({ slug }) => slug === 'second')
    expect(await stateOf()).toMatchObject({ state: 'archived', archived_at: expect.any(String) })
    await importInto(school, courseKind, [{ slug: 'second', state: 'published' }])
    expect(await stateOf()).toMatchObject({ archived_at: null, published_at: expect.any(String) })
  })
})

describe('events', () => {
  test('accept no more people than they have places, and the refused line is reported', async () => {
    const rows = []
    for (let n = 0; n < 6; n++) {
      const { email } = await world.aMember(school)
      rows.push({ event_slug: 'evening', member_email: email })
    }
    const done = await importInto(school, registrationKind, rows)
    // One of the five places was already taken.
    expect(done).toMatchObject({ created: 4, failed: 2 })
    expect(done.errors.map(({ line }) => line)).toEqual([5, 6])
    expect(codesOf(done)).toEqual(['full', 'full'])
    const freed = { event_slug: 'evening', member_id: EXAMPLE.student, state: 'canceled' }
    expect(await importInto(school, registrationKind, [freed, ...rows])).toMatchObject({
      updated: 1,
      unchanged: 4,
      created: 1,
      failed: 1,
    })
  })
})

describe('sales of other systems', () => {
  const orders = () => school.db.from('orders').selectAll().orderBy('number').execute()

  test('a payment with an unknown order creates the order, and a paid payment completes it', async () => {
    const attempt = { order_number: 'X-1', member_id: EXAMPLE.student, amount: 900 }
    const item = { kind: 'course', item_id: EXAMPLE.course }
    const rows = [
      {
        trade_no: 'X-1-1',
        ...attempt,
        state: 'expired',
        expires_at: '2026-01-01T00:00:00Z',
        payment_type: 'atm',
        bank_code: '808',
        lines: [{ title: 'First', unit_amount: 900, ...item }],
      },
      { trade_no: 'X-1-2', ...attempt, state: 'paid', created_at: '2026-01-02T00:00:00Z' },
    ]
    expect(await importInto(school, paymentKind, rows)).toMatchObject({ created: 2, failed: 0 })
    expect(await importInto(school, paymentKind, rows)).toMatchObject({ unchanged: 2, failed: 0 })
    const [, order] = await orders()
    expect(order).toMatchObject({
      number: 'X-1',
      state: 'completed',
      total_amount: 900,
      completed_at: new Date('2026-01-02T00:00:00Z'),
    })
    const items = await school.db
      .from('order_items')
      .selectAll()
      .where('order_id', '=', order?.id ?? '')
      .execute()
    expect(items).toMatchObject([{ title: 'First', course_id: EXAMPLE.course, quantity: 1 }])
  })

  test('a payment that contradicts itself, its order or another payment is refused', async () => {
    const attempt = { order_number: 'N-1', amount: 100 }
    const rows = [
      { trade_no: 'a', ...attempt, state: 'pending', paid_at: '2026-01-01T00:00:00Z' },
      { trade_no: 'b', ...attempt, state: 'expired' },
      { trade_no: 'c', ...attempt, refunding_state: 'requested' },
      { trade_no: 'd', ...attempt, member_id: EXAMPLE.newcomer },
      { trade_no: 'e', amount: 100 },
      { trade_no: 'f', order_number: 'unheard', amount: 100 },
      { trade_no: 'T-1', order_number: 'other' },
    ]
    const done = await importInto(school, paymentKind, rows)
    expect(codesOf(done)).toEqual([
      'inconsistent',
      'inconsistent',
      'inconsistent',
      'other_member',
      'required',
      'required',
      'fixed',
    ])
    expect(await orders()).toHaveLength(1)
  })

  test('a later row with the same trade number adds a refund', async () => {
    const refund = { trade_no: 'T-1', state: 'refunded', refunding_state: 'refunded' }
    const rows = [{ ...refund, refunded_amount: 4500, refunded_at: '2090-01-01T00:00:00Z' }]
    expect(await importInto(school, paymentKind, rows)).toMatchObject({ updated: 1 })
    expect(JSON.parse(await exportFrom(school, paymentKind))).toMatchObject({
      state: 'refunded',
      refunded_amount: 4500,
      refund_requested_at: '2090-01-01T00:00:00.000Z',
    })
  })

  test('an order redeems the coupons that it names', async () => {
    const order = { number: 'Y-1', member_id: EXAMPLE.student, state: 'open', total_amount: 1 }
    const rows = [
      { ...order, coupon_codes: ['SECOND', 'FIRST'] },
      { ...order, number: 'Y-2', coupon_codes: ['NOPE'] },
    ]
    const done = await importInto(school, orderKind, rows)
    expect(done).toMatchObject({ created: 1, failed: 1 })
    expect(codesOf(done)).toEqual(['unknown_reference'])
    expect(await importInto(school, orderKind, rows.slice(0, 1))).toMatchObject({ unchanged: 1 })
    await importInto(school, orderKind, [{ number: 'Y-1', coupon_codes: [] }])
    const codes = (await exportFrom(school, couponKind))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).redemption_count)
    expect(codes).toEqual([1, 0])
  })
})

describe('progress of students', () => {
  test('sets the last lecture of the enrollment, and counts as a day of learning', async () => {
    const about = { student_id: EXAMPLE.student, state: 'read' }
    const rows = [
      { ...about, lecture_id: EXAMPLE.secondLecture, updated_at: '2091-05-02T08:00:00Z' },
      { ...about, lecture_id: EXAMPLE.lecture, updated_at: '2091-05-01T08:00:00Z' },
    ]
    const done = await importInto(school, progressKind, rows)
    expect(done).toMatchObject({ created: 1, updated: 1, failed: 0 })
    expect(await importInto(school, progressKind, rows)).toMatchObject({ unchanged: 2 })
    const [enrollment] = await school.db.from('enrollments').selectAll().execute()
    expect(enrollment).toMatchObject({
      last_lecture_id: EXAMPLE.secondLecture,
      last_watched_at: new Date('2091-05-02T08:00:00Z'),
    })
    const { rows: days } = await school.db.run(sql<{ day: string }>`
      select day from learning_days where school_id = ${school.id} and day > '2091-01-01' order by 1`)
    expect(days.map(({ day }) => day)).toEqual(['2091-05-01', '2091-05-02'])
  })

  test('of two lectures at the same time sets the same last lecture in either order', async () => {
    const at = { student_id: EXAMPLE.student, state: 'read', position_seconds: 7 }
    const both = [EXAMPLE.lecture, EXAMPLE.secondLecture]
    for (const [day, lectures] of [both, both.toReversed()].entries()) {
      const updated_at = `2091-06-0${day + 1}T08:00:00.000Z`
      for (const lecture_id of lectures) {
        await importInto(school, progressKind, [{ ...at, lecture_id, updated_at }])
      }
      const [enrollment] = await school.db.from('enrollments').selectAll().execute()
      expect(enrollment).toMatchObject({
        last_lecture_id: both.toSorted()[0],
        last_watched_at: new Date(updated_at),
      })
    }
  })

  test('is refused for a student who is not enrolled', async () => {
    const rows = [{ student_id: EXAMPLE.newcomer, lecture_id: EXAMPLE.lecture, state: 'read' }]
    expect(codesOf(await importInto(school, progressKind, rows))).toEqual(['not_enrolled'])
  })
})

describe('notifications of members', () => {
  test('have no URL that runs a script or leaves for another host, and no read time before they are sent', async () => {
    const notification = { member_id: EXAMPLE.student, title: 'T' }
    const rows = [
      { external_id: '1', ...notification, url: 'javascript:alert(1)' },
      { external_id: '2', ...notification, url: '//evil.test/' },
      {
        external_id: '3',
        ...notification,
        created_at: '2027-01-02T00:00:00Z',
        read_at: '2027-01-01T00:00:00Z',
      },
    ]
    const done = await importInto(school, notificationKind, rows)
    expect(done).toMatchObject({ created: 0, failed: 3 })
  })
})

describe('consulting', () => {
  test('seats and rosters name people by email, and a class has no seats', async () => {
    const { email, id } = await world.aMember(school)
    await importInto(school, serviceKind, [{ external_id: 's', title: 'Coaching' }])
    await importInto(school, studyGroupKind, [
      { external_id: 'g', name: 'Group', member_emails: [email.toUpperCase()] },
    ])
    const times = { starts_at: '2027-02-01T09:00:00Z', ends_at: '2027-02-01T10:00:00Z' }
    const rows = [
      { external_id: '1', service_external_id: 's', member_emails: [email], ...times },
      { external_id: '2', study_group_external_id: 'g', ...times },
      { external_id: '3', study_group_external_id: 'g', member_emails: [email], ...times },
      { external_id: '4', service_external_id: 's', member_emails: ['no@body.test'], ...times },
      { external_id: '5', ...times },
      { external_id: '6', service_external_id: 'unheard', ...times },
    ]
    const done = await importInto(school, meetingKind, rows)
    expect(codesOf(done)).toEqual([
      'study_group',
      'unknown_reference',
      'one_of',
      'unknown_reference',
    ])
    expect(done).toMatchObject({ created: 2 })
    const meetings = (await exportFrom(school, meetingKind))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(meetings.find(({ kind }) => kind === 'consulting')).toMatchObject({
      title: 'Coaching',
      member_ids: [id],
    })
  })

  test('a service gets no host who is not a member, also when it is changed', async () => {
    await school.db.run(sql`
      update school_members set roles = '{}'
      where school_id = ${school.id} and user_id = ${EXAMPLE.student}`)
    const service = { external_id: 's', title: 'Coaching', host_id: EXAMPLE.lecturer }
    expect(await importInto(school, serviceKind, [service])).toMatchObject({ created: 1 })
    const changed = await importInto(school, serviceKind, [
      { ...service, host_id: EXAMPLE.student },
    ])
    expect(codesOf(changed)).toEqual(['unknown_reference'])
  })

  test('a service has each slot once', async () => {
    await importInto(school, serviceKind, [{ external_id: 's', title: 'Coaching' }])
    const time = { service_external_id: 's', weekday: 2, starts_at: '10:00', duration_minutes: 30 }
    const rows = [
      { external_id: '1', ...time },
      { external_id: '2', ...time },
    ]
    expect(codesOf(await importInto(school, slotKind, rows))).toEqual(['taken'])
  })
})

describe('forms', () => {
  test('with questions are open and without are drafts, unless the row says otherwise', async () => {
    const question = { name: 'q', label: 'How was it?', kind: 'text', required: true }
    const rows = [
      { slug: 'asks', title: 'Asks', fields: [question] },
      { slug: 'asks-nothing', title: 'Asks nothing' },
    ]
    expect(await importInto(school, formKind, rows)).toMatchObject({ created: 2 })
    const forms = await school.db
      .from('forms')
      .select(['slug', 'state'])
      .where('slug', 'like', 'asks%')
      .orderBy('slug')
      .execute()
    expect(forms.map(({ state }) => state)).toEqual(['open', 'draft'])
  })
})

describe('people who left', () => {
  test('get no notifications, by their id or by their email', async () => {
    const email = await emailOf(EXAMPLE.student)
    await school.db.run(sql`
      update school_members set roles = '{}'
      where school_id = ${school.id} and user_id = ${EXAMPLE.student}`)
    const rows = [
      { external_id: 'a', member_email: email, title: 'By email' },
      { external_id: 'b', member_id: EXAMPLE.student, title: 'By id' },
      { external_id: 'c', member_email: await emailOf(EXAMPLE.newcomer), title: 'To a member' },
    ]
    const done = await importInto(school, notificationKind, rows)
    expect(done).toMatchObject({ created: 1, failed: 2 })
    expect(codesOf(done)).toEqual(['unknown_reference', 'unknown_reference'])
    expect(done.errors[0]?.errors).toMatchObject([{ pointer: '/member_id' }])
  })

  test('get no seat, no group and no new payment, and keep what they had', async () => {
    const { student, newcomer } = EXAMPLE
    const group = { external_id: 'g', name: 'Group', member_ids: [student] }
    expect(await importInto(school, studyGroupKind, [group])).toMatchObject({ created: 1 })
    await school.db.run(sql`
      update school_members set roles = '{}'
      where school_id = ${school.id} and user_id = ${student}`)
    const kept = { ...group, member_ids: [student, newcomer] }
    expect(await importInto(school, studyGroupKind, [kept])).toMatchObject({ updated: 1 })
    const service = { external_id: 'coaching', title: 'Coaching' }
    await importInto(school, serviceKind, [service])
    const times = { starts_at: '2027-02-01T09:30:00Z', ends_at: '2027-02-01T10:15:00Z' }
    for (const [kind, row] of [
      [studyGroupKind, { external_id: 'h', name: 'Other', member_ids: [newcomer, student] }],
      [
        meetingKind,
        { external_id: 'm', service_external_id: 'coaching', ...times, member_ids: [student] },
      ],
      [paymentKind, { trade_no: 'T-9', order_number: 'N-9', member_id: student, amount: 5 }],
    ] as const) {
      const done = await importInto(school, kind, [row])
      expect([kind.name, ...codesOf(done)]).toEqual([kind.name, 'unknown_reference'])
    }
  })

  async function emailOf(id: string): Promise<string> {
    const { rows } = await school.db.run(sql<{ email: string }>`
      select email from users where id = ${id}`)
    return rows[0]?.email ?? ''
  }
})
