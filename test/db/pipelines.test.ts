import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { Pipelines } from '../../src/foundation/db/pipelines.ts'
import { giveUpAfter, TIME_OUTS } from '../../src/foundation/db/time-outs.ts'
import { isDatabaseUnavailable } from '../../src/foundation/db/unavailable.ts'
import { PATIENT, testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/postgres.ts'

const { pool, pipelines, watch, connection } = await testDatabase()
await pool.query('create table things (id int primary key, size int)')
await pool.query('insert into things select n, n * 10 from generate_series(1, 100) n')

const FIND = 'select id, size from things where id = $1'
const find = (id: number) => pipelines.run<{ id: number; size: number }>(FIND, [id])
const divide = (by: number) => pipelines.run<{ it: number }>('select 12 / $1::int as it', [by])

async function sessionOf(one: typeof pipelines): Promise<number> {
  const { rows } = await one.run<{ pid: number }>('select pg_backend_pid() as pid, $1::int', [0])
  return rows[0]?.pid ?? 0
}

/** How many connections to this database meet the condition. */
async function backends(condition: string): Promise<number> {
  const { rows } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and ${condition}`,
  )
  return rows.length
}

const anotherDatabase = (poolSize: number) => openDatabase({ ...PATIENT, connection, poolSize })

/** Keeps the connection busy until `end` is called. */
async function aLongStatement(one: typeof pipelines) {
  const session = await sessionOf(one)
  const begunAt = performance.now()
  const cancelled = expect(one.run('select pg_sleep(60), $1::int', [0])).rejects.toMatchObject({
    code: '57014',
  })
  const isRunning = `pid = ${session} and wait_event = 'PgSleep'`
  await vi.waitUntil(async () => (await backends(isRunning)) === 1, eventually)
  const end = async (): Promise<void> => {
    await pool.query('select pg_cancel_backend($1)', [session])
    await cancelled
  }
  return { session, begunAt, end }
}

/**
 * Sends statements that find the connection silent for twenty milliseconds, by a clock of their
 * own, and waits until they could not open another connection.
 */
async function sendBehind<R>(
  one: typeof pipelines,
  { begunAt }: { readonly begunAt: number },
  send: () => Promise<R>,
): Promise<{ readonly answered: Promise<R> }> {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(begunAt + 20)
  const answered = send()
  expect(one.connections).toBe(2)
  await vi.waitUntil(() => one.connections === 1, eventually)
  clock.mockRestore()
  return { answered }
}

/** PostgreSQL requires that this runs in another database. */
async function allowConnections(allowed: boolean): Promise<void> {
  const elsewhere = new pg.Client({ ...connection, database: 'postgres' })
  await elsewhere.connect()
  await elsewhere.query(`alter database "${connection.database}" with allow_connections ${allowed}`)
  await elsewhere.end()
}

test('many statements at once share a connection, and each gets its own answer', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => find(n + 1)))
  expect(answers.map(({ rows }) => rows)).toEqual(
    Array.from({ length: 60 }, (_, n) => [{ id: n + 1, size: (n + 1) * 10 }]),
  )
  expect(pipelines.connections).toBe(1)
})

test('a statement that fails does not fail the others', async () => {
  const results = await Promise.allSettled([divide(3), divide(0), divide(4), divide(0), find(7)])
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect((await divide(6)).rows).toEqual([{ it: 2 }])
})

test('a statement that cannot be parsed, sent twice at once, fails twice with the reason', async () => {
  const nonsense = () => pipelines.run('select nothing_like_it from things where id = $1', [1])
  const results = await Promise.allSettled([nonsense(), nonsense(), find(1)])
  expect(results).toMatchObject([
    { status: 'rejected', reason: { code: '42703' } },
    { status: 'rejected', reason: { code: '42703' } },
    { status: 'fulfilled', value: { rows: [{ id: 1 }] } },
  ])
})

test('statements that run while a table is altered are all answered', async () => {
  const all = () => pipelines.run<object>('select * from things where id < $1', [2])
  await all()
  await pool.query('alter table things add column colour text')
  const answers = await Promise.all([all(), all(), all()])
  expect(answers.map(({ rows }) => rows)).toEqual(
    Array(3).fill([{ id: 1, size: 10, colour: null }]),
  )
})

test('a statement that waits for a lock delays no later statement', async () => {
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from things where id = 50 for update')
  const waits = pipelines.run('update things set size = size + $1 where id = 50', [1])
  await vi.waitUntil(async () => {
    return (await backends(`wait_event_type = 'Lock'`)) === 1
  }, eventually)
  for (let n = 1; n <= 20; n++) expect((await find(n)).rows).toHaveLength(1)
  await holder.query('commit')
  holder.release()
  await waits
  expect((await find(50)).rows).toMatchObject([{ size: 501 }])
})

test('statements that wait for one lock delay no others, even if they are more than the connections', async () => {
  const other = anotherDatabase(8)
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from things where id = 60 for update')
  let refused = 0
  const waiters = Array.from({ length: 15 }, () =>
    other.pipelines.run('update things set size = size + $1 where id = 60', [1]),
  )
  for (const waiter of waiters) waiter.catch(() => refused++)
  const results = Promise.allSettled(waiters)
  // Two of the four connections of the pool wait for the lock, and eight statements for them; the
  // others fail with "try again".
  await vi.waitUntil(() => refused === 5, eventually)
  for (let n = 1; n <= 20; n++) expect((await other.pipelines.run(FIND, [n])).rows).toHaveLength(1)
  await holder.query('commit')
  holder.release()
  const outcomes = await results
  const reasons = outcomes.flatMap((outcome) => ('reason' in outcome ? [outcome.reason] : []))
  expect(reasons.map(isDatabaseUnavailable)).toEqual(Array(5).fill(true))
  expect((await find(60)).rows).toMatchObject([{ size: 610 }])
  await other.close()
})

test('a school whose statement waits for a lock is not refused while two others hold all places', async () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const three = new Pipelines({
    connection: { ...connection, options: '-c lock_timeout=100' },
    onIdleError: () => undefined,
    // One, so that a statement is answered after those that were sent before it.
    maxConnections: 1,
    maxAlone: 3,
    waitMs: 30_000,
    watch,
    connectMs: 30_000,
    giveUpMs: 30_000,
    runAlone: async (_text, _values, share) => {
      begun.push(share)
      await new Promise<void>((resolve) => ends.push(resolve))
      return { rows: [] }
    },
  })
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from things where id in (66, 67, 68) for update')
  const refused: string[] = []
  const wait = (id: number, school: string) =>
    three
      .run(`update things set size = size + $1 where id = ${id}`, [1], school)
      .catch(() => refused.push(school))
  const all = [
    ...Array.from({ length: 4 }, () => wait(66, 'stormy')),
    ...Array.from({ length: 4 }, () => wait(67, 'windy')),
    wait(68, 'third'),
  ]
  try {
    await three.run(FIND, [1], 'calm')
    await new Promise((resolve) => setImmediate(resolve))
    expect({ begun, refused }).toEqual({ begun: ['stormy', 'stormy', 'windy'], refused: [] })
    for (const end of ends.splice(0)) end()
    await vi.waitUntil(() => begun.length === 6, eventually)
    // Each has a turn.
    expect(begun.slice(3).toSorted()).toEqual(['stormy', 'third', 'windy'])
  } finally {
    let left = all.length
    for (const one of all) void one.finally(() => left--)
    await vi.waitUntil(() => {
      for (const end of ends.splice(0)) end()
      return left === 0
    }, eventually)
    await holder.query('rollback')
    holder.release()
    await three.end()
  }
  expect(refused).toEqual([])
})

test('members who wait for a lock at one school hold up no statement of another school', async () => {
  const other = anotherDatabase(8)
  const wait = () =>
    other.pipelines.run('update things set size = size + $1 where id = 65', [1], 'stuck')
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from things where id = 65 for update')
  const first = wait()
  await vi.waitUntil(async () => {
    return (
      (await backends(
        `wait_event_type = 'Lock' and application_name ~ '^schoolgate [0-9a-f]+$'`,
      )) === 1
    )
  }, eventually)
  // While one waits alone, the same statements of its school do not reach the shared connections.
  const others = Promise.allSettled(Array.from({ length: 50 }, wait))
  expect(
    await backends(`wait_event_type = 'Lock' and application_name like 'schoolgate pipeline %'`),
  ).toBe(0)
  const calm = Array.from({ length: 40 }, (_, n) => other.pipelines.run(FIND, [n + 1], 'calm'))
  expect(await Promise.all(calm)).toHaveLength(40)
  expect((await other.pool.query('select 1 as one', [], 'calm')).rows).toEqual([{ one: 1 }])
  await holder.query('commit')
  holder.release()
  await first
  const refused = (await others).filter(({ status }) => status === 'rejected')
  // One of them waits beside the first, eight in line.
  expect(refused).toHaveLength(41)
  await other.close()
})

test('a school that sends thousands of statements at once is refused beyond a bound, another is not', async () => {
  const other = anotherDatabase(2)
  await sessionOf(other.pipelines)
  const storm = Array.from({ length: 3_000 }, () => other.pipelines.run(FIND, [1], 'stormy'))
  const results = Promise.allSettled(storm)
  expect((await other.pipelines.run(FIND, [2], 'calm')).rows).toEqual([{ id: 2, size: 20 }])
  const reasons = (await results).flatMap((one) => ('reason' in one ? [one.reason] : []))
  expect(reasons.length).toBeGreaterThan(0)
  expect(reasons.every(isDatabaseUnavailable)).toBe(true)
  await other.close()
})

test('a statement that waits for a lock after a failed attempt to connect waits alone, too', async () => {
  const other = anotherDatabase(4)
  const holder = await connect(connection)
  await holder.query('begin')
  await holder.query('select from things where id = 70 for update')
  await other.pool.query('select 1')
  const long = await aLongStatement(other.pipelines)
  await allowConnections(false)
  try {
    const { answered } = await sendBehind(other.pipelines, long, () =>
      other.pipelines.run('update things set size = size + $1 where id = 70', [1]),
    )
    await long.end()
    await vi.waitUntil(async () => {
      return (
        (await backends(
          `wait_event_type = 'Lock' and application_name ~ '^schoolgate [0-9a-f]+$'`,
        )) === 1
      )
    }, eventually)
    await holder.query('commit')
    await answered
  } finally {
    await allowConnections(true)
  }
  await holder.end()
  expect((await find(70)).rows).toMatchObject([{ size: 701 }])
  await other.close()
})

test('while PostgreSQL accepts no further connections, the open ones run all statements', async () => {
  const other = anotherDatabase(4)
  const long = await aLongStatement(other.pipelines)
  await allowConnections(false)
  try {
    const { answered } = await sendBehind(other.pipelines, long, () =>
      Promise.all([other.pipelines.run(FIND, [1]), sessionOf(other.pipelines)]),
    )
    await long.end()
    const [found, foundBy] = await answered
    expect(found.rows).toHaveLength(1)
    expect(foundBy).toBe(long.session)
    expect(other.pipelines.connections).toBe(1)
  } finally {
    await allowConnections(true)
  }
  await other.close()
})

test('if all connections have waiting statements, the one silent for longest is chosen last', async () => {
  const other = anotherDatabase(4)
  const first = await sessionOf(other.pipelines)
  const stalled = other.pipelines.run('select pg_sleep(0.3), $1::int', [0])
  const start = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(start + 1_000)
  const second = other.pipelines.run<{ pid: number }>(
    'select pg_sleep(0.1), pg_backend_pid() as pid, $1::int',
    [0],
  )
  clock.mockReturnValue(start + 2_000)
  const third = sessionOf(other.pipelines)
  clock.mockRestore()
  expect((await second).rows[0]?.pid).not.toBe(first)
  expect(await third).toBe((await second).rows[0]?.pid)
  await stalled
  await other.close()
})

test('slow statements are spread over several connections', async () => {
  const other = anotherDatabase(6)
  const slow = () => other.pipelines.run('select pg_sleep(0.06), $1::int', [0])
  await slow()
  expect(other.pipelines.connections).toBe(1)
  await Promise.all(Array.from({ length: 9 }, slow))
  expect(other.pipelines.connections).toBe(3)
  await other.close()
})

test('a connection that is cut is replaced, and all statements on it fail', async () => {
  const other = anotherDatabase(1)
  const session = await sessionOf(other.pipelines)
  const sleeps = other.pipelines.run('select pg_sleep(60), $1::int', [0])
  const behind = other.pipelines.run(FIND, [1])
  const results = Promise.allSettled([sleeps, behind])
  await vi.waitUntil(async () => {
    return (await backends(`wait_event = 'PgSleep'`)) === 1
  }, eventually)
  await pool.query('select pg_terminate_backend($1)', [session])
  for (const result of await results) {
    expect(result.status).toBe('rejected')
    expect(result.status === 'rejected' && isDatabaseUnavailable(result.reason)).toBe(true)
  }
  expect((await other.pipelines.run(FIND, [2])).rows).toEqual([{ id: 2, size: 20 }])
  expect(await sessionOf(other.pipelines)).not.toBe(session)
  await other.close()
})

test('a connection that is cut while it is idle is reported, and replaced', async () => {
  const onIdleError = vi.fn()
  const other = openDatabase({ ...PATIENT, connection, poolSize: 1, onIdleError })
  const session = await sessionOf(other.pipelines)
  await pool.query('select pg_terminate_backend($1)', [session])
  await vi.waitUntil(() => onIdleError.mock.calls.length > 0, eventually)
  expect(await sessionOf(other.pipelines)).not.toBe(session)
  await other.close()
})

test('a database that does not exist fails every statement with that reason', async () => {
  const away = openDatabase({
    ...PATIENT,
    connection: { ...connection, database: 'no_such_database' },
    poolSize: 1,
  })
  for (let n = 0; n < 2; n++) {
    await expect(away.pipelines.run(FIND, [1])).rejects.toMatchObject({ code: '3D000' })
  }
  await away.close()
})

test('a statement that would wait for seconds fails at once with "database busy"', async () => {
  const other = anotherDatabase(1)
  await sessionOf(other.pipelines)
  const slow = other.pipelines.run('select pg_sleep(0.3), $1::int', [0])
  const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 6_000)
  const refused = await other.pipelines.run(FIND, [1]).catch((error) => error)
  later.mockRestore()
  expect(refused.message).toMatch(/answered nothing/)
  expect(isDatabaseUnavailable(refused)).toBe(true)
  await slow
  expect((await other.pipelines.run(FIND, [1])).rows).toHaveLength(1)
  await other.close()
})

test('PostgreSQL cancels a statement that takes too long, and its connection stays', async () => {
  const other = openDatabase({
    ...PATIENT,
    connection,
    poolSize: 1,
    statementTimeoutMs: 1_000,
    // The client does not look at its connections: on a busy machine, PostgreSQL may be late.
    silence: { lookMs: 60_000 },
  })
  const session = await sessionOf(other.pipelines)
  const tooLong = other.pipelines.run('select pg_sleep(60), $1::int', [0])
  await expect(tooLong).rejects.toMatchObject({ code: '57014' })
  expect(await sessionOf(other.pipelines)).toBe(session)
  await other.close()
})

test.each([1, 200, 1_500, 60_000])(
  'the client gives up a connection long after PostgreSQL would cancel a statement of %i ms',
  (limitMs) => {
    expect(giveUpAfter(limitMs)).toBeGreaterThanOrEqual(limitMs + TIME_OUTS.beyondLimit)
  },
)

test('after a statement with a long wait, many statements at once do not fail with "database busy"', async () => {
  const other = anotherDatabase(2)
  await sessionOf(other.pipelines)
  const slow = other.pipelines.run('select pg_sleep(0.2), $1::int', [0])
  const before = performance.now()
  const later = vi.spyOn(performance, 'now').mockImplementation(() => before + 4_900)
  await slow
  later.mockRestore()
  const crowd = Array.from({ length: 200 }, () => other.pipelines.run(FIND, [1]))
  expect(await Promise.all(crowd)).toHaveLength(200)
  await other.close()
})

test('closing while a connection opens settles the statements that wait for it', async () => {
  const other = anotherDatabase(1)
  const [asked] = await Promise.allSettled([other.pipelines.run(FIND, [1]), other.close()])
  if (asked.status === 'rejected') expect(isDatabaseUnavailable(asked.reason)).toBe(true)
  else expect(asked.value.rows).toHaveLength(1)
})

test('closing waits for the statements that run and refuses further ones', async () => {
  const other = anotherDatabase(1)
  await sessionOf(other.pipelines)
  const slow = other.pipelines.run<{ it: number }>('select pg_sleep(0.05), $1::int as it', [5])
  const closed = other.close()
  await expect(async () => await other.pipelines.run(FIND, [1])).rejects.toThrow(/closed/)
  await closed
  expect((await slow).rows).toMatchObject([{ it: 5 }])
})
