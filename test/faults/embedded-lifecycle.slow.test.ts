import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isRunning } from '../../src/foundation/db/embedded/account.ts'
import {
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { DataFolders, query } from './support/data-folders.ts'
import { builtEmbedded, startServer } from './support/embedded-server.ts'

const folders = new DataFolders()
let built: string

beforeAll(async () => {
  built = await builtEmbedded()
})
afterAll(() => folders[Symbol.asyncDispose]())

const permissions = async (path: string) => ((await lstat(path)).mode & 0o777).toString(8)

describe('a data folder that does not exist yet', () => {
  test('gets a database that only its owner can reach', async () => {
    const dataDir = join(await folders.make(), 'new', 'data')
    const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
    try {
      expect(postgres).toMatchObject({ adopted: false, address: { user: 'schoolgate' } })
      expect(await permissions(join(dataDir, 'postgresql-password'))).toBe('600')
      expect(await permissions(join(dataDir, 'postgresql.log'))).toBe('600')
      expect(await permissions(join(dataDir, 'pg18'))).toBe('700')
      expect(await permissions(postgres.address.host)).toBe('700')
      const [facts] = await query(
        postgres.address,
        `select current_database() as database, current_setting('listen_addresses') as network,
           current_setting('server_encoding') as encoding, current_setting('timezone') as zone,
           (select rolsuper from pg_roles where rolname = current_user) as superuser`,
      )
      expect(facts).toEqual({
        database: 'schoolgate',
        network: '',
        encoding: 'UTF8',
        zone: 'UTC',
        superuser: false,
      })
      await expect(
        query({ ...postgres.address, password: 'guessed' }, 'select 1'),
      ).rejects.toMatchObject({ code: '28P01' })
    } finally {
      await postgres.stop()
    }
  })
})

describe('a data folder with a database', () => {
  test('keeps its rows from one start to the next', async () => {
    const dataDir = await folders.make()
    const first = await startEmbeddedPostgres({ dataDir })
    await query(first.address, 'create table kept as select 42 as answer')
    await first.stop()
    expect(await isRunning(first.pid)).toBe(false)
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()

    const second = await startEmbeddedPostgres({ dataDir })
    expect(second.adopted).toBe(false)
    expect(await query(second.address, 'select answer from kept')).toEqual([{ answer: 42 }])
    await second.stop()
    await second.stop()
  })

  test('gets a new password when the password file is missing', async () => {
    const dataDir = await folders.makeWithDatabase()
    const first = await startEmbeddedPostgres({ dataDir, durable: false })
    await first.stop()
    await rm(join(dataDir, 'postgresql-password'))
    const second = await startEmbeddedPostgres({ dataDir, durable: false })
    expect(second.address.password).not.toBe(first.address.password)
    expect(await query(second.address, 'select 1 as one')).toEqual([{ one: 1 }])
    await second.stop()
  })

  test('applies the given settings, but never opens a TCP port', async () => {
    const dataDir = await folders.makeWithDatabase()
    const postgres = await startEmbeddedPostgres({
      dataDir,
      durable: false,
      settings: { max_connections: '17', listen_addresses: '*' },
    })
    expect(
      await query(
        postgres.address,
        `select current_setting('max_connections') as connections,
           current_setting('listen_addresses') as network, current_setting('fsync') as fsync`,
      ),
    ).toEqual([{ connections: '17', network: '', fsync: 'off' }])
    await postgres.stop()
  })

  test('uses the memory of the container that it runs in', async () => {
    const dataDir = await folders.makeWithDatabase()
    const limit = vi.spyOn(process, 'constrainedMemory').mockReturnValue(2 * 1024 ** 3)
    onTestFinished(() => limit.mockRestore())
    const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
    const [memory] = await query(
      postgres.address,
      `select current_setting('shared_buffers') as buffers, current_setting('work_mem') as sort`,
    )
    expect(memory).toEqual({ buffers: '256MB', sort: '8MB' })
    await postgres.stop()
  })

  test('refuses a setting that PostgreSQL does not know, with its message', async () => {
    const dataDir = await folders.makeWithDatabase()
    await expect(
      startEmbeddedPostgres({ dataDir, durable: false, settings: { no_such_setting: '1' } }),
    ).rejects.toMatchObject({
      code: 'start-failed',
      message: expect.stringContaining('unrecognized configuration parameter "no_such_setting"'),
    })
  })
})

describe('a server that is told to stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'drains on %s while its database still runs, then stops the database cleanly',
    async (signal) => {
      const dataDir = await folders.makeWithDatabase()
      const server = startServer(built, dataDir)
      const { pid, address } = await server.said('ready')
      expect(await findRunningEmbedded(dataDir)).toEqual({ ...address, pid })
      // To the whole process group, as a terminal does.
      process.kill(-server.pid, signal)
      await server.said('stopped')
      expect(await server.exited).toBe(0)
      expect(await isRunning(pid)).toBe(false)
      expect(await readdir(join(dataDir, 'pg18'))).not.toContain('postmaster.pid')
      expect(await readdir(address.host)).toEqual([])
    },
  )
})

describe('two servers on one data folder', () => {
  test('the second is refused with the pid of the first', async () => {
    const dataDir = await folders.makeWithDatabase()
    const first = startServer(built, dataDir)
    await first.said('ready')
    const second = startServer(built, dataDir)
    expect(await second.said('refused')).toMatchObject({
      code: 'already-running',
      pid: first.pid,
      message: expect.stringContaining(`(pid ${first.pid})`),
      remedy: expect.stringContaining(`kill ${first.pid}`),
    })
    expect(await second.exited).toBe(1)
    process.kill(first.pid, 'SIGTERM')
    await first.said('stopped')
  })

  test('when three start at once on an empty folder, exactly one serves', async () => {
    const dataDir = await folders.make()
    const servers = [1, 2, 3].map(() => startServer(built, dataDir))
    const outcomes = await Promise.all(
      servers.map(async (server) => ({
        server,
        refused: await Promise.race([
          server.said('ready').then(() => undefined),
          server.said('refused'),
        ]),
      })),
    )
    const serving = outcomes.filter(({ refused }) => refused === undefined)
    expect(serving).toHaveLength(1)
    const [winner] = serving
    for (const { refused } of outcomes.filter((one) => one !== winner)) {
      expect(refused).toMatchObject({ code: 'already-running', pid: winner?.server.pid })
    }
    expect((await readdir(dataDir)).sort()).toEqual([
      'pg18',
      'postgresql-password',
      'postgresql.log',
      'socket',
    ])
    process.kill(winner?.server.pid ?? 0, 'SIGTERM')
    await winner?.server.said('stopped')
  })
})
