import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { addExamples, clearExamples } from '../../support/example-school.ts'
import { sharedWorld, type TestSchool, type World } from '../../support/world.ts'

let world: World
let school: TestSchool
let operator: OperatorClient

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
  operator = await anOperator(world, school)
})

beforeEach(async () => {
  await clearExamples(school)
  await addExamples(world, school)
})

describe('courses and curriculum', () => {
  test('a course with enrollments cannot be removed', async () => {
    const answer = await operator.send('DELETE', `/courses/${EXAMPLE.course}`)
    expect(answer.statusCode).toBe(409)
    expect(answer.json().reason).toBe('in_use')
  })

  test('new sections and lectures go to the end, also when many are added at once', async () => {
    const path = `/courses/${EXAMPLE.course}/sections`
    const titles = ['C', 'D', 'E', 'F']
    const made = await Promise.all(titles.map((title) => operator.post(path, { title })))
    expect(made.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201])
    const { data } = (await operator.get(path)).json()
    expect(data.map(({ position }: { position: number }) => position)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('reordering moves lectures between sections, and requires the whole outline', async () => {
    const path = `/courses/${EXAMPLE.course}/curriculum`
    const both = [EXAMPLE.secondLecture, EXAMPLE.lecture]
    const wanted = [
      { id: EXAMPLE.secondSection, lecture_ids: both },
      { id: EXAMPLE.section, lecture_ids: [] },
    ]
    const answer = await operator.post(`${path}/reorder`, { sections: wanted })
    const { sections } = answer.json()
    expect(sections.map(({ id }: { id: string }) => id)).toEqual(wanted.map(({ id }) => id))
    expect(sections[0].lectures.map(({ id }: { id: string }) => id)).toEqual(both)
    const incomplete = await operator.post(`${path}/reorder`, { sections: wanted.slice(0, 1) })
    expect(incomplete.statusCode).toBe(422)
    const stale = await operator.post(
      `${path}/reorder`,
      { sections: wanted },
      { 'if-match': '"1"' },
    )
    expect(stale.statusCode).toBe(412)
  })

  test('a lecture drips by days or at a date, never both', async () => {
    const path = `/lectures/${EXAMPLE.lecture}`
    await operator.patch(path, { unlock_after_days: 3 })
    const dated = (await operator.patch(path, { unlock_at: '2027-03-01T09:00:00Z' })).json()
    expect(dated).toMatchObject({ unlock_after_days: null, unlock_at: '2027-03-01T09:00:00.000Z' })
    const both = { unlock_after_days: 3, unlock_at: '2027-03-01T09:00:00Z' }
    const refused = await operator.patch(path, both)
    expect(refused.statusCode).toBe(422)
    expect(refused.json().errors).toMatchObject([{ pointer: '/unlock_at', code: 'inconsistent' }])
  })
})

describe('enrollments', () => {
  const grant = { student_id: EXAMPLE.student, course_id: EXAMPLE.course }

  test('a student is not enrolled twice; after revoking, a new grant restores the same enrollment', async () => {
    expect((await operator.post('/enrollments', grant)).json().reason).toBe('already_enrolled')
    const revoked = await operator.post(`/enrollments/${EXAMPLE.enrollment}/revoke`)
    expect(revoked.json()).toMatchObject({ state: 'revoked' })
    const again = await operator.post('/enrollments', grant)
    expect(again.json()).toMatchObject({
      id: EXAMPLE.enrollment,
      state: 'active',
      revoked_at: null,
    })
    const progress = (await operator.get(`/enrollments/${EXAMPLE.enrollment}/progress`)).json()
    expect(progress).toMatchObject({ completed_lectures: 1, total_lectures: 2, percent: 50 })
  })

  test('a past end and a person who is not a student are refused with the field', async () => {
    const past = await operator.patch(`/enrollments/${EXAMPLE.enrollment}`, {
      expires_at: '2020-01-01T00:00:00Z',
    })
    expect(past.json().errors).toMatchObject([{ pointer: '/expires_at', code: 'in_the_past' }])
    const lecturer = await operator.post('/enrollments', { ...grant, student_id: EXAMPLE.lecturer })
    expect(lecturer.json().errors).toMatchObject([{ pointer: '/student_id' }])
  })

  test('expanding requires the scope of the expanded object', async () => {
    const narrow = await anOperator(world, school, { scopes: 'students:read' })
    const path = `/enrollments/${EXAMPLE.enrollment}?expand=student,course`
    const refused = await narrow.get(path)
    expect(refused.statusCode).toBe(403)
    expect(refused.headers['www-authenticate']).toContain('courses:read')
    expect((await operator.get(path)).json()).toMatchObject({
      student: { id: EXAMPLE.student },
      course: { id: EXAMPLE.course },
    })
    const bracketed = `/enrollments/${EXAMPLE.enrollment}?expand[]=student&expand[]=course`
    expect((await narrow.get(bracketed)).statusCode).toBe(403)
    expect((await operator.get(bracketed)).json()).toMatchObject({
      student: { id: EXAMPLE.student },
      course: { id: EXAMPLE.course },
    })
  })
})

describe('sales', () => {
  test('an end before the start is refused at the end field, in a create and in a change', async () => {
    const window = { starts_at: '2027-02-01T00:00:00Z', ends_at: '2027-01-01T00:00:00Z' }
    const wrong = [{ pointer: '/ends_at', code: 'inconsistent' }]
    const coupon = { code: 'BACKWARDS', percent_off: 5, ...window }
    expect((await operator.post('/coupons', coupon)).json().errors).toMatchObject(wrong)
    const early = { ends_at: '2001-01-01T00:00:00Z' }
    expect((await operator.patch(`/events/${EXAMPLE.event}`, early)).json().errors).toMatchObject(
      wrong,
    )
  })

  test('an amount off is in the currency of the school unless one is given', async () => {
    const own = (await operator.get('/school')).json().currency
    const made = await operator.post('/coupons', { code: 'OWN-MONEY', amount_off: 500 })
    expect(made.json()).toMatchObject({ amount_off: 500, currency: own, percent_off: null })
    const percent = { code: 'NO-MONEY', percent_off: 5, currency: own }
    expect((await operator.post('/coupons', percent)).json().errors).toMatchObject([
      { pointer: '/currency', code: 'inconsistent' },
    ])
  })

  test('a plan with subscribers keeps its terms, and a coupon its discount', async () => {
    const plan = await operator.patch(`/membership-plans/${EXAMPLE.plan}`, { price_amount: 1 })
    expect(plan.json().reason).toBe('subscribed')
    const coupon = await operator.patch(`/coupons/${EXAMPLE.coupon}`, { percent_off: 90 })
    expect(coupon.statusCode).toBe(422)
    expect((await operator.get(`/coupons/${EXAMPLE.coupon}`)).json()).toMatchObject({
      percent_off: 10,
      redemption_count: 1,
      redeemable: true,
    })
  })

  test('a subscription ends with its period or at once, and only the first can be resumed', async () => {
    const path = `/subscriptions/${EXAMPLE.subscription}`
    const later = (await operator.post(`${path}/cancel`)).json()
    expect(later).toMatchObject({ state: 'active', cancel_at_period_end: true })
    expect((await operator.post(`${path}/resume`)).json().cancel_at_period_end).toBe(false)
    const now = (await operator.post(`${path}/cancel`, { when: 'now' })).json()
    expect(now).toMatchObject({ state: 'canceled', cancel_at_period_end: false })
    expect((await operator.post(`${path}/resume`)).statusCode).toBe(409)
  })

  test('an order shows its items, payments and coupons, and has no write operation', async () => {
    const order = (await operator.get(`/orders/${EXAMPLE.order}`)).json()
    expect(order).toMatchObject({
      items: [{ kind: 'course', item_id: EXAMPLE.course }],
      payments: [{ trade_no: 'T-1', state: 'paid', amount: 4500, currency: 'USD' }],
      coupon_codes: ['FIRST'],
    })
    expect((await operator.patch(`/orders/${EXAMPLE.order}`, {})).statusCode).toBe(405)
  })
})

describe('events', () => {
  test('of many registrations for the last place one succeeds', async () => {
    await operator.patch(`/events/${EXAMPLE.event}`, { capacity: 2 })
    const people = await Promise.all([1, 2, 3].map(() => world.aMember(school)))
    const answers = await Promise.all(
      people.map(({ id }) =>
        operator.post(`/events/${EXAMPLE.event}/registrations`, { member_id: id }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409])
  })

  test('a javascript: URL is refused as the address of an event', async () => {
    const answer = await operator.patch(`/events/${EXAMPLE.event}`, {
      online_url: 'javascript:alert(1)',
    })
    expect(answer.statusCode).toBe(422)
  })
})

describe('the school', () => {
  test('half a surrogate pair in the name of the school is refused, and not with a 5xx by its audit entry', async () => {
    const school = await world.aSchool({ mcpConnections: true })
    const operator = await anOperator(world, school)
    const answer = await operator.send('PATCH', '/school', {
      body: '{"name":"A \\ud800 school"}',
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.statusCode).toBe(422)
    expect(answer.json().errors).toMatchObject([{ code: 'invalid_text' }])
  })

  test('an app can change texts of the school, never its origin or its connection settings', async () => {
    const answer = await operator.patch('/school', { name: 'New name', time_zone: 'Asia/Taipei' })
    expect(answer.json()).toMatchObject({ name: 'New name', time_zone: 'Asia/Taipei' })
    for (const field of ['url', 'origin', 'variant', 'open_registration', 'document_hosts']) {
      expect((await operator.patch('/school', { [field]: 'x' })).statusCode).toBe(422)
    }
    const nowhere = await operator.patch('/school', { time_zone: 'Nowhere/Here' })
    expect(nowhere.json().errors).toMatchObject([{ pointer: '/time_zone' }])
  })

  test('colors must be valid, and a logo must be an uploaded picture', async () => {
    expect((await operator.patch('/appearance', { primary_color: 'red;}' })).statusCode).toBe(422)
    const logo = await operator.patch('/appearance', { logo_file_id: EXAMPLE.file })
    expect(logo.json()).toMatchObject({ logo_file_id: EXAMPLE.file })
    await operator.patch('/appearance', { logo_file_id: null })
    await school.db.update('files').set({ content_type: 'image/svg+xml' }).execute()
    const svg = await operator.patch('/appearance', { logo_file_id: EXAMPLE.file })
    expect(svg.json().errors).toMatchObject([{ pointer: '/logo_file_id', code: 'wrong_format' }])
  })
})

describe('analytics', () => {
  test('revenue and enrollments are counted by days in the time zone of the school', async () => {
    const day = (days: number) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const period = `from=${day(-5)}&to=${day(1)}`
    const revenue = (await operator.get(`/analytics/revenue?${period}`)).json()
    expect(revenue.data).toMatchObject([{ currency: 'USD', paid_amount: 4500, payment_count: 1 }])
    const enrolled = (await operator.get(`/analytics/enrollments?${period}`)).json()
    expect(enrolled.data).toHaveLength(7)
    const counts = enrolled.data.map((point: { purchase_count: number }) => point.purchase_count)
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(1)
    const completion = (await operator.get('/analytics/completion')).json()
    expect(completion.data[0]).toMatchObject({
      course_id: EXAMPLE.course,
      student_count: 1,
      completed_count: 0,
      average_percent: 50,
    })
  })

  test('a payment in the evening (UTC) counts for the next day and month at a school in Taipei', async () => {
    await operator.patch('/school', { time_zone: 'Asia/Taipei' })
    await school.db
      .update('payments')
      .set({ paid_at: new Date('2026-01-31T20:00:00Z') })
      .execute()
    const period = 'from=2026-01-01&to=2026-02-28'
    for (const [interval, starts_on] of [
      ['day', '2026-02-01'],
      ['week', '2026-01-26'],
      ['month', '2026-02-01'],
    ]) {
      const answer = await operator.get(`/analytics/revenue?${period}&interval=${interval}`)
      expect(answer.json().data).toMatchObject([{ starts_on, paid_amount: 4500 }])
    }
    const learners = await operator.get(`/analytics/active-learners?${period}&interval=month`)
    expect(learners.json().data).toEqual([
      { starts_on: '2026-01-01', learner_count: 0 },
      { starts_on: '2026-02-01', learner_count: 0 },
    ])
  })

  test('a period that ends before it starts or has too many steps is refused', async () => {
    for (const query of ['from=2027-02-01&to=2027-01-01', 'from=1990-01-01&to=2027-01-01']) {
      expect((await operator.get(`/analytics/revenue?${query}`)).statusCode).toBe(400)
    }
  })
})
