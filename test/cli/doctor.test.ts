import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { judgeRole } from '../../src/cli/doctor/check-database.ts'
import { checkDataFolder, checkMetrics } from '../../src/cli/doctor/check-installation.ts'
import { readConfig } from '../../src/config.ts'
import { createDemoWorld } from '../../src/demo/demo-world.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'
import { portOf } from '../support/raw-http.ts'
import { environmentOf, run, SECRET } from './support/run.ts'

const demo = await testDatabase()
await createDemoWorld(demo.db, { port: 3000, keyring: new Keyring(SECRET) })
const folder = await mkdtemp(join(tmpdir(), 'schoolgate-doctor-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Finding {
  check: string
  status: string
  message: string
  remedy?: string
}

async function examine(
  env: Record<string, string>,
): Promise<{ code: number; findings: Finding[] }> {
  const { code, json } = await run(['doctor', '--json'], { PORT: String(await freePort()), ...env })
  expect(json.ok).toBe(code === 0)
  return { code, findings: json.findings }
}

const of = (findings: Finding[], check: string) =>
  findings.filter((finding) => finding.check === check)

async function freePort(): Promise<number> {
  const server = createHttpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  return port
}

async function listening<R>(
  answer: RequestListener,
  work: (port: string) => Promise<R>,
): Promise<R> {
  const server = createHttpServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await work(String(portOf(server)))
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

test('a healthy installation is reported part by part, with exit code 0', async () => {
  const { code, findings } = await examine(environmentOf(demo.connection))
  expect(code).toBe(0)
  for (const check of [
    'configuration',
    'port',
    'database',
    'migrations',
    'clock',
    'secret',
    'schools',
  ]) {
    expect(of(findings, check), check).toMatchObject([{ status: 'ok' }])
  }
  const text = await run(['doctor'], {
    ...environmentOf(demo.connection),
    PORT: String(await freePort()),
  })
  expect(text.stdout).toMatch(/^\[ ok \] configuration: .*\n[\s\S]*Nothing is broken\.\n$/)
})

test('a school without signing keys is a note, not a failure', async () => {
  const { findings } = await examine(environmentOf(demo.connection))
  expect(of(findings, 'keys')).toMatchObject([
    { status: 'note', message: expect.stringContaining('heritage'), remedy: expect.any(String) },
  ])
})

test('each wrong variable is its own finding', async () => {
  const { code, findings } = await examine({
    PORT: 'x',
    WORKERS: 'many',
    DATABASE_URL: 'mysql://x',
  })
  expect(code).toBe(1)
  expect(findings.map(({ status }) => status)).toEqual(['broken', 'broken', 'broken'])
})

test('a misspelt variable is a note', async () => {
  const { code, findings } = await examine({
    ...environmentOf(demo.connection),
    SCHOOLGATE_DATADIR: '/srv/schoolgate',
  })
  expect(code).toBe(0)
  expect(of(findings, 'configuration')).toMatchObject([
    { status: 'ok' },
    { status: 'note', message: expect.stringContaining('SCHOOLGATE_DATADIR is no setting') },
  ])
})

test('the Node that runs it is judged', async () => {
  const { findings } = await examine(environmentOf(demo.connection))
  expect(of(findings, 'node')).toMatchObject([
    { message: expect.stringContaining(process.versions.node) },
  ])
})

test('a secret that cannot decrypt the signing keys is reported', async () => {
  const env = {
    ...environmentOf(demo.connection),
    SCHOOLGATE_SECRET: 'another secret, as long as it has to be',
  }
  const { code, findings } = await examine(env)
  expect(code).toBe(1)
  expect(of(findings, 'secret')).toMatchObject([
    { status: 'broken', message: expect.stringContaining('demo/') },
  ])
})

test('demo accounts in production are reported as broken', async () => {
  const { code, findings } = await examine({
    ...environmentOf(demo.connection),
    NODE_ENV: 'production',
  })
  expect(code).toBe(1)
  expect(of(findings, 'demo accounts')).toMatchObject([
    { status: 'broken', message: expect.stringContaining('owner@demo.test') },
  ])
})

test('https schools without a trusted proxy are reported', async () => {
  const { db, connection } = await testDatabase()
  await db
    .insertInto('schools')
    .values({
      id: '0198c0de-0000-7000-8000-000000000001',
      subdomain: 'north',
      origin: 'https://north.example',
      name: 'N',
    })
    .execute()
  const env = environmentOf(connection)
  expect(of((await examine(env)).findings, 'origins')).toMatchObject([{ status: 'note' }])
  expect(of((await examine({ ...env, TRUST_PROXY: 'loopback' })).findings, 'origins')).toEqual([])
})

describe('the database', () => {
  test('that does not answer is broken, and the other findings are still reported', async () => {
    const env = { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x', SCHOOLGATE_SECRET: SECRET }
    const { code, findings } = await examine(env)
    expect(code).toBe(1)
    expect(of(findings, 'database')).toMatchObject([
      { status: 'broken', remedy: expect.stringContaining('DATABASE_URL') },
    ])
    expect(of(findings, 'port')).toMatchObject([{ status: 'ok' }])
  })

  test('that does not exist on the server is reported with its name', async () => {
    const { code, findings } = await examine(
      environmentOf({ ...demo.connection, database: 'misspelt' }),
    )
    expect(code).toBe(1)
    expect(of(findings, 'database')).toMatchObject([
      {
        status: 'broken',
        message: expect.stringMatching(/\/misspelt .* no such database/),
        remedy: expect.stringContaining('correct its name in DATABASE_URL'),
      },
    ])
  })

  test('with pending or edited migrations is broken; an empty one is not', async () => {
    const connection = await emptyDatabase()
    const client = await connect(connection)
    const migrations = async () =>
      of((await examine(environmentOf(connection))).findings, 'migrations')
    await client.query("update schema_migrations set digest = 'edited' where number = 1")
    expect(await migrations()).toMatchObject([
      { status: 'broken', message: expect.stringContaining('was changed') },
    ])
    await client.query('delete from schema_migrations where number > 3')
    await client.query('delete from schema_migrations where number = 1')
    expect(await migrations()).toMatchObject([
      { status: 'broken', remedy: expect.stringContaining('migrate') },
    ])
    await client.query('drop schema public cascade; create schema public')
    expect(await migrations()).toMatchObject([{ status: 'note' }])
    // Its first start makes the extension for searches.
    expect(of((await examine(environmentOf(connection))).findings, 'search')).toEqual([])
    const { rows } = await client.query("select to_regclass('public.schools') as schools")
    expect(rows).toEqual([{ schools: null }])
    await client.end()
  })
})

describe('the port', () => {
  const port = async (answer: RequestListener) =>
    await listening(answer, async (PORT) => {
      const { findings } = await examine({ ...environmentOf(demo.connection), PORT })
      return of(findings, 'port')
    })

  test('with our ready server on it is fine', async () => {
    const ready = JSON.stringify({ status: 'ready', checks: [{ name: 'database', ok: true }] })
    expect(await port((_, response) => response.end(ready))).toMatchObject([{ status: 'ok' }])
  })

  test('with our server not ready is broken, with the reason of the server', async () => {
    const checks = [{ name: 'database', ok: false, problem: 'The database does not answer.' }]
    const answer: RequestListener = (_, response) =>
      response.writeHead(503).end(JSON.stringify({ status: 'not ready', checks }))
    expect(await port(answer)).toMatchObject([
      {
        status: 'broken',
        message: expect.stringContaining('database: The database does not answer.'),
      },
    ])
  })

  test('that another program uses is broken', async () => {
    for (const text of ['<h1>hello</h1>', '{"status":"fine"}', '']) {
      expect(await port((_, response) => response.end(text))).toMatchObject([
        { status: 'broken', message: expect.stringContaining('Another program') },
      ])
    }
    expect(await port((request) => request.destroy())).toMatchObject([{ status: 'broken' }])
  })
})

describe('the data folder', () => {
  test('that does not exist is a note, and is not created', async () => {
    const dataDir = join(folder, 'not-yet')
    const { code, findings } = await examine({ SCHOOLGATE_DATA_DIR: dataDir })
    expect(code).toBe(0)
    expect(of(findings, 'data folder')).toMatchObject([{ status: 'note' }])
    expect(of(findings, 'database')).toEqual([])
    await expect(chmod(dataDir, 0o700)).rejects.toThrow(/ENOENT/)
  })

  test('that is a file, or whose secret other users can read, is broken', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const blocked = await examine({ SCHOOLGATE_DATA_DIR: file })
    expect(of(blocked.findings, 'data folder')).toMatchObject([
      { status: 'broken', message: expect.stringContaining('no folder') },
    ])
    const open = join(folder, 'open')
    await mkdir(open)
    await writeFile(join(open, 'secret'), 'x'.repeat(40))
    await chmod(join(open, 'secret'), 0o644)
    const findings = await checkDataFolder(readConfig({ SCHOOLGATE_DATA_DIR: open }))
    expect(findings).toMatchObject([
      { status: 'broken', remedy: `run: chmod 600 ${join(open, 'secret')}` },
    ])
  })
})

test('it says who can read the metrics', () => {
  const port = { METRICS_PORT: '9464' }
  const told = (env: Record<string, string>) => checkMetrics(readConfig(env))
  expect(told({})).toEqual([])
  expect(told(port)).toMatchObject([
    { status: 'ok', message: expect.stringContaining('127.0.0.1:9464, to this machine') },
  ])
  const open = { ...port, METRICS_HOST: '0.0.0.0' }
  expect(told(open)).toMatchObject([
    { status: 'note', remedy: expect.stringContaining('METRICS_TOKEN') },
  ])
  const withToken = { ...open, METRICS_TOKEN: 'a-token-for-prometheus' }
  expect(told(withToken)).toMatchObject([
    { status: 'ok', message: expect.stringContaining('METRICS_TOKEN') },
  ])
})

test('a schema that is newer than this build is named, and is a fault unless an upgrade goes on', async () => {
  const connection = await emptyDatabase()
  const client = await connect(connection)
  await client.query(
    "insert into schema_migrations (number, name, digest) values (9999, '9999-later.sql', 'x')",
  )
  await client.end()
  const env = environmentOf(connection)
  const behind = await examine(env)
  expect(behind.code).toBe(1)
  expect(of(behind.findings, 'newer schema')).toMatchObject([
    { status: 'broken', message: expect.stringContaining('9999-later.sql') },
  ])
  const refused = await run(['school', 'list'], env)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('9999-later.sql') })
  const { code, findings } = await examine({ ...env, SCHOOLGATE_NEWER_SCHEMA: 'serve' })
  expect(code).toBe(0)
  expect(of(findings, 'newer schema')).toMatchObject([{ status: 'note' }])
  expect(of(findings, 'schools')).toHaveLength(1)
})

