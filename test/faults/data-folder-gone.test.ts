import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { isRunning } from '../../src/foundation/db/embedded/account.ts'
import {
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { keepEmbeddedPostgres } from '../../src/start/open-database.ts'
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
    const kept = await keepEmbeddedPostgres(dataDir, log)
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
  const kept = await keepEmbeddedPostgres(dataDir, log)
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
  await expect(startEmbeddedPostgres({ dataDir, mustExist: true })).rejects.toMatchObject({
    code: 'folder-missing',
  })
  expect(await exists(dataDir)).toBe(false)
})
