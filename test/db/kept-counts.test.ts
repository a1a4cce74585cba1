import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { whenFileIsDone } from '../support/clean-up.ts'
import { connect } from '../support/postgres.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const people = await Promise.all([1, 2, 3, 4].map(() => world.aMember(school)))
const [client, other] = [
  await connect(world.database.connection),
  await connect(world.database.connection),
]
whenFileIsDone(async () => {
  await Promise.all([client.end(), other.end()])
})

interface Kind {
  readonly parents: string
  /** Columns and values of a parent beside school and id. */
  readonly parent: readonly [columns: string, values: string]
  readonly count: string
  readonly children: string
  readonly by: string
  /** The same of a child; `PERSON` is the member. */
  readonly child?: readonly [columns: string, values: string]
  readonly counted: string
  /** How a row stops counting, and counts again. */
  readonly end?: readonly [end: string, begin: string]
}

const KINDS: readonly Kind[] = [
  {
    parents: 'events',
    parent: [
      'slug, title, starts_at, ends_at, currency',
      `$2, 'One', now(), now() + interval '1 hour', 'USD'`,
    ],
    count: 'registration_count',
    children: 'event_registrations',
    by: 'event_id',
    counted: `state <> 'canceled'`,
    end: [`state = 'canceled', canceled_at = now()`, `state = 'registered', canceled_at = null`],
  },
  {
    parents: 'membership_plans',
    parent: ['slug, name, interval, price_amount, currency', `$2, 'One', 'month', 1, 'USD'`],
    count: 'active_subscription_count',
    children: 'subscriptions',
    by: 'plan_id',
    child: [
      'state, current_period_starts_at, current_period_ends_at',
      `'active', now(), now() + interval '1 month'`,
    ],
    counted: `state <> 'canceled'`,
    end: [`state = 'canceled', canceled_at = now()`, `state = 'active', canceled_at = null`],
  },
  {
    parents: 'digital_products',
    parent: ['slug, title, currency', `$2, 'One', 'USD'`],
    count: 'owner_count',
    children: 'digital_product_accesses',
    by: 'product_id',
    counted: 'revoked_at is null',
    end: ['revoked_at = now()', 'revoked_at = null'],
  },
  {
    parents: 'forms',
    parent: ['slug, title, fields', `$2, 'One', '[]'`],
    count: 'submission_count',
    children: 'form_submissions',
    by: 'form_id',
    child: ['answers', `'{}'`],
    counted: 'true',
  },
  {
    parents: 'coupons',
    parent: ['code, percent_off', 'upper($2), 10'],
    count: 'redemption_count',
    children: 'coupon_redemptions',
    by: 'coupon_id',
    child: ['order_id', `(select id from orders where user_id = 'PERSON')`],
    counted: 'true',
  },
]

for (const { id } of people) {
  await client.query(
    `insert into orders (school_id, id, number, user_id, state, total_amount, currency)
     values ($1, gen_random_uuid(), $2::uuid::text, $2, 'open', 1, 'USD')`,
    [school.id, id],
  )
}

async function makeParents({ parents, parent: [columns, values] }: Kind): Promise<string[]> {
  const made: string[] = []
  for (const slug of ['first', 'second']) {
    const { rows } = await client.query(
      `insert into ${parents} (school_id, id, ${columns}) values ($1, gen_random_uuid(), ${values}) returning id`,
      [school.id, `${slug}-${randomUUID().slice(0, 8)}`],
    )
    made.push(rows[0].id)
  }
  return made
}

/** One statement for several rows. */
function adding({ children, by, child }: Kind, rows: readonly (readonly [string, string])[]) {
  const [columns, values] = child === undefined ? ['', ''] : child.map((text) => `, ${text}`)
  const all = rows.map(
    ([parent, person]) =>
      `($1, gen_random_uuid(), '${parent}', '${person}'${values?.replace('PERSON', person)})`,
  )
  return {
    text: `insert into ${children} (school_id, id, ${by}, user_id${columns}) values ${all.join()}`,
    values: [school.id],
  }
}

async function keptAndCounted(
  { parents, children, count, by, counted }: Kind,
  ids: readonly string[],
) {
  const { rows } = await client.query(
    `select ${count} as kept, version, (select count(*)::int from ${children} c where c.${by} = p.id and ${counted}) as counted
     from ${parents} p where p.id = any($1) order by array_position($1, p.id)`,
    [ids],
  )
  for (const { kept, counted: real } of rows) expect(kept).toBe(real)
  expect(rows.map(({ version }) => version)).toEqual([1, 1])
  return rows.map(({ kept }) => kept)
}

describe.each(KINDS)('$parents carry how many $children they have', (kind) => {
  const { children, by, end } = kind
  const [ada = '', ben = '', cleo = '', dan = ''] = people.map(({ id }) => id)

  test('after rows came, changed and went', async () => {
    const ids = await makeParents(kind)
    const [one = '', two = ''] = ids
    expect(await keptAndCounted(kind, ids)).toEqual([0, 0])
    await client.query(
      adding(kind, [
        [one, ada],
        [one, ben],
        [two, ada],
      ]),
    )
    expect(await keptAndCounted(kind, ids)).toEqual([2, 1])
    if (end !== undefined) {
      const [stop, start] = end
      const change = (columns: string, person: string) =>
        client.query(`update ${children} set ${columns} where ${by} = $1 and user_id = $2`, [
          one,
          person,
        ])
      await change(stop, ada)
      expect(await keptAndCounted(kind, ids)).toEqual([1, 1])
      await change(stop, ada)
      await change(start, ada)
      expect(await keptAndCounted(kind, ids)).toEqual([2, 1])
      await client.query(
        `update ${children} set ${by} = $2, user_id = $3 where ${by} = $1 and user_id = $4`,
        [one, two, cleo, ben],
      )
      expect(await keptAndCounted(kind, ids)).toEqual([1, 2])
    }
    await client.query(`delete from ${children} where ${by} = $1 and user_id = $2`, [one, ada])
    await client.query(`delete from ${children} where ${by} = any($1)`, [ids])
    expect(await keptAndCounted(kind, ids)).toEqual([0, 0])
  })

  test('after two statements at the same time that name them in opposite orders', async () => {
    const ids = await makeParents(kind)
    const [one = '', two = ''] = ids
    await client.query('begin')
    await client.query(
      adding(kind, [
        [one, ada],
        [two, ben],
      ]),
    )
    const second = other.query(
      adding(kind, [
        [two, cleo],
        [one, dan],
      ]),
    )
    await client.query('commit')
    await second
    expect(await keptAndCounted(kind, ids)).toEqual([2, 2])
  })
})
