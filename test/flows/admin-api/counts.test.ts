import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { anOperator } from '../../support/admin-api.ts'
import { manyStudents } from '../../support/jobs.ts'
import { aCourse } from '../../support/learning.ts'
import { whileRowHeld } from '../../support/row-lock.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const MANY = 1_001

/**
 * A school with an event, a plan, a product, a form and a coupon, of which many people made use.
 */
async function aPopularSchool() {
  const school = await world.aSchool()
  const operator = await anOperator(world, school, {
    scopes: 'events:read events:write members:read coupons:read',
  })
  await manyStudents(school, await aCourse(school), MANY + 2)
  const event = await operator.post('/events', {
    slug: 'open-day',
    title: 'Open day',
    starts_at: '2027-03-01T10:00:00Z',
    ends_at: '2027-03-01T12:00:00Z',
    capacity: MANY + 1,
  })
  const { id } = event.json()
  const { rows: people } = await school.db.run(sql<{ user_id: string }>`
    select user_id from enrollments where school_id = ${school.id} order by user_id`)
  await school.db.run(sql`
    insert into event_registrations (school_id, id, event_id, user_id)
    select school_id, gen_random_uuid(), ${id}, user_id from enrollments
    where school_id = ${school.id} order by user_id limit ${MANY}`)
  return { school, operator, event: id, people: people.map(({ user_id }) => user_id) }
}

describe('an event with more registrations than lists count', () => {
  test('says exactly how many there are, and the total of its list says that there are more than 1,000', async () => {
    const { operator, event, people } = await aPopularSchool()
    const register = (member_id: string | undefined) =>
      operator.post(`/events/${event}/registrations`, { member_id })
    await register(people[MANY])
    expect((await operator.get(`/events/${event}`)).json().registration_count).toBe(MANY + 1)
    const list = await operator.get(`/events/${event}/registrations?include_total=true&limit=1`)
    expect(list.json().total).toBe(1_001)
  })

  test('takes registrations up to its capacity, which is counted exactly', async () => {
    const { operator, event, people } = await aPopularSchool()
    const register = (member_id: string | undefined) =>
      operator.post(`/events/${event}/registrations`, { member_id })
    expect((await register(people[MANY])).statusCode).toBe(201)
    const refused = await register(people[MANY + 1])
    expect([refused.statusCode, refused.json().reason]).toEqual([409, 'full'])
  })
})

test('a coupon with a limit above what lists count is used up at its limit', async () => {
  const { school, operator } = await aPopularSchool()
  const coupon = await school.db.run(sql<{ id: string }>`
    insert into coupons (school_id, id, code, percent_off, max_redemptions)
    values (${school.id}, gen_random_uuid(), 'MANY', 10, ${MANY + 1}) returning id`)
  const id = coupon.rows[0]?.id ?? ''
  const redeem = async (count: number) => {
    await school.db.run(sql`
      with bought as (
        insert into orders (school_id, id, number, user_id, state, total_amount, currency)
        select school_id, gen_random_uuid(), gen_random_uuid()::text, user_id, 'open', 100, 'USD' from enrollments
        where school_id = ${school.id} limit ${count} returning school_id, id, user_id)
      insert into coupon_redemptions (school_id, id, coupon_id, order_id, user_id)
      select school_id, gen_random_uuid(), ${id}, id, user_id from bought`)
    const { redemption_count, redeemable } = (await operator.get(`/coupons/${id}`)).json()
    return [redemption_count, redeemable]
  }
  expect(await redeem(MANY)).toEqual([1_001, true])
  expect(await redeem(1)).toEqual([1_002, false])
})

describe('a coupon at its limit', () => {
  async function aCoupon(limit: number) {
    const school = await world.aSchool()
    const operator = await anOperator(world, school, { scopes: 'coupons:read coupons:write' })
    await manyStudents(school, await aCourse(school), 4)
    const made = await operator.post('/coupons', {
      code: 'FEW',
      percent_off: 10,
      max_redemptions: limit,
    })
    const { id } = made.json()
    await school.db.run(sql`
      insert into orders (school_id, id, number, user_id, state, total_amount, currency)
      select school_id, gen_random_uuid(), gen_random_uuid()::text, user_id, 'open', 100, 'USD'
      from enrollments where school_id = ${school.id}`)
    const { rows } = await school.db.run(sql<{ id: string }>`
      select id from orders where school_id = ${school.id}`)
    const orders = rows.map((row) => row.id)
    const redeem = (order: number) => sql`
      insert into coupon_redemptions (school_id, id, coupon_id, order_id, user_id)
      select school_id, gen_random_uuid(), ${id}, id, user_id from orders
      where school_id = ${school.id} and id = ${orders[order]}`
    const listed = async () => {
      const total = async (value: boolean) =>
        (await operator.get(`/coupons?redeemable=${value}&include_total=true`)).json().total
      const { redeemable } = (await operator.get(`/coupons/${id}`)).json()
      return [redeemable, await total(true), await total(false)]
    }
    const limitTo = (max_redemptions: number | null) =>
      operator.patch(`/coupons/${id}`, { max_redemptions })
    return { school, orders, redeem, listed, limitTo }
  }
  const OPEN = [true, 1, 0]
  const USED_UP = [false, 0, 1]

  test('is listed as used up, and no longer after a redemption was removed', async () => {
    const { school, redeem, listed } = await aCoupon(2)
    await school.db.run(redeem(0))
    expect(await listed()).toEqual(OPEN)
    await school.db.run(redeem(1))
    expect(await listed()).toEqual(USED_UP)
    await school.db.run(sql`
      delete from coupon_redemptions where school_id = ${school.id} and id = (
        select id from coupon_redemptions where school_id = ${school.id} limit 1)`)
    expect(await listed()).toEqual(OPEN)
  })

  test('follows a limit that is raised, lowered or taken away', async () => {
    const { school, redeem, listed, limitTo } = await aCoupon(1)
    await school.db.run(redeem(0))
    await school.db.run(redeem(1))
    expect(await listed()).toEqual(USED_UP)
    expect((await limitTo(3)).statusCode).toBe(200)
    expect(await listed()).toEqual(OPEN)
    await limitTo(2)
    expect(await listed()).toEqual(USED_UP)
    await limitTo(null)
    expect(await listed()).toEqual(OPEN)
  })

  test('is used up by two who take the last two redemptions at once', async () => {
    const { school, orders, redeem, listed } = await aCoupon(2)
    const lock = `insert into coupon_redemptions (school_id, id, coupon_id, order_id, user_id)
      select o.school_id, gen_random_uuid(), c.id, o.id, o.user_id
      from orders o join coupons c on c.school_id = o.school_id where o.id = $1`
    await whileRowHeld(
      world.database.connection,
      { lock, id: orders[0] ?? '' },
      () => school.db.transaction((tx) => tx.run(redeem(1))),
      async (waiting, first) => {
        await waiting(1)
        await first.query('commit')
      },
    )
    expect(await listed()).toEqual(USED_UP)
  })
})
