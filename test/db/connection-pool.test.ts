import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { isDatabaseUnavailable, retryLostConnection } from '../../src/foundation/db/unavailable.ts'
import { emptyDatabase, PATIENT } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/postgres.ts'

const connection = await emptyDatabase()
const database = openDatabase({ ...PATIENT, connection, poolSize: 1 })
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
