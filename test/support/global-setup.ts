import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import { bundleThreadPrograms } from './bundle-for-node.ts'
import { connect, TEMPLATE } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: pg.ClientConfig
    /**
     * An empty folder, in memory if there is room, for databases, and for what the first test file
     * that needs it makes.
     */
    shared: string
  }
}

/**
 * Test files copy databases, which are a thousand small files each: on a disk that takes twenty
 * times as long.
 */
const MEMORY = '/dev/shm'
/** Far more than a run uses, so that it takes memory only from a machine that has plenty. */
const ROOM = 4 * 1024 ** 3
const GUARD = new URL('./run-guard.mjs', import.meta.url).pathname
const COPY_EXPLORER = new URL('../../scripts/copy-explorer.mjs', import.meta.url).pathname

/**
 * One PostgreSQL for the whole run, a migrated template database that each test file clones, the
 * compiled programs of threads and the files of the explorer.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await bundleThreadPrograms()
  await promisify(execFile)(process.execPath, [COPY_EXPLORER])
  const run = await aFolderOfThisRun()
  const shared = join(run.folder, 'shared')
  await mkdir(shared, { mode: 0o755 })
  const server = await startServer(join(run.folder, 'server'))
  const admin = await connect(server.connection)
  await admin.query(`drop database if exists ${TEMPLATE}`)
  await admin.query(`create database ${TEMPLATE}`)
  await admin.end()
  await migrate({ ...server.connection, database: TEMPLATE })
  project.provide('postgres', server.connection)
  project.provide('shared', shared)
  return async () => {
    await server.stop()
    await run.remove()
  }
}

/** A folder that does not outlive the run, even if the run is interrupted or killed. */
async function aFolderOfThisRun(): Promise<{ folder: string; remove(): Promise<void> }> {
  const place = (await hasRoom(MEMORY)) ? MEMORY : tmpdir()
  const folder = await mkdtemp(join(place, 'schoolgate-test-'))
  // If the tests run as root, PostgreSQL runs as another user, which must be able to enter it.
  await chmod(folder, 0o755)
  const guard = spawn(process.execPath, [GUARD, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const remove = async () => {
    const ended = once(guard, 'exit')
    guard.stdin.end()
    await ended
  }
  return { folder, remove }
}

async function hasRoom(place: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(place)
    return bavail * bsize > ROOM
  } catch {
    return false
  }
}

async function startServer(
  dataDir: string,
): Promise<{ connection: pg.ClientConfig; stop(): Promise<void> }> {
  const url = process.env.SCHOOLGATE_TEST_DATABASE_URL
  if (url !== undefined) {
    const { hostname, port, username, password } = new URL(url)
    const connection = {
      host: hostname,
      port: Number(port || 5432),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: 'postgres',
    }
    return { connection, stop: async () => {} }
  }
  await mkdir(dataDir, { mode: 0o755 })
  const postgres = await startEmbeddedPostgres({
    dataDir,
    durable: false,
    // A database cannot be dropped by force while an autovacuum worker, a superuser, is in it.
    // To drop a database takes longer with more buffers. To copy one takes less without a log for
    // replicas. Without statistics, plans look expensive enough to compile. To read the few pages
    // of a new database takes less than to ask a worker for them.
    settings: {
      max_connections: '300',
      autovacuum: 'off',
      jit: 'off',
      io_method: 'sync',
      shared_buffers: '128MB',
      wal_level: 'minimal',
      max_wal_senders: '0',
    },
  })
  const connection = { ...postgres.address }
  const own = await connect(connection)
  // A client computes so many digests for each connection, by default 4,096, and a run opens
  // thousands of connections.
  await own.query('set scram_iterations = 1')
  await own.query(`alter role current_user password ${own.escapeLiteral(connection.password)}`)
  await own.end()
  return { connection, stop: () => postgres.stop() }
}
