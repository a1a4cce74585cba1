import { sql } from 'kysely'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { SchoolDirectory } from '../../src/domain/schools/school-directory.ts'
import { type Database, openDatabase } from '../../src/foundation/db/database.ts'
import { connectionOf } from '../../src/foundation/db/database-url.ts'
import { viewOf } from '../../src/foundation/db/lanes.ts'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { isDatabaseUnavailable } from '../../src/foundation/db/unavailable.ts'
import { trustNoProxy } from '../../src/foundation/http/client-address.ts'
import { readinessProbe } from '../../src/foundation/http/health.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { readinessChecks } from '../../src/start/readiness.ts'
import { listenForSchoolChanges } from '../../src/start/server.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { aDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { getFrom } from '../support/oauth-world.ts'
import { aWorld, World } from '../support/world.ts'
import { aLongStatement, LONG_STATEMENT } from './support/long-statement.ts'

/** PostgreSQL itself ends no statement of this file: only the silence can. */
const NEVER_MS = 10 * 60_000
/** A busy machine may take long to open a connection. */
const PATIENT_MS = 30_000
/**
 * For tests in which PostgreSQL does not answer; they open their connections before, in as many
 * tries as it takes.
 */
const IMPATIENT_MS = 1_500
/** A process of PostgreSQL may stand still for two seconds before it reads a statement. */
const PACE = { lookMs: 20, doubtMs: 2_500, retryMs: 500 }

const world = await aWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)

interface Proxied {
  readonly world: World
  readonly proxy: DatabaseProxy
  readonly database: Database
}

/** A process whose way to the database can fall silent, until the test of the context is done. */
async function aProxiedProcess(
  { onTestFinished }: TestContext,
  connectMs = PATIENT_MS,
): Promise<Proxied> {
  const proxy = await aDatabaseProxy(world.database.connection)
  const database = openDatabase({
    connection: proxy.connection,
    poolSize: 6,
    statementTimeoutMs: NEVER_MS,
    connectMs,
    silence: PACE,
  })
  const context = { ...world.context, db: database.db, directory: new SchoolDirectory(database.db) }
  const logger = createLogger({ level: 'silent' })
  const checks = readinessChecks(database, await loadMigrations(), () => false)
  const readiness = readinessProbe(checks, logger)
  const app = buildApp({ context, logger, trust: trustNoProxy, readiness })
  onTestFinished(async () => {
    await app.close()
    await database.close()
  })
  return { world: new World(app, world.database, context), proxy, database }
}

const inBatch = ({ database }: Proxied) =>
  sql`select ${1}::int as one`.execute(viewOf(database.db, { lane: 'batch', tenant: '' }))

/** Uses a connection of every kind. */
async function useAll(process: Proxied, accessToken: string): Promise<readonly number[]> {
  const answers = await Promise.all([
    userinfo(process.world, school, accessToken),
    getFrom(process.world, school, '/'),
    getFrom(process.world, school, '/readyz'),
  ])
  const inTransaction = process.database.db
    .transaction()
    .execute((tx) => sql`select ${1}::int`.execute(tx))
  const ends = await Promise.allSettled([inTransaction, inBatch(process)])
  const reasons = ends.flatMap((end) => ('reason' in end ? [end.reason] : []))
  expect(reasons.every(isDatabaseUnavailable)).toBe(true)
  return answers.map(({ statusCode }) => statusCode)
}

/** The same for a PostgreSQL that vanishes, with connections of every kind. */
async function aProcessAboutToLosePostgres(
  context: TestContext,
  accessToken: string,
): Promise<Proxied> {
  const process = await aProxiedProcess(context, IMPATIENT_MS)
  await vi.waitFor(
    async () => expect(await useAll(process, accessToken)).toEqual([200, 200, 200]),
    eventually,
  )
  return process
}

describe('connections that fall silent while PostgreSQL can be reached', () => {
  verifies(
    'token.database-silent',
    'are replaced, and a refresh that met one is answered',
    async (context) => {
      const pair = await aPair(world, school, client, ada)
      const process = await aProxiedProcess(context)
      expect(await useAll(process, pair.access_token)).toEqual([200, 200, 200])
      process.proxy.silence()
      const answer = await refresh(process.world, school, client, pair.refresh_token)
      expect(answer.statusCode).toBe(200)
      expect(await useAll(process, answer.json().access_token)).toEqual([200, 200, 200])
    },
  )

  test('are closed, also the idle ones of every class', async (context) => {
    const pair = await aPair(world, school, client, ada)
    const process = await aProxiedProcess(context)
    await useAll(process, pair.access_token)
    const before = process.proxy.open
    expect(before).toBeGreaterThan(3)
    process.proxy.silence()
    await inBatch(process).catch((error) => expect(isDatabaseUnavailable(error)).toBe(true))
    await vi.waitFor(() => expect(process.proxy.open).toBe(0), eventually)
  })

  test('include the one that listens for changes, long before its heartbeat', async (context) => {
    const process = await aProxiedProcess(context)
    const errors: Error[] = []
    const { directory } = process.world.context
    const confirm = vi.spyOn(directory, 'confirm')
    const listener = await listenForSchoolChanges(directory, {
      connection: process.proxy.connection,
      pool: process.database.pool,
      watch: process.database.watch,
      onError: (error) => errors.push(error),
      pace: { heartbeatMs: NEVER_MS, answerMs: NEVER_MS, firstRetryMs: 10, longestRetryMs: 50 },
    })
    context.onTestFinished(() => listener.stop())
    await inBatch(process)
    // A connection for the echo that is only half open would be given up much later.
    await vi.waitFor(() => expect(confirm).toHaveBeenCalled(), eventually)
    const forget = vi.spyOn(directory, 'forget')
    errors.length = 0
    process.proxy.silence()
    await inBatch(process).catch(() => undefined)
    await vi.waitFor(() => expect(errors).not.toEqual([]), eventually)
    await vi.waitFor(() => expect(forget).toHaveBeenCalled(), eventually)
  })
})

