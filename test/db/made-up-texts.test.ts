import { randomUUID } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { writing } from '../../src/domain/operation/writing.ts'
import { namingClient } from '../../src/foundation/db/naming-client.ts'
import { prepared } from '../../src/foundation/db/prepared.ts'
import type { DB } from '../../src/foundation/db/schema.generated.ts'
import { atSchool } from '../../src/foundation/db/school-db.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const { connection, pipelines } = world.database
const school = await world.aSchool()

/** Few, so that the subsets of some fields are many times more. */
const MOST = 20
const Client = namingClient(undefined, MOST)

/** One connection, so that everybody meets what the others leave behind. */
const pool = new pg.Pool({ ...connection, Client, max: 1 } as pg.PoolConfig)
const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
let parsed = 0
pool.on('connect', (client) => {
  const { connection: wire } = client as unknown as { connection: pg.Connection }
  wire.on('parseComplete', () => parsed++)
})
const single = new Client(connection)
const pipelined = new Client({ ...connection, pipeline: true } as pg.ClientConfig)
await Promise.all([single.connect(), pipelined.connect()])
afterAll(() => Promise.all([db.destroy(), single.end(), pipelined.end()]))

const PATCH = {
  title: 'Open day',
  description: 'Come and see',
  location: 'Hall 1',
  online_url: 'https://live.example/open-day',
  capacity: 30,
  price_amount: 0,
  currency: 'EUR',
}

function* subsets(): Generator<Readonly<Record<string, unknown>>> {
  const fields = Object.entries(PATCH)
  for (let choice = 1; choice < 2 ** fields.length; choice++) {
    yield Object.fromEntries(fields.filter((_, bit) => (choice >> bit) & 1))
  }
}

const event = randomUUID()
const [starts_at, ends_at] = [new Date('2026-05-01T10:00:00Z'), new Date('2026-05-01T12:00:00Z')]
await school.at
  .insert('events', { id: event, slug: 'open', title: 'x', currency: 'EUR', starts_at, ends_at })
  .execute()

async function patchWithEverySubset(at: Kysely<DB>, between?: () => Promise<unknown>) {
  let count = 0
  for (const fields of subsets()) {
    await atSchool(at, school.id).transaction((tx) =>
      writing(tx).update('events', { object: 'event', key: { id: event } }, fields),
    )
    if (++count % 5 === 0) await between?.()
  }
  expect(count).toBeGreaterThan(5 * MOST)
}

async function parsesOf(work: () => Promise<unknown>): Promise<number> {
  const before = parsed
  await work()
  return parsed - before
}

const readTitle = () => sql`select title from events where id = ${event}`.execute(db)
const readPlace = () => sql`select location from events where id = ${event}`.execute(db)
const KEPT = 'select statement from pg_prepared_statements'

test('an operator patching with every subset of fields does not take the names from everybody else', async () => {
  await readTitle()
  await readPlace()
  let parsedAgain = 0
  await patchWithEverySubset(db, async () => {
    parsedAgain += await parsesOf(readTitle)
  })
  expect(parsedAgain).toBe(0)
  // Nobody asked for this one all the while; it has its name back at once.
  expect(await parsesOf(readPlace)).toBe(1)
  expect(await parsesOf(readPlace)).toBe(0)
})

test('a connection has PostgreSQL keep so many plans and no more', async () => {
  await patchWithEverySubset(db)
  expect((await pool.query(KEPT)).rows).toHaveLength(MOST)
})

test('what every request runs has connections where no made-up text ever comes', async () => {
  const hot = prepared<{ id: string }, object>(
    ({ id }) => sql`select slug from events where id = ${id}`,
  )
  await hot.run(world.database.db, { id: event })
  await patchWithEverySubset(world.database.db)
  const { rows } = await pipelines.run<{ statement: string }>(KEPT, [])
  expect(rows.map(({ statement }) => statement)).toEqual(['select slug from events where id = $1'])
})

test('a migration has the old plans forgotten, and not kept beside the new ones', async () => {
  await single.query('create temp table things (id integer, amount integer)')
  const read = () => single.query('select * from things where id = $1', [1])
  for (const type of ['text', 'integer', 'text']) {
    await read()
    await single.query(`alter table things alter column amount type ${type} using amount::${type}`)
  }
  await read()
  const { rows } = await single.query(KEPT)
  expect(rows).toEqual([{ statement: 'select * from things where id = $1' }])
})

test('of many that are sent before the first answer, none is closed before it has run', async () => {
  const twice = Array.from({ length: 6 * MOST }, (_, n) => n % (3 * MOST))
  const answers = await Promise.all(
    twice.map(async (n) => (await pipelined.query(`select $1::int + ${n} as sum`, [n])).rows),
  )
  expect(answers).toEqual(twice.map((n) => [{ sum: 2 * n }]))
  expect((await pipelined.query(KEPT)).rows).toHaveLength(MOST)
})

test('a value that cannot be sent does not keep a name from being closed', async () => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  for (let n = 0; n < 2 * MOST; n++) {
    await expect(single.query(`select $1::json as unsent_${n}`, [circle])).rejects.toThrow(
      'circular',
    )
  }
  for (let n = 0; n < MOST; n++) await single.query(`select $1::int as sent_${n}`, [n])
  expect((await single.query(KEPT)).rows).toHaveLength(MOST)
})
