import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Db, openDatabase } from '../../src/foundation/db/database.ts'
import { isDatabaseUnavailable, retryLostConnection } from '../../src/foundation/db/unavailable.ts'
import { emptyDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

const connection = await emptyDatabase()
const seen: string[] = []
/** One connection, so that every statement meets the plans of the one before. */
const database = openDatabase({
  connection,
  poolSize: 1,
  statementTimeoutMs: 10_000,
  observe: (text) => seen.push(text),
})
const admin = await connect(connection)
afterAll(async () => {
  await database.close()
  await admin.end()
})

const readThing = async (db: Db): Promise<unknown> => {
  const { rows } = await sql<{ amount: unknown }>`select * from things where id = ${1}`.execute(db)
  return rows[0]?.amount
}

describe('a migration alters a table under a prepared plan', () => {
  beforeEach(async () => {
    await admin.query('drop table if exists things')
    await admin.query('create table things (id integer, amount integer)')
    await admin.query('insert into things values (1, 7)')
    expect(await readThing(database.db)).toBe(7)
    await admin.query('alter table things alter column amount type text')
  })

  test('the caller of a single statement sees nothing of it', async () => {
    expect(await readThing(database.db)).toBe('7')
    expect(await readThing(database.db)).toBe('7')
  })

  test('a transaction fails as a whole, told as try again, and the next one works', async () => {
    const transaction = (): Promise<unknown> => database.db.transaction().execute(readThing)
    const failure: unknown = await transaction().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: '0A000' })
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(await transaction()).toBe('7')
  })

  test('nothing is run twice in a transaction', async () => {
    seen.length = 0
    await expect(database.db.transaction().execute(readThing)).rejects.toThrow('cached plan')
    expect(seen.filter((text) => text.includes('things'))).toHaveLength(1)
  })
})

test('a statement is prepared once per connection, under a name made from its text', async () => {
  await sql`select ${'a'}::text as prepared_once`.execute(database.db)
  await sql`select ${'b'}::text as prepared_once`.execute(database.db)
  const { rows } = await sql<{ name: string }>`
    select name from pg_prepared_statements where statement like ${'%as prepared_once%'}
      and not statement like ${'%pg_prepared%'}`.execute(database.db)
  expect(rows).toEqual([{ name: expect.stringMatching(/^s[\w-]{22}(_\d+)?$/) }])
})

test('a connection cut while a statement runs fails that statement and nothing else', async () => {
  const uncaught: Error[] = []
  const note = (error: Error): void => void uncaught.push(error)
  process.on('uncaughtException', note)
  const running = sql`select pg_sleep(${30})`.execute(database.db)
  const failed = expect(running).rejects.toSatisfy(isDatabaseUnavailable)
  let killed = 0
  while (killed === 0) {
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event = 'PgSleep'`,
    )
    killed = rowCount ?? 0
  }
  await failed
  const next = await retryLostConnection(() => sql`select ${1}::int as one`.execute(database.db))
  expect(next.rows).toEqual([{ one: 1 }])
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})
