import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { AbandonedError } from '../../src/foundation/concurrency/limiter.ts'
import { type Database, openDatabase } from '../../src/foundation/db/database.ts'
import { viewOf } from '../../src/foundation/db/lanes.ts'
import { acrossSchools, atSchool, inLane } from '../../src/foundation/db/school-db.ts'
import { LANES, type Lane } from '../../src/foundation/db/time-outs.ts'
import { isDatabaseUnavailable } from '../../src/foundation/db/unavailable.ts'
import { verifies } from '../spec/verifies.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { emptyDatabase, PATIENT } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/postgres.ts'

const connection = await emptyDatabase()
const admin = await connect(connection)
whenFileIsDone(() => admin.end())

function open(poolSize: number, timeOuts?: Readonly<Record<Lane, number>>): Database {
  const database = openDatabase({
    ...PATIENT,
    connection,
    poolSize,
    statementTimeoutMs: timeOuts ?? 60_000,
    // The client does not look at its connections: on a busy machine, PostgreSQL may be late to
    // cancel a statement.
    silence: { lookMs: 60_000 },
  })
  whenFileIsDone(() => database.close())
  return database
}

/** Process ids of the backends that sleep. */
async function sleepers(): Promise<readonly number[]> {
  const { rows } = await admin.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event = 'PgSleep' and pid <> pg_backend_pid()`,
  )
  return rows.map(({ pid }) => pid)
}

const untilAsleep = (many: number) =>
  vi.waitUntil(async () => (await sleepers()).length === many, eventually)

/** Ends what sleeps, until nothing does. */
async function wakeAll(): Promise<void> {
  await vi.waitUntil(async () => {
    const asleep = await sleepers()
    for (const pid of asleep) await admin.query('select pg_cancel_backend($1)', [pid])
    return asleep.length === 0
  }, eventually)
}

const sleep = sql`select pg_sleep(${60})`

describe('each class of work', () => {
  const database = open(4, { stranger: 1_000, interactive: 4_000, batch: 10_000 })

  test.each([
    ['stranger', '1s'],
    ['interactive', '4s'],
    ['batch', '10s'],
  ] as const)('%s has its own limit for statements', async (lane, limit) => {
    const db = viewOf(database.db, { lane, tenant: 'a school' })
    const { rows } = await sql<{ limit: string }>`
      select current_setting('statement_timeout') as limit, ${1}::int`.execute(db)
    expect(rows[0]?.limit).toBe(limit)
  })

  verifies(
    'house.tenancy.lane',
    'a statement of a stranger that takes too long is cancelled, and only that',
    async () => {
      const db = atSchool(database.db, '0190c0de-0000-7000-8000-00000000abcd', { lane: 'stranger' })
      await expect(db.run(sleep)).rejects.toMatchObject({ code: '57014' })
      expect((await db.run(sql`select ${1}::int as one`)).rows).toEqual([{ one: 1 }])
    },
  )
})

describe('a school whose work never ends', () => {
  test.each(LANES)('in the class %s leaves a connection for another school', async (lane) => {
    const database = open(12)
    const stuck = viewOf(database.db, { lane, tenant: 'stuck' })
    const calm = viewOf(database.db, { lane, tenant: 'calm' })
    const before = (await sleepers()).length
    const asleep = Array.from({ length: 10 }, () => sleep.execute(stuck))
    const ends = Promise.allSettled(asleep)
    const size = { stranger: 3, interactive: 6, batch: 4 }[lane]
    const most = Math.ceil((2 * size) / 3)
    await untilAsleep(before + most)
    for (let n = 0; n < 20; n++) {
      const answer = await sql`select ${n}::int as n`.execute(calm)
      expect(answer.rows).toEqual([{ n }])
    }
    expect(await sleepers()).toHaveLength(most)
    const work = calm.transaction().execute((tx) => sql`select ${1}::int as one`.execute(tx))
    expect((await work).rows).toEqual([{ one: 1 }])
    let ended = false
    void ends.then(() => (ended = true))
    while (!ended) {
      await wakeAll()
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

  test('is refused beyond a bound, with "try again", and no other school is', async () => {
    const database = open(2)
    const view = (share: string) => viewOf(database.db, { lane: 'batch', tenant: share })
    const storm = Promise.allSettled(
      Array.from({ length: 300 }, () => sql`select pg_sleep(${0.001})`.execute(view('stormy'))),
    )
    const calm = await sql`select ${1}::int as one`.execute(view('calm'))
    expect(calm.rows).toEqual([{ one: 1 }])
    const refused = (await storm).flatMap((one) => ('reason' in one ? [one.reason] : []))
    // One runs and 200 wait.
    expect(refused).toHaveLength(99)
    expect(refused.every((error) => isDatabaseUnavailable(error) && error.code === '53000')).toBe(
      true,
    )
  })
})

describe('a batch read whose caller is gone', () => {
  const database = open(12)
  const school = '0190c0de-0000-7000-8000-00000000abcd'

  function readFor(caller: AbortController, from = database) {
    const db = atSchool(from.db, school, { lane: 'stranger', gone: () => caller.signal })
    return inLane(db, 'batch')
  }

  test('is cancelled in PostgreSQL, and its connection serves the next', async () => {
    const small = open(2)
    const caller = new AbortController()
    const reading = readFor(caller, small).run(sleep)
    const ended = expect(reading).rejects.toBeInstanceOf(AbandonedError)
    await untilAsleep(1)
    const [pid] = await sleepers()
    caller.abort()
    await ended
    expect(await sleepers()).toEqual([])
    // The only connection of its class, which is free when the cancellation has ended too.
    const next = readFor(new AbortController(), small)
    const { rows } = await next.run(sql`select pg_backend_pid() as pid, ${1}::int as one`)
    expect(rows).toEqual([{ pid, one: 1 }])
  })

  test('ends its transaction too', async () => {
    const caller = new AbortController()
    const reading = readFor(caller).transaction((tx) => tx.run(sleep))
    const ended = expect(reading).rejects.toBeInstanceOf(AbandonedError)
    await untilAsleep(1)
    caller.abort()
    await ended
    const { rows } = await admin.query(
      `select from pg_stat_activity where datname = current_database() and state like 'idle in %'`,
    )
    expect(rows).toEqual([])
  })

  test('does not begin if the caller was gone before', async () => {
    const caller = new AbortController()
    caller.abort()
    await expect(readFor(caller).run(sleep)).rejects.toBeInstanceOf(AbandonedError)
    expect(await sleepers()).toEqual([])
  })

  test('leaves the line, so that the next one comes sooner', async () => {
    const stuck = Promise.allSettled(
      Array.from({ length: 3 }, () => readFor(new AbortController()).run(sleep)),
    )
    await untilAsleep(3)
    const caller = new AbortController()
    const waits = expect(readFor(caller).run(sleep)).rejects.toBeInstanceOf(AbandonedError)
    caller.abort()
    await waits
    await wakeAll()
    await stuck
  })
})

test('inside a transaction every view is the transaction itself', async () => {
  const database = open(2)
  await atSchool(database.db, '0190c0de-0000-7000-8000-00000000abcd').transaction(async (tx) => {
    const pid = async (run: () => Promise<{ rows: { pid: number }[] }>) =>
      (await run()).rows[0]?.pid
    const here = await pid(() => tx.run(sql`select pg_backend_pid() as pid`))
    expect(await pid(() => inLane(tx, 'batch').run(sql`select pg_backend_pid() as pid`))).toBe(here)
    const across = acrossSchools(tx)
    expect(
      await pid(() => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(across)),
    ).toBe(here)
  })
})
