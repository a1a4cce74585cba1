import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { inject } from 'vitest'
import {
  type DatabaseAddress,
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../../../src/foundation/db/embedded/embedded-postgres.ts'
import { madeOnce } from '../../support/made-once.ts'

export const isRoot = process.getuid?.() === 0

/** New folders that the user PostgreSQL runs as may enter, as in a deployment. */
export class DataFolders implements AsyncDisposable {
  readonly #made: string[] = []
  readonly #place: string

  constructor(place = inject('shared')) {
    this.#place = place
  }

  async make(mode = 0o755): Promise<string> {
    const folder = await mkdtemp(join(this.#place, 'embedded-'))
    this.#made.push(folder)
    await chmod(folder, mode)
    return folder
  }

  /** A folder with an empty database, copied from a template because initdb is slow. */
  async makeWithDatabase(): Promise<string> {
    const template = await madeOnce('cluster', async (dataDir) => {
      const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
      await postgres.stop()
      await stopSyncing(dataDir)
    })
    return await this.makeLike(template)
  }

  /** A copy of a folder that no server uses. */
  async makeLike(template: string): Promise<string> {
    const folder = await this.make()
    await promisify(execFile)('cp', ['-a', `${template}/.`, folder])
    return folder
  }

  /** Ends the processes that a failed test left running, and removes the folders. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of this.#made.splice(0)) {
      const running = await findRunningEmbedded(folder).catch(() => undefined)
      if (running !== undefined) process.kill(running.pid, 'SIGKILL')
      const elsewhere = await readFile(join(folder, 'postgresql-location'), 'utf8').catch(() => '')
      if (elsewhere.startsWith('/var/lib/schoolgate/')) {
        await rm(elsewhere.trim(), { recursive: true, force: true })
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

/**
 * PostgreSQL on this folder, and on copies of it, no longer waits for the disk, whatever starts it.
 * A test ends processes, and only a machine that loses its power loses what was written.
 */
export async function stopSyncing(dataDir: string): Promise<void> {
  await appendFile(join(await clusterOf(dataDir), 'postgresql.auto.conf'), 'fsync = off\n')
}

/** The folder of PostgreSQL itself. */
export async function clusterOf(dataDir: string): Promise<string> {
  const name = (await readdir(dataDir)).find((one) => /^pg\d+$/.test(one))
  return join(dataDir, name ?? '')
}

export async function query<Row extends object>(
  address: DatabaseAddress,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const { host, port, user, password, database } = address
  const client = new Client({ host, port, user, password, database })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}
