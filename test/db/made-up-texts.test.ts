import { randomUUID } from 'node:crypto'
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { writing } from '../../src/domain/operation/writing.ts'
import { ConnectionPool } from '../../src/foundation/db/connection-pool.ts'
import { Pipelines } from '../../src/foundation/db/pipelines.ts'
import { prepared } from '../../src/foundation/db/prepared.ts'
import type { DB } from '../../src/foundation/db/schema.generated.ts'
import { atSchool } from '../../src/foundation/db/school-db.ts'
import { SilenceWatch } from '../../src/foundation/db/silence-watch.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const { connection, pipelines } = world.database
const school = await world.aSchool()

/** A small limit: the subsets of the fields are many times more. */
const MOST = 20
const watch = new SilenceWatch({ connection, answerMs: 60_000, onAway: () => undefined })
const settings = {
  maxNamed: MOST,
  onIdleError: () => undefined,
  waitMs: 60_000,
  watch,
  connectMs: 60_000,
  giveUpMs: 60_000,
}

/** One connection, so that every statement runs beside the plans of the earlier ones. */
const pool = new ConnectionPool({ connection, size: 1, waiting: 200, ...settings })
const db = new Kysely<DB>({
  dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }),
})
const pipelined = new Pipelines({
  connection,
  ...settings,
  maxConnections: 1,
  runAlone: () => Promise.reject(new Error('no statement of this file waits for a lock')),
  maxAlone: 0,
})
afterAll(async () => {
  await Promise.all([pool.end(), pipelined.end()])
  await watch.end()
})

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
await school.db
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

const KEPT = 'select statement from pg_prepared_statements'

async function keptBy(at: Kysely<DB>): Promise<readonly string[]> {
  const { rows } = await sql<{ statement: string }>`${sql.raw(KEPT)}`.execute(at)
  return rows.map(({ statement }) => statement)
}

test('an operator who patches with every subset of fields does not use up the names of other statements', async () => {
  const keptAtEachRead: boolean[] = []
  await patchWithEverySubset(db, () =>
    db.connection().execute(async (own) => {
      await sql`select title from events where id = ${event}`.execute(own)
      keptAtEachRead.push((await keptBy(own)).includes('select title from events where id = $1'))
    }),
  )
  expect(new Set(keptAtEachRead)).toEqual(new Set([true]))
})

test('PostgreSQL keeps a limited number of plans for a connection', async () => {
  const counts: number[] = []
  await patchWithEverySubset(db, async () => counts.push((await keptBy(db)).length))
  expect(Math.max(...counts)).toBeLessThanOrEqual(MOST)
})

test('the limit holds within one transaction, and the connection is replaced after it', async () => {
  const session = async (at: Kysely<DB>) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(at)
    return rows[0]?.pid
  }
  const before = await db.transaction().execute(async (tx) => {
    const numbers = Array.from({ length: 3 * MOST }, (_, n) => n)
    for (const n of numbers) {
      const { rows } = await sql<{ sum: number }>`select ${n}::int + ${sql.lit(n)} as sum`.execute(
        tx,
      )
      expect(rows).toEqual([{ sum: 2 * n }])
    }
    expect(await keptBy(tx)).toHaveLength(MOST)
    return await session(tx)
  })
  expect(await session(db)).not.toBe(before)
})

test('no made-up text reaches the pipelined connections', async () => {
  const hot = prepared<{ id: string }, object>(
    ({ id }) => sql`select slug from events where id = ${id}`,
  )
  await hot.run(world.database.db, { id: event })
  await patchWithEverySubset(world.database.db)
  const { rows } = await pipelines.run<{ statement: string }>(KEPT, [])
  expect(rows.map(({ statement }) => statement)).toEqual(['select slug from events where id = $1'])
})

test('a pipeline that reaches the limit of named statements answers all of them, and is replaced', async () => {
  const twice = Array.from({ length: 6 * MOST }, (_, n) => n % (3 * MOST))
  const answers = await Promise.all(
    twice.map(async (n) => (await pipelined.run(`select $1::int + ${n} as sum`, [n])).rows),
  )
  expect(answers).toEqual(twice.map((n) => [{ sum: 2 * n }]))
  expect((await pipelined.run(KEPT, [])).rows).toEqual([])
})

test('a value that cannot be sent leaves no plan behind', async () => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  for (let n = 0; n < 2 * MOST; n++) {
    await expect(pool.query(`select $1::json as unsent_${n}`, [circle])).rejects.toThrow('circular')
    expect((await keptBy(db)).filter((text) => text.includes('unsent'))).toEqual([])
  }
})
