import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { isRunning } from '../../src/foundation/db/embedded/account.ts'
import {
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { keepEmbeddedPostgres, openDatabaseServer } from '../../src/start/open-database.ts'
import { openPreparedDatabase } from '../../src/start/prepare.ts'
import { run } from '../cli/support/run.ts'
import { clusterOf, DataFolders } from './support/data-folders.ts'

const folders = new DataFolders()
afterAll(() => folders[Symbol.asyncDispose]())
const log = createLogger({ level: 'silent' })

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Writes until it is refused. */
async function write(address: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(address)
  client.on('error', () => {})
  await client.connect()
  await client.query('create table if not exists written (n int)')
  for (;;) await client.query('insert into written values (1)')
}

test.each([
  ['deleted', (cluster: string) => rm(cluster, { recursive: true, force: true, maxRetries: 5 })],
  ['moved away', (cluster: string) => rename(cluster, `${cluster}-elsewhere`)],
])(
  'a database that is %s under a running server ends it, and no other is made',
  async (_how, take) => {
    const dataDir = await folders.makeWithDatabase()
    const cluster = await clusterOf(dataDir)
    const kept = await keepEmbeddedPostgres({ dataDir }, log)
    const writing = write(kept.address).catch((error: Error) => error)
    await take(cluster)
    const report = await kept.onGone
    expect(report.message).toContain(`The database in ${cluster} was deleted, moved or unmounted`)
    expect(await writing).toBeInstanceOf(Error)
    expect(await isRunning(report.pid)).toBe(false)
    expect(await exists(cluster)).toBe(false)
    await kept.stop()
  },
)

test('a database that is gone when PostgreSQL has crashed is not made anew either', async () => {
  const dataDir = await folders.makeWithDatabase()
  const cluster = await clusterOf(dataDir)
  const kept = await keepEmbeddedPostgres({ dataDir }, log)
  process.kill((await findRunningEmbedded(dataDir))?.pid ?? 0, 'SIGKILL')
  await rename(cluster, `${cluster}-elsewhere`)
  expect((await kept.onGone).message).toContain('deleted, moved or unmounted')
  expect(await exists(cluster)).toBe(false)
  await kept.stop()
  // Only its next start frees the shared memory of a PostgreSQL that was killed.
  await rename(`${cluster}-elsewhere`, cluster)
  await (await startEmbeddedPostgres({ dataDir })).stop()
})

test('a start that expects a database makes neither one nor its folder', async () => {
  const dataDir = join(await folders.make(), 'nothing')
  await expect(startEmbeddedPostgres({ dataDir, ifMissing: 'refuse' })).rejects.toMatchObject({
    code: 'folder-missing',
  })
  expect(await exists(dataDir)).toBe(false)
})

describe('a data folder that has lost its database', () => {
  /** What a server leaves that has run: its secret and the log of PostgreSQL. */
  async function lost(): Promise<string> {
    const dataDir = await folders.makeWithDatabase()
    await writeFile(join(dataDir, 'secret'), `${'s'.repeat(48)}\n`, { mode: 0o600 })
    await rm(await clusterOf(dataDir), { recursive: true })
    return dataDir
  }

  test.each(['production', 'development'])(
    'starts nothing in %s, and gets neither an empty database nor the demo world',
    async (NODE_ENV) => {
      const SCHOOLGATE_DATA_DIR = await lost()
      const config = readConfig({ SCHOOLGATE_DATA_DIR, NODE_ENV })
      const before = await readdir(SCHOOLGATE_DATA_DIR)
      await expect(openPreparedDatabase(config, log)).rejects.toMatchObject({
        message: expect.stringMatching(
          /The database is missing: .*pg18 is not there, but .*secret/,
        ),
        remedy: expect.stringMatching(/backup restore FILE.*new-database/),
      })
      expect(await readdir(SCHOOLGATE_DATA_DIR)).toEqual(before)
    },
  )

  test('is refused also if the secret is in the environment: the log of PostgreSQL is there', async () => {
    const dataDir = await lost()
    await rm(join(dataDir, 'secret'))
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      code: 'database-lost',
      message: expect.stringContaining('postgresql.log'),
    })
  })

  test('is refused also if all of it is gone: the backups of the database are there', async () => {
    const backups = await folders.make()
    const file = join(backups, 'schoolgate-every-0a1b2c3d-2026-11-19.backup.gz')
    await writeFile(file, '')
    const env = {
      SCHOOLGATE_DATA_DIR: join(await folders.make(), 'not-mounted'),
      SCHOOLGATE_SECRET: 's'.repeat(48),
      BACKUP_EVERY: '1h',
      BACKUP_DIR: backups,
    }
    await expect(
      openPreparedDatabase(readConfig({ ...env, NODE_ENV: 'production' }), log),
    ).rejects.toMatchObject({ message: expect.stringContaining(file) })
    for (const command of ['school list', 'doctor']) {
      const { code, stdout, stderr } = await run(command.split(' '), env)
      expect([code, `${stdout}${stderr}`]).toEqual([1, expect.stringContaining('is missing')])
    }
    expect(await run(['new-database'], env)).toMatchObject({ code: 0, stderr: '' })
  })

  test('stays refused after a restore that failed, or that was killed', async () => {
    const dataDir = await lost()
    await rm(join(dataDir, 'secret'))
    const env = { SCHOOLGATE_DATA_DIR: dataDir, SCHOOLGATE_SECRET: 's'.repeat(48) }
    await writeFile(join(dataDir, 'bad.gz'), 'no backup')
    expect(await run(['backup', 'restore', join(dataDir, 'bad.gz')], env)).toMatchObject({
      code: 1,
    })
    expect(await run(['school', 'list'], env)).toMatchObject({ code: 1 })
    const killed = await startEmbeddedPostgres({ dataDir, ifMissing: 'make', durable: false })
    await killed.stop()
    const refused = await run(['school', 'list'], env)
    expect(refused.stderr).toContain('A restore into')
    expect(await run(['doctor'], env)).toMatchObject({
      stdout: expect.stringContaining('did not end'),
    })
    expect(await run(['new-database'], env)).toMatchObject({ code: 0, stderr: '' })
    expect(await run(['school', 'list'], env)).toMatchObject({ code: 0 })
  })

  test('is no concern of a server with DATABASE_URL', async () => {
    const SCHOOLGATE_DATA_DIR = await lost()
    const env = { SCHOOLGATE_SECRET: 's'.repeat(48), DATABASE_URL: 'postgres://db.test/school' }
    const config = readConfig({ SCHOOLGATE_DATA_DIR, ...env })
    const server = await openDatabaseServer(config, log)
    expect(server.description).toContain('db.test')
    await server.stop()
  })

  test('whose database an older release made is told how to move it', async () => {
    const dataDir = await lost()
    await mkdir(join(dataDir, 'pg17'))
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({ code: 'other-major' })
  })

  test('begins anew only by a command of its own, and only once', async () => {
    const env = { SCHOOLGATE_DATA_DIR: await lost() }
    const refused = await run(['school', 'list'], env)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is missing') })
    expect(await run(['new-database'], env)).toMatchObject({ code: 0, stderr: '' })
    const again = await run(['new-database'], env)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('stays as it is') })
  })

  test('is told by doctor, which makes nothing', async () => {
    const dataDir = await lost()
    const { code, stdout } = await run(['doctor'], { SCHOOLGATE_DATA_DIR: dataDir })
    expect(code).toBe(1)
    expect(stdout).toMatch(/\[FAIL\] database: The database is missing.*\n.*backup restore FILE/)
    expect(await clusterOf(dataDir)).toBe(dataDir)
  })
})
