import { spawn } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  chooseAccount,
  isRunning,
  listProcesses,
  spawnIds,
} from '../../src/foundation/db/embedded/account.ts'
import {
  type DatabaseAddress,
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { eventually } from '../support/eventually.ts'
import { DataFolders, query } from './support/data-folders.ts'
import { builtEmbedded, type ServerProcess, startServer } from './support/embedded-server.ts'

const folders = new DataFolders()
let built: string

beforeAll(async () => {
  built = await builtEmbedded()
})
afterAll(() => folders[Symbol.asyncDispose]())

async function missingRows(address: DatabaseAddress, acknowledged: readonly number[]) {
  return query(
    address,
    'select n from unnest($1::bigint[]) as ack(n) where not exists (select from written w where w.n = ack.n)',
    [acknowledged],
  )
}

/** Starts a durable server that inserts rows in a loop, and returns after 50 of them. */
async function serverThatWrites(dataDir: string) {
  const server = startServer(built, dataDir, 'write', 'durable')
  const { pid, adopted } = await server.said('ready')
  await server.untilAcknowledged(50)
  return { server, postgresPid: pid, adopted }
}

async function expectNothingLost(dataDir: string, servers: readonly ServerProcess[]) {
  const postgres = await startEmbeddedPostgres({ dataDir })
  const acknowledged = servers.flatMap((server) => server.acknowledged)
  expect(acknowledged.length).toBeGreaterThanOrEqual(50)
  expect(await missingRows(postgres.address, acknowledged)).toEqual([])
  await postgres.stop()
}

describe('kill -9 during writes loses no acknowledged row', () => {
  test('when the server is killed: PostgreSQL stays up and the next server adopts it', async () => {
    const dataDir = await folders.makeWithDatabase()
    const first = await serverThatWrites(dataDir)
    process.kill(first.server.pid, 'SIGKILL')
    await first.server.exited
    expect(await findRunningEmbedded(dataDir)).toMatchObject({ pid: first.postgresPid })

    const second = await serverThatWrites(dataDir)
    expect(second).toMatchObject({ adopted: true, postgresPid: first.postgresPid })
    process.kill(second.server.pid, 'SIGTERM')
    await second.server.said('stopped')
    expect(await isRunning(first.postgresPid)).toBe(false)
    await expectNothingLost(dataDir, [first.server, second.server])
  })

  test('when PostgreSQL is killed: the server reports it at once, and the next start recovers', async () => {
    const dataDir = await folders.makeWithDatabase()
    const { server, postgresPid } = await serverThatWrites(dataDir)
    process.kill(postgresPid, 'SIGKILL')
    expect(await server.said('exit')).toMatchObject({
      pid: postgresPid,
      signal: 'SIGKILL',
      message: expect.stringContaining(join(dataDir, 'postgresql.log')),
    })
    await server.exited
    await expectNothingLost(dataDir, [server])
  })

  test('when both are killed at once', async () => {
    const dataDir = await folders.makeWithDatabase()
    const { server, postgresPid } = await serverThatWrites(dataDir)
    process.kill(postgresPid, 'SIGKILL')
    process.kill(server.pid, 'SIGKILL')
    await server.exited
    await expectNothingLost(dataDir, [server])
  })
})

describe('a PostgreSQL that outlives its server', () => {
  test('is adopted by the next server, which reports when it ends', async () => {
    const dataDir = await folders.makeWithDatabase()
    const server = startServer(built, dataDir)
    const { pid } = await server.said('ready')
    process.kill(server.pid, 'SIGKILL')
    await server.exited
    const adopted = await startEmbeddedPostgres({ dataDir, durable: false })
    expect(adopted).toMatchObject({ pid, adopted: true })
    // At once, but it frees its shared memory, which only its next start would do after a SIGKILL.
    process.kill(pid, 'SIGQUIT')
    expect(await adopted.onExit).toMatchObject({ pid })
    await adopted.stop()
  })

  test('is restarted when the next server has other settings', async () => {
    const dataDir = await folders.makeWithDatabase()
    const server = startServer(built, dataDir)
    const { pid } = await server.said('ready')
    process.kill(server.pid, 'SIGKILL')
    await server.exited
    const postgres = await startEmbeddedPostgres({
      dataDir,
      durable: false,
      settings: { max_connections: '19' },
    })
    expect(postgres.adopted).toBe(false)
    expect(await isRunning(pid)).toBe(false)
    expect(await query(postgres.address, 'show max_connections')).toEqual([
      { max_connections: '19' },
    ])
    await postgres.stop()
  })
})

test('a busy session of a killed PostgreSQL does not prevent the next start', async () => {
  const dataDir = await folders.makeWithDatabase()
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
  const busy = new Client(postgres.address)
  busy.on('error', () => {})
  await busy.connect()
  const [session] = (await busy.query<{ pid: number }>('select pg_backend_pid() as pid')).rows
  // This query never waits, so its backend does not notice that the postmaster is gone.
  const work = busy.query('select count(*) from generate_series(1, 1e12::bigint)').catch(() => {})
  process.kill(postgres.pid, 'SIGKILL')
  await postgres.onExit
  const next = await startEmbeddedPostgres({ dataDir, durable: false })
  expect(await isRunning(session?.pid ?? 0)).toBe(false)
  expect(await query(next.address, 'select 1 as one')).toEqual([{ one: 1 }])
  await next.stop()
  await work
})

test('when a backend crashes, PostgreSQL cuts every connection, and this process keeps the lock on the folder', async () => {
  const dataDir = await folders.makeWithDatabase()
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
  const session = new Client(postgres.address)
  session.on('error', () => {})
  const cut = new Promise((resolve) => session.once('end', resolve))
  await session.connect()
  const [backend] = (await session.query<{ pid: number }>('select pg_backend_pid() as pid')).rows
  process.kill(backend?.pid ?? 0, 'SIGKILL')
  await cut
  await vi.waitUntil(
    async () => (await query(postgres.address, 'select 1').catch(() => [])).length === 1,
    eventually,
  )
  await vi.waitUntil(
    async () =>
      (
        await query(postgres.address, `select from pg_locks where locktype = 'advisory'`).catch(
          () => [],
        )
      ).length,
    eventually,
  )
  await expect(startEmbeddedPostgres({ dataDir, durable: false })).rejects.toMatchObject({
    code: 'already-running',
    pid: process.pid,
  })
  await postgres.stop()
})

test('lock files with the pid of an unrelated process are removed', async () => {
  const dataDir = await folders.makeWithDatabase()
  const first = await startEmbeddedPostgres({ dataDir, durable: false })
  const pidFile = await readFile(join(dataDir, 'pg18/postmaster.pid'), 'utf8')
  const socketLock = join(first.address.host, '.s.PGSQL.5432.lock')
  const socketFile = await readFile(socketLock, 'utf8')
  await first.stop()

  // The same user as PostgreSQL: it ignores lock files of another user's process by itself.
  const account = await chooseAccount(join(dataDir, 'pg18'))
  const unrelated = spawn('/bin/sleep', ['60'], { ...spawnIds(account), stdio: 'ignore' })
  try {
    const withUnrelatedPid = (text: string) => text.replace(/^\d+/, String(unrelated.pid))
    await writeFile(join(dataDir, 'pg18/postmaster.pid'), withUnrelatedPid(pidFile))
    await writeFile(socketLock, withUnrelatedPid(socketFile))
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()
    const second = await startEmbeddedPostgres({ dataDir, durable: false })
    expect(second.adopted).toBe(false)
    await second.stop()
  } finally {
    unrelated.kill()
  }
})

describe('an empty lock file', () => {
  test('of a PostgreSQL that is about to write it is waited for', async () => {
    const dataDir = await folders.makeWithDatabase()
    const lockFile = join(dataDir, 'pg18/postmaster.pid')
    await writeFile(lockFile, '')
    const starting = startEmbeddedPostgres({ dataDir, durable: false })
    await vi.waitUntil(
      async () =>
        (await readFile(join(dataDir, 'postgresql.log'), 'utf8').catch(() => '')).includes(
          'is empty',
        ),
      { ...eventually, interval: 5 },
    )
    await rm(lockFile)
    const postgres = await starting
    expect(await query(postgres.address, 'select 1 as one')).toEqual([{ one: 1 }])
    await postgres.stop()
  })

  test('of a start that was killed is named, with what to do', async () => {
    const dataDir = await folders.makeWithDatabase()
    const lockFile = join(dataDir, 'pg18/postmaster.pid')
    await writeFile(lockFile, '')
    await expect(startEmbeddedPostgres({ dataDir, durable: false })).rejects.toMatchObject({
      code: 'start-failed',
      remedy: `delete ${lockFile}, then start again`,
    })
  })
})

/**
 * A folder whose initdb was killed. It is soon over, so a busy machine may find it too late and
 * needs another try.
 */
async function aFolderOfKilledInitdb(): Promise<string> {
  for (;;) {
    const dataDir = await folders.make()
    const server = startServer(built, dataDir)
    const isReady = server.said('ready').then(
      () => true,
      () => false,
    )
    const findInitdb = async () =>
      (await listProcesses()).find(
        ({ parent, command }) => parent === server.pid && command.includes('/initdb '),
      )
    const initdb = await vi.waitUntil(
      async () => (await findInitdb()) ?? (await Promise.race([isReady, false])),
      { ...eventually, interval: 5 },
    )
    process.kill(server.pid, 'SIGKILL')
    if (initdb !== true) endIfRunning(initdb.pid)
    await server.exited
    if ((await readdir(dataDir)).some((name) => /^pg18\.new-\d+-/.test(name))) return dataDir
  }
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' })
  }
}

test('the files of a killed initdb are removed, and the next start succeeds', async () => {
  const dataDir = await aFolderOfKilledInitdb()
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
  expect(await readdir(dataDir)).not.toContainEqual(expect.stringContaining('.new-'))
  expect(await query(postgres.address, 'select 1 as one')).toEqual([{ one: 1 }])
  await postgres.stop()
})
