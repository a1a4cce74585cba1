import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { orderKind } from '../../src/domain/commerce/order-bulk.ts'
import { verifies } from '../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../support/admin-api.ts'
import { AdminBrowser } from '../support/admin-browser.ts'
import { hiddenFields } from '../support/browser-like.ts'
import { importInto } from '../support/bulk.ts'
import { anOwner } from '../support/operator-like.ts'
import { aWorld, type TestPerson, type TestSchool, type World } from '../support/world.ts'
import { callTool } from './mcp/tool-endpoint.ts'

/** Twenty requests at once for less than twenty of something. */

const AT_ONCE = 20

let world: World
let school: TestSchool
let operator: OperatorClient
let people: readonly TestPerson[]

beforeAll(async () => {
  world = await aWorld()
  school = await world.aSchool()
  operator = await anOperator(world, school)
  people = await Promise.all(Array.from({ length: AT_ONCE }, () => world.aMember(school)))
})

async function count(from: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await school.db.run(sql<{ n: number }>`select count(*)::int as n from ${from}`)
  return rows[0]?.n ?? -1
}

const tally = (values: readonly unknown[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1
  return counts
}

describe('twenty requests at once', () => {
  test('leave an audit entry each whose old value is what another one wrote', async () => {
    const course = { slug: 'race-prices', title: 'Race', price_amount: 1, currency: 'USD' }
    const { id } = (await operator.post('/courses', course)).json()
    const prices = Array.from({ length: AT_ONCE }, (_, place) => 1000 + place)
    const answers = await Promise.all(
      prices.map((price_amount) => operator.patch(`/courses/${id}`, { price_amount })),
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(prices.map(() => 200))
    const { rows } = await school.db.run(sql<{ before: number; after: number }>`
      select (detail #>> '{changed,price_amount,0}')::int as before,
        (detail #>> '{changed,price_amount,1}')::int as after
      from audit_entries where school_id = ${school.id} and subject = ${id}
        and detail ->> 'operation' = 'courses.change'`)
    const last = (await operator.get(`/courses/${id}`)).json().price_amount
    const inOrder = (values: readonly number[]) => [...values].sort((a, b) => a - b)
    expect(inOrder(rows.map(({ after }) => after))).toEqual(prices)
    expect(inOrder([...rows.map(({ before }) => before), last])).toEqual([1, ...prices])
  })

  verifies(
    'house.races',
    'take the five places of an event five times, by REST and by tool',
    async () => {
      const times = { starts_at: '2099-01-01T18:00:00Z', ends_at: '2099-01-01T20:00:00Z' }
      const event = { slug: 'race', title: 'Race', capacity: 5, ...times }
      const { id } = (await operator.post('/events', event)).json()
      const token = operator.accessToken
      const taken = await Promise.all(
        people.map(async ({ id: member_id }, place) => {
          if (place % 2 === 0) {
            const answer = await operator.post(`/events/${id}/registrations`, { member_id })
            return answer.statusCode === 201 ? 'taken' : answer.json().reason
          }
          const input = { event_id: id, member_id }
          const call = { action: 'events.register', input }
          const answer = await callTool(world, school, 'change_events', call, { token })
          return answer.isError === true ? 'full' : 'taken'
        }),
      )
      expect(tally(taken)).toEqual({ taken: 5, full: 15 })
      expect(await count(sql`event_registrations where event_id = ${id}`)).toBe(5)
      const again = await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          operator.post(`/events/${id}/registrations`, { member_id: people[0]?.id }),
        ),
      )
      expect(again.filter(({ statusCode }) => statusCode === 201)).toEqual([])
    },
  )

  test('register one member and cancel that in turns without a deadlock, and the count stays right', async () => {
    const times = { starts_at: '2099-01-01T18:00:00Z', ends_at: '2099-01-01T20:00:00Z' }
    const event = { slug: 'race-in-turns', title: 'Race', ...times }
    const { id } = (await operator.post('/events', event)).json()
    const place = { member_id: people[0]?.id }
    const register = () => operator.post(`/events/${id}/registrations`, place)
    const { id: registration } = (await register()).json()
    const cancel = () =>
      operator.patch(`/event-registrations/${registration}`, { state: 'canceled' })
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? cancel() : register())),
      )
      expect(answers.map(({ statusCode }) => statusCode).filter((code) => code >= 500)).toEqual([])
      const taken = await count(
        sql`event_registrations where event_id = ${id} and state <> 'canceled'`,
      )
      expect((await operator.get(`/events/${id}`)).json().registration_count).toBe(taken)
    }
  })

  verifies(
    'house.races',
    'take the three seats of a slot three times, in one meeting',
    async () => {
      const owner = await anOwner(world, school)
      const browser = new AdminBrowser(owner)
      const { path: service } = await browser.done('/admin/services/new', { title: 'Critique' })
      const weekdays = [
        'monday',
        'tuesday',
        'wednesday',
        'thursday',
        'friday',
        'saturday',
        'sunday',
      ]
      const slots = { weekdays, start_times: '09:30', duration_minutes: '45', capacity: '3' }
      const { body } = await browser.done(`${service}/slots/new`, slots)
      // The first slot is on Monday.
      const book = `${/\/admin\/slots\/[0-9a-f-]{36}/.exec(body)?.[0]}/book`
      const hidden = hiddenFields(await browser.page(book), book)
      const booked = await Promise.all(
        people.map(({ email }) =>
          owner.post(book, { ...hidden, on: '2099-02-02', member_id: email }),
        ),
      )
      expect(tally(booked.map(({ statusCode }) => statusCode))).toEqual({ 303: 3, 409: 17 })
      expect(await count(sql`meeting_seats`)).toBe(3)
      expect(await count(sql`consulting_meetings`)).toBe(1)
    },
  )

  verifies(
    'house.races',
    'make one coupon of a code, and redeem it as often as it allows',
    async () => {
      const coupon = { code: 'RACE', percent_off: 20, max_redemptions: 4, max_per_member: 2 }
      const made = await Promise.all(
        Array.from({ length: AT_ONCE }, () => operator.post('/coupons', coupon)),
      )
      expect(tally(made.map(({ statusCode }) => statusCode))).toEqual({ 201: 1, 409: 19 })
      const order = (place: number, member: TestPerson | undefined) => ({
        number: `R-${place}`,
        member_id: member?.id,
        state: 'completed',
        total_amount: 100,
        items: [],
        coupon_codes: ['RACE'],
      })
      const redeem = async (place: number, member: TestPerson | undefined) => {
        const { created, failed } = await importInto(school, orderKind, [order(place, member)])
        return `${created} created, ${failed} failed`
      }
      const one = await Promise.all(Array.from({ length: 6 }, (_, i) => redeem(i, people[0])))
      expect(tally(one)).toEqual({ '1 created, 0 failed': 2, '0 created, 1 failed': 4 })
      const all = await Promise.all(people.slice(1).map((person, i) => redeem(100 + i, person)))
      expect(tally(all)).toEqual({ '1 created, 0 failed': 2, '0 created, 1 failed': 17 })
      expect(await count(sql`coupon_redemptions`)).toBe(4)
    },
  )

  verifies(
    'house.races',
    'with one idempotency key write once, and another body gets no answer',
    async () => {
      const headers = { 'idempotency-key': 'twenty' }
      const bodies = Array.from({ length: AT_ONCE }, (_, i) => ({
        slug: `key-${i % 2}`,
        title: `Key ${i % 2}`,
      }))
      const send = (body: object) => operator.post('/posts', body, headers)
      const raced = await Promise.all(bodies.map(send))
      const made = raced.filter(({ statusCode }) => statusCode === 201)
      expect(new Set(made.map(({ body }) => body)).size).toBe(1)
      const others = raced.filter(({ statusCode }) => statusCode !== 201)
      for (const answer of others) {
        const { code } = answer.json()
        expect(['idempotency_in_progress', 'idempotency_mismatch']).toContain(code)
      }
      expect(await count(sql`posts where slug like 'key-%'`)).toBe(1)
      const settled = await Promise.all(bodies.map(send))
      const winner = made[0]?.json().slug
      for (const [i, answer] of settled.entries()) {
        const same = bodies[i]?.slug === winner
        if (answer.statusCode === 409) expect(answer.json().code).toBe('idempotency_in_progress')
        else expect(answer.statusCode).toBe(same ? 201 : 422)
        if (answer.statusCode === 201) expect(answer.body).toBe(made[0]?.body)
      }
      expect(await count(sql`posts where slug like 'key-%'`)).toBe(1)
    },
  )

  verifies('house.races', 'enroll a member once', async () => {
    const { id } = (await operator.post('/courses', { slug: 'once', title: 'Once' })).json()
    const enrolled = await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        operator.post('/enrollments', { course_id: id, student_id: people[0]?.id }),
      ),
    )
    const made = enrolled.filter(({ statusCode }) => statusCode === 201)
    expect(made).toHaveLength(1)
    expect(await count(sql`enrollments where course_id = ${id}`)).toBe(1)
  })
})
