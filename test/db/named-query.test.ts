import type pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'

const { pool } = await testDatabase()
const client = await pool.connect()
afterAll(() => client.release())
await client.query('create temp table things (id int primary key, size bigint, seen timestamptz)')

/** How many messages of a kind PostgreSQL sends while `work` runs. */
async function countMessages(kind: string, work: () => Promise<unknown>): Promise<number> {
  const { connection } = client as unknown as { connection: pg.Connection }
  let count = 0
  const note = () => count++
  connection.on(kind, note)
  await work()
  connection.off(kind, note)
  return count
}

const find = (id: number) => client.query('select id, size, seen from things where id = $1', [id])

test('a statement is parsed and described at its first run alone', async () => {
  await client.query('insert into things values ($1, $2, now())', [1, 10])
  const runTwice = async () => {
    await find(1)
    await find(2)
  }
  expect(await countMessages('rowDescription', runTwice)).toBe(1)
  expect(await countMessages('rowDescription', runTwice)).toBe(0)
  expect(await countMessages('parseComplete', runTwice)).toBe(0)
})

test('rows come with their types, and as many as there are', async () => {
  await client.query('insert into things values ($1, $2, $3)', [3, null, '2026-01-02T03:04:05Z'])
  const { rows, rowCount, command } = await find(3)
  expect(rows).toEqual([{ id: 3, size: null, seen: new Date('2026-01-02T03:04:05Z') }])
  expect([rowCount, command]).toEqual([1, 'SELECT'])
  expect((await find(99)).rows).toEqual([])
})

test('a statement without rows tells how many it changed, each time it runs', async () => {
  const grow = (by: number) => client.query('update things set size = $1 where id < 3', [by])
  const results = [await grow(1), await grow(2)]
  expect(results.map(({ command, rowCount, rows }) => ({ command, rowCount, rows }))).toEqual(
    Array(2).fill({ command: 'UPDATE', rowCount: 1, rows: [] }),
  )
})

test.each([
  ['fails in PostgreSQL', () => client.query('select 1 / $1::int as it', [0]), /division by zero/],
  ['cannot be parsed', () => client.query('select nonsense from $1', [1]), /syntax error/],
  [
    'has a value that cannot be sent',
    () => client.query('select $1::json', [aCircle()]),
    /circular/,
  ],
  [
    'has a row that cannot be read',
    () => client.query('select 9007199254740993 + $1::bigint as it', [0]),
    /bigint out of range/,
  ],
])(
  'a statement that %s leaves the connection usable, and fails again the same way',
  async (_how, run, message) => {
    await expect(run()).rejects.toThrow(message)
    await expect(run()).rejects.toThrow(message)
    expect((await find(3)).rows).toHaveLength(1)
  },
)

test('a failure leads back to whoever asked', async () => {
  const failure = await client.query('select 1 / $1::int as it', [0]).catch((error) => error)
  expect(failure.stack).toContain('naming-client')
})

function aCircle(): unknown {
  const circle: { self?: unknown } = {}
  circle.self = circle
  return circle
}
