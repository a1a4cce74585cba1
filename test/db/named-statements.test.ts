import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Db, openDatabase } from '../../src/foundation/db/database.ts'
import { isDatabaseUnavailable } from '../../src/foundation/db/unavailable.ts'
import { emptyDatabase, PATIENT } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

const connection = await emptyDatabase()
const seen: string[] = []
/** One connection, so that every statement runs with the plans of the earlier ones. */
const database = openDatabase({
  ...PATIENT,
  connection,
  poolSize: 1,
  observe: (text) => seen.push(text),
})
const { pool } = database
const admin = await connect(connection)
afterAll(async () => {
  await database.close()
  await admin.end()
})

const readThing = async (db: Db): Promise<unknown> => {
  const { rows } = await sql<{ amount: unknown }>`select * from things where id = ${1}`.execute(db)
  return rows[0]?.amount
}

const keptPlans = async (part: string) =>
  (
    await pool.query<{ name: string; runs: number }>(
      `select name, generic_plans + custom_plans as runs from pg_prepared_statements
       where strpos(statement, '${part}') > 0`,
    )
  ).rows

describe('after a migration alters a table that a prepared statement reads', () => {
  beforeEach(async () => {
    await admin.query('drop table if exists things')
    await admin.query('create table things (id integer, amount integer)')
    await admin.query('insert into things values (1, 7)')
    // Twice: if the connection has the plan of the earlier test, the first read replaces it.
    expect([await readThing(database.db), await readThing(database.db)]).toEqual([7, 7])
    await admin.query('alter table things alter column amount type text')
  })

  test('a single statement succeeds', async () => {
    expect(await readThing(database.db)).toBe('7')
    expect(await readThing(database.db)).toBe('7')
  })

  test('the connection is replaced, and the old plans with it', async () => {
    await readThing(database.db)
    expect(await keptPlans('things')).toEqual([])
    await readThing(database.db)
    expect(await keptPlans('things')).toHaveLength(1)
  })

  test('if the second run fails because the database is busy, the error says so', async () => {
    const slowly = (db: Db, seconds: number) =>
      sql`select things.*, pg_sleep(${seconds}) from things where id = ${1}`.execute(db)
    const failure: unknown = await database.db.connection().execute(async (own) => {
      await slowly(own, 0)
      await admin.query('alter table things alter column amount type integer using amount::integer')
      await sql`set statement_timeout = 200`.execute(own)
      return await slowly(own, 60).catch((error: unknown) => error)
    })
    expect(failure).toMatchObject({ code: '57014' })
    expect(isDatabaseUnavailable(failure)).toBe(true)
  })

  test('a transaction fails as a whole with an error that says to try again, and the next one works', async () => {
    const transaction = (): Promise<unknown> => database.db.transaction().execute(readThing)
    const failure: unknown = await transaction().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: '0A000' })
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(await transaction()).toBe('7')
  })

  test('no statement of a transaction is run twice', async () => {
    seen.length = 0
    await expect(database.db.transaction().execute(readThing)).rejects.toThrow('cached plan')
    expect(seen.filter((text) => text.includes('things'))).toHaveLength(1)
  })
})

test('a statement is prepared once per connection, under a name made from its text', async () => {
  await pool.query('select $1::text as prepared_once', ['a'])
  await pool.query('select $1::text as prepared_once', ['b'])
  expect(await keptPlans('as prepared_once')).toEqual([
    { name: expect.stringMatching(/^s[\w-]{22}$/), runs: 2 },
  ])
})

test('a very long statement is not kept', async () => {
  const text = `select $1::int as long /* ${'x'.repeat(20_000)} */`
  expect((await pool.query(text, [1])).rows).toEqual([{ long: 1 }])
  expect(await keptPlans('as long')).toEqual([])
})

function aCircle(): unknown {
  const circle: { self?: unknown } = {}
  circle.self = circle
  return circle
}

test.each([
  ['fails in PostgreSQL', 'select 1 / $1::int as it', [0], /division by zero/],
  ['cannot be parsed', 'select nonsense from $1', [1], /syntax error/],
  ['has a value that cannot be sent', 'select $1::json', [aCircle()], /circular/],
  [
    'has a row that cannot be read',
    'select 9007199254740993 + $1::bigint as it',
    [0],
    /bigint out of range/,
  ],
])(
  'a statement that %s leaves the connection usable, and fails again the same way',
  async (_how, text, values, message) => {
    await expect(pool.query(text, values)).rejects.toThrow(message)
    await expect(pool.query(text, values)).rejects.toThrow(message)
    expect((await pool.query('select $1::int as one', [1])).rows).toEqual([{ one: 1 }])
  },
)

test('a statement runs although an earlier run of it had a value that could not be sent', async () => {
  const read = (value: unknown) => pool.query('select $1::json as value', [value])
  await read({ a: 1 })
  await expect(read(aCircle())).rejects.toThrow('circular')
  expect((await read({ a: 2 })).rows).toEqual([{ value: { a: 2 } }])
})

test('the stack of an error names the file that ran the statement', async () => {
  const failure = await pool.query('select 1 / $1::int as it', [0]).catch((error) => error)
  expect(failure.stack).toContain('named-statements')
})