test('a long statement is left alone as long as PostgreSQL works on it', async (context) => {
  const process = await aProxiedProcess(context)
  const long = await aLongStatement(world.database.connection)
  const text = `${LONG_STATEMENT}, $1::int`
  const answers = Promise.all([
    process.database.pool.query<{ it: string }>(text, [0]),
    process.database.pipelines.run<{ it: string }>(text, [0]),
  ])
  await long.untilAskedAbout(process.proxy, 2)
  await long.end()
  const [alone, shared] = await answers
  expect([alone.rows[0]?.it, shared.rows[0]?.it]).toEqual(['done', 'done'])
})

// Most of these tests wait for a silence to last long enough.
describe.concurrent('a PostgreSQL that vanishes without closing its connections', () => {
  verifies(
    ['token.database-silent', 'bearer.no-verdict'],
    'is 503 for every request that runs or comes, readiness fails, and all is well when it is back',
    async (context) => {
      const pair = await aPair(world, school, client, ada)
      const process = await aProcessAboutToLosePostgres(context, pair.access_token)
      process.proxy.vanish()
      const [statuses, refreshed] = await Promise.all([
        useAll(process, pair.access_token),
        refresh(process.world, school, client, pair.refresh_token),
      ])
      expect(statuses).toEqual([503, 503, 503])
      expect([refreshed.statusCode, refreshed.json().error]).toEqual([
        503,
        'temporarily_unavailable',
      ])
      expect(refreshed.headers['retry-after']).toMatch(/^\d+$/)
      process.proxy.comeBack()
      await vi.waitFor(async () => {
        expect((await getFrom(process.world, school, '/readyz')).statusCode).toBe(200)
      }, eventually)
      await vi.waitFor(async () => {
        const again = await refresh(process.world, school, client, pair.refresh_token)
        expect(again.statusCode).toBe(200)
        expect(await useAll(process, again.json().access_token)).toEqual([200, 200, 200])
      }, eventually)
    },
  )

  test('makes no later request wait: each is refused without a connection of its own', async (context) => {
    const pair = await aPair(world, school, client, ada)
    const process = await aProcessAboutToLosePostgres(context, pair.access_token)
    process.proxy.vanish()
    await useAll(process, pair.access_token)
    const [openedBefore, crowd] = [process.proxy.opened, 300]
    const answers = await Promise.all(
      Array.from({ length: crowd }, () => userinfo(process.world, school, pair.access_token)),
    )
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([503]))
    expect(process.proxy.opened - openedBefore).toBeLessThan(crowd / 4)
  })

  test('before the first connection is found, too', async (context) => {
    const process = await aProxiedProcess(context, IMPATIENT_MS)
    process.proxy.vanish()
    expect(await useAll(process, 'anything')).toEqual([503, 503, 503])
  })

  test('does not keep the database from being closed', async (context) => {
    const pair = await aPair(world, school, client, ada)
    const process = await aProcessAboutToLosePostgres(context, pair.access_token)
    const listener = await listenForSchoolChanges(process.world.context.directory, {
      connection: process.proxy.connection,
      pool: process.database.pool,
      watch: process.database.watch,
      onError: () => undefined,
    })
    process.proxy.vanish()
    const running = userinfo(process.world, school, pair.access_token)
    await listener.stop()
    await process.database.close()
    expect((await running).statusCode).toBe(503)
  })
})

test('a statement that PostgreSQL works on although it should have ended is given up at its limit', async ({
  onTestFinished,
}) => {
  const database = openDatabase({
    connection: world.database.connection,
    poolSize: 2,
    statementTimeoutMs: 3_000,
    connectMs: PATIENT_MS,
    silence: PACE,
  })
  onTestFinished(() => database.close())
  // As if its process were stopped: PostgreSQL knows no limit here, and does not end the statement.
  await database.pool.query('set statement_timeout = 0')
  const { rows } = await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const stuck = database.pool.query('select pg_sleep(600), $1::int', [0])
  await expect(stuck).rejects.toThrow(/silent for too long/)
  expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await world.database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
})

test('a name in DATABASE_URL does not make a long statement look dead', async ({
  onTestFinished,
}) => {
  const long = await aLongStatement(world.database.connection)
  const proxy = await aDatabaseProxy(world.database.connection)
  const { host, port, user, password, database: name } = proxy.connection
  const url = `postgres://${user}:${password}@${host}:${port}/${name}?application_name=theirs`
  const database = openDatabase({
    connection: connectionOf(url),
    poolSize: 6,
    statementTimeoutMs: NEVER_MS,
    connectMs: PATIENT_MS,
    silence: PACE,
  })
  onTestFinished(() => database.close())
  const answer = sql<{ it: string }>`${sql.raw(LONG_STATEMENT)}`.execute(database.db)
  await long.untilAskedAbout(proxy, 1)
  await long.end()
  expect((await answer).rows).toEqual([{ it: 'done' }])
})