describe('a database of your own', () => {
  /** An empty database that a superuser made, and the role of the tests may use. */
  async function made(options: string) {
    const server = inject('postgres')
    const name = `doctor_${randomBytes(6).toString('hex')}`
    const admin = await connect(server)
    await admin.query(`create database ${name} template template0 ${options}`)
    whenFileIsDone(async () => {
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    })
    return { ...server, database: name }
  }

  test.each([
    ["encoding 'SQL_ASCII' locale_provider libc locale 'C'", 'broken', 'SQL_ASCII'],
    ["encoding 'UTF8' locale_provider libc locale 'C'", 'note', 'no letters beyond ASCII'],
    ["encoding 'UTF8' locale_provider libc locale 'C.UTF-8'", 'ok', 'C.UTF-8'],
  ])('that is empty and has %s is %s', async (options, status, said) => {
    const { findings } = await examine(environmentOf(await made(options)))
    expect(of(findings, 'locale')).toMatchObject([
      { status, message: expect.stringContaining(said) },
    ])
  })

  test('that lost a table and an index is broken, and names both', async () => {
    const connection = await emptyDatabase()
    const client = await connect(connection)
    await client.query('drop table outgoing_mails; drop index orders_by_time')
    await client.end()
    const { code, findings } = await examine(environmentOf(connection))
    expect(code).toBe(1)
    expect(of(findings, 'schema')).toMatchObject([
      { message: expect.stringMatching(/index orders_by_time.*table outgoing_mails/) },
    ])
  })

  const row = { role: 'schoolgate', creates: true, owns: true, limit: 100, most: 100 }
  const judge = (given: Partial<typeof row>, env: Record<string, string> = {}) =>
    judgeRole({ ...row, ...given }, readConfig(env)).filter(({ status }) => status !== 'ok')

  test('whose role has too few connections for all processes is told', () => {
    expect(judge({ limit: 5 })).toMatchObject([
      { check: 'connections', message: expect.stringMatching(/up to \d+ .* may have 5\./) },
    ])
    expect(judge({ limit: 30 })).toEqual([])
    expect(judge({ limit: 30 }, { WORKERS: '4' })).toHaveLength(1)
  })

  test('whose role may not change the schema is broken', () => {
    expect(judge({ creates: false })).toMatchObject([{ check: 'role' }])
    expect(judge({ owns: false })).toMatchObject([
      { check: 'role', message: expect.stringContaining('every table') },
    ])
  })

  test('is asked for the rights and limits of its role', async () => {
    const connection = await emptyDatabase()
    const client = await connect(connection)
    await client.query(`alter database ${connection.database} connection limit 3`)
    await client.end()
    const { findings } = await examine(environmentOf(connection))
    expect(of(findings, 'connections')).toMatchObject([
      { status: 'note', message: expect.stringContaining('may have 3.') },
    ])
    expect(of(findings, 'role')).toEqual([])
  })
})

test('a folder in which uploads cannot be stored is broken, also with DATABASE_URL', async () => {
  const file = join(folder, 'no-folder')
  await writeFile(file, '')
  const env = { ...environmentOf(demo.connection), SCHOOLGATE_DATA_DIR: join(file, 'data') }
  const { code, findings } = await examine(env)
  expect(code).toBe(1)
  expect(of(findings, 'uploads')).toMatchObject([
    { status: 'broken', message: expect.stringContaining(file) },
  ])
})
