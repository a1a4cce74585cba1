import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { isDatabaseUnavailable, retryLostConnection } from '../../src/foundation/db/unavailable.ts'
import { emptyDatabase } from '../support/database.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/postgres.ts'

const connection = await emptyDatabase()
const database = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 10_000 })
const admin = await connect(connection)
afterAll(async () => {
  await database.close()
  await admin.end()
})

/** Waits for a backend that sleeps, and ends it. */
async function cutSleeper(): Promise<void> {
  await vi.waitUntil(async () => {
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event = 'PgSleep'`,
    )
    return rowCount === 1
  }, eventually)
}

test('a connection cut while a statement runs fails that statement and nothing else', async () => {
  const uncaught: Error[] = []
  const note = (error: Error): void => void uncaught.push(error)
  process.on('uncaughtException', note)
  const running = sql`select pg_sleep(${30})`.execute(database.db)
  const failed = expect(running).rejects.toSatisfy(isDatabaseUnavailable)
  await cutSleeper()
  await failed
  const next = await retryLostConnection(() => sql`select ${1}::int as one`.execute(database.db))
  expect(next.rows).toEqual([{ one: 1 }])
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})

test('a transaction whose connection is cut fails as a whole, and the next one works', async () => {
  const failed = expect(
    database.db.transaction().execute((tx) => sql`select pg_sleep(${30})`.execute(tx)),
  ).rejects.toSatisfy(isDatabaseUnavailable)
  await cutSleeper()
  await failed
  const next = await database.db
    .transaction()
    .execute((tx) => sql`select ${1}::int as one`.execute(tx))
  expect(next.rows).toEqual([{ one: 1 }])
})

test('a silent connection is given up after the statement timeout, and replaced', async () => {
  const proxy = await aDatabaseProxy(connection)
  const other = openDatabase({
    connection: proxy.connection,
    poolSize: 1,
    statementTimeoutMs: 10_000,
  })
  await other.pool.query('select 1')
  proxy.silence()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = other.db.transaction().execute((tx) => sql`select ${1}::int`.execute(tx))
  let settled = false
  const failed = expect(asked.finally(() => (settled = true))).rejects.toSatisfy(
    isDatabaseUnavailable,
  )
  // PostgreSQL must always give up first.
  await vi.advanceTimersByTimeAsync(10_001)
  expect(settled).toBe(false)
  await vi.advanceTimersByTimeAsync(5_000)
  vi.useRealTimers()
  await failed
  expect((await other.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await other.close()
})
