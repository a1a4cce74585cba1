import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { SchoolDirectory } from '../../src/domain/schools/school-directory.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { type ConnectionSettings, Hosts } from '../../src/foundation/db/hosts.ts'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { trustNoProxy } from '../../src/foundation/http/client-address.ts'
import { readinessProbe } from '../../src/foundation/http/health.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { openPreparedDatabase } from '../../src/start/prepare.ts'
import { readinessChecks } from '../../src/start/readiness.ts'
import { listenForSchoolChanges } from '../../src/start/server.ts'
import { environmentOf, run, SECRET } from '../cli/support/run.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, refresh, revoke, userinfo } from '../support/client-like.ts'
import { emptyDatabase, PATIENT } from '../support/database.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { getFrom } from '../support/oauth-world.ts'
import { aWorld, World } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)
const primary = world.database.connection

/** Like a standby that is behind: it only reads, and does not know what happened since. */
const standby = await emptyDatabase()
await world.database.pool.query(
  `alter database ${standby.database} set default_transaction_read_only = on`,
)

function open(connection: ConnectionSettings) {
  const database = openDatabase({ ...PATIENT, connection, poolSize: 4 })
  onTestFinished(() => database.close())
  return database
}

async function aProcessOn(connection: ConnectionSettings): Promise<World> {
  const database = open(connection)
  // It knows its schools from before.
  const context = { ...world.context, db: database.db }
  const logger = createLogger({ level: 'silent' })
  const checks = readinessChecks(database, await loadMigrations(), () => false)
  const readiness = readinessProbe(checks, logger)
  const app = buildApp({ context, logger, trust: trustNoProxy, readiness })
  onTestFinished(() => app.close())
  return new World(app, world.database, context)
}

/** On which databases the connections of each kind are. */
async function databasesOf(database: ReturnType<typeof open>): Promise<readonly string[]> {
  const WHERE = 'select current_database() as name, $1::int'
  const answers = await Promise.all([
    ...Object.values(database.pools).map((pool) => pool.query<{ name: string }>(WHERE, [0])),
    database.pipelines.run<{ name: string }>(WHERE, [0]),
  ])
  return answers.map(({ rows }) => rows[0]?.name ?? '')
}

describe('a connection that only reads', () => {
  verifies(
    'bearer.only-the-primary',
    'is refused, so that a standby that is behind accepts no revoked token',
    async () => {
      const pair = await aPair(world, school, client, ada)
      const misled = await aProcessOn(standby)
      await getFrom(world, school, '/.well-known/oauth-authorization-server')
      await revoke(world, school, client, pair.refresh_token)
      for (const answer of [
        await userinfo(misled, school, pair.access_token),
        await refresh(misled, school, client, pair.refresh_token),
      ]) {
        expect([answer.statusCode, answer.json().error]).toEqual([503, 'temporarily_unavailable'])
      }
      expect((await getFrom(misled, school, '/readyz')).statusCode).toBe(503)
    },
  )

  test('is refused in the pools of every class and among shared connections', async () => {
    const database = open(standby)
    const asked = [
      ...Object.values(database.pools).map((pool) => pool.query('select 1')),
      database.pipelines.run('select $1::int', [1]),
    ]
    for (const one of await Promise.allSettled(asked)) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: '25006' } })
    }
  })

  test('hears of no change', async () => {
    const errors: Error[] = []
    const directory = new SchoolDirectory(world.database.db)
    const forget = vi.spyOn(directory, 'forget')
    const listener = await listenForSchoolChanges(directory, {
      connection: standby,
      pool: world.database.pool,
      onError: (error) => errors.push(error),
    })
    onTestFinished(() => listener.stop())
    // On a busy machine the first try may not get a connection in time.
    await vi.waitFor(
      () => expect(errors).toContainEqual(expect.objectContaining({ code: '25006' })),
      eventually,
    )
    expect(forget).not.toHaveBeenCalled()
  })

  test('is named by a start, by doctor and by commands, with what to do', async () => {
    const env = environmentOf(standby)
    const log = createLogger({ level: 'silent' })
    await expect(openPreparedDatabase(readConfig(env), log)).rejects.toMatchObject({
      name: 'StartError',
      message: 'This PostgreSQL accepts no writes.',
      remedy: expect.stringContaining('primary'),
    })
    for (const command of [
      ['doctor', '--json'],
      ['school', 'list', '--json'],
    ]) {
      const { code, stdout, stderr } = await run(command, env)
      expect(code).toBe(1)
      expect(stdout + stderr).toMatch(/standby or accepts no writes.*primary/s)
    }
  })
})

describe('several hosts', () => {
  const addressOf = async (database?: string) => {
    const proxy = await aDatabaseProxy(primary, { database })
    return { proxy, host: proxy.connection }
  }

  test('are tried until one is the primary, for every kind of connection', async () => {
    const nowhere = { ...primary, host: '127.0.0.1', port: 1 }
    const [behind, right] = [await addressOf(standby.database), await addressOf()]
    const database = open({ hosts: new Hosts([nowhere, behind.host, right.host]) })
    expect(new Set(await databasesOf(database))).toEqual(new Set([primary.database]))
  })

  test('another one is used when the primary vanishes without a word', async () => {
    const [first, second] = [await addressOf(), await addressOf()]
    const database = openDatabase({
      connection: { hosts: new Hosts([first.host, second.host]) },
      poolSize: 4,
      statementTimeoutMs: 10 * 60_000,
      connectMs: 1_500,
      silence: { lookMs: 20, doubtMs: 100, retryMs: 50 },
    })
    onTestFinished(() => database.close())
    // A busy machine may try it before the fault: then it is of no use.
    second.proxy.vanish()
    await vi.waitFor(() => databasesOf(database), eventually)
    first.proxy.vanish()
    second.proxy.comeBack()
    await vi.waitFor(() => databasesOf(database), eventually)
    expect(second.proxy.opened).toBeGreaterThan(0)
    await vi.waitFor(() => expect(first.proxy.open).toBe(0), eventually)
  })

  test('of DATABASE_URL work from the start, and commands find the primary, too', async () => {
    const fresh = await emptyDatabase()
    const { user, password, database } = fresh
    const proxies = [
      await aDatabaseProxy(fresh, { database: standby.database }),
      await aDatabaseProxy(fresh),
    ]
    const hosts = proxies.map(({ connection: at }) => `${at.host}:${at.port}`).join(',')
    const DATABASE_URL = `postgres://${user}:${password}@${hosts}/${database}?target_session_attrs=read-write`
    const env = { DATABASE_URL, SCHOOLGATE_SECRET: SECRET }
    const prepared = await openPreparedDatabase(readConfig(env), createLogger({ level: 'silent' }))
    expect(prepared.server.description).toBe(`PostgreSQL at ${hosts}/${database}`)
    const argv = ['school', 'create', '--subdomain', 'north', '--name', 'North', '--json']
    const { code } = await run([...argv, '--origin', 'https://north.example'], env)
    expect(code).toBe(0)
  })
})

test('a primary that stops to accept writes is 503, and its connections are given up', async () => {
  const other = await emptyDatabase()
  const database = open(other)
  await database.pool.query('select 1')
  await database.pool.query('set default_transaction_read_only = on')
  await expect(database.pool.query('create table things (id int)', [])).rejects.toMatchObject({
    code: '25006',
  })
  expect((await database.pool.query('create table things (id int)')).rows).toEqual([])
})
