import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { environmentOf } from '../cli/support/run.ts'
import { emptyDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import {
  builders,
  buildHeld,
  holdBuilds,
  INDEX,
  INDEX_SQL,
  indexState,
} from '../support/index-migration.ts'
import { madeOnce } from '../support/made-once.ts'
import { connect } from '../support/postgres.ts'
import { DataFolders } from './support/data-folders.ts'
import { build, copyBuildWith, freePort, RunningServer } from './support/running-server.ts'

/** Whole servers start here, beside all other tests; only a server that hangs takes this long. */
const START_MS = 180_000

const folders = new DataFolders()
const started: RunningServer[] = []
afterAll(async () => {
  for (const server of started) server.process.kill('SIGKILL')
  await folders[Symbol.asyncDispose]()
})

/** A release that brings an index on `users` which servers build while they run. */
async function aRelease(kind: 'background' | 'awaited') {
  const folder = await folders.make()
  const number = String((await loadMigrations()).length + 1).padStart(4, '0')
  const name = `${number}-users-by-test.${kind}.sql`
  await copyBuildWith(folder, { name, sql: INDEX_SQL })
  return { folder, name }
}
type Release = Awaited<ReturnType<typeof aRelease>>

const releases = {} as Record<'background' | 'awaited', Release>
beforeAll(async () => {
  await madeOnce('dist', build)
  releases.background = await aRelease('background')
  releases.awaited = await aRelease('awaited')
}, START_MS)

/** A migrated database in which no index on `users` can be finished until `release` is called. */
async function aHeldDatabase() {
  const connection = await emptyDatabase()
  const [holder, watcher] = [await connect(connection), await connect(connection)]
  onTestFinished(async () => {
    await holder.end()
    await watcher.end()
  })
  await holdBuilds(holder)
  return { env: environmentOf(connection), watcher, release: () => holder.query('rollback') }
}

async function start(release: Release, env: Record<string, string>): Promise<RunningServer> {
  const server = new RunningServer(await freePort(), env, release.folder)
  started.push(server)
  return server
}

async function untilRecorded(watcher: pg.Client, { name }: Release): Promise<void> {
  const recorded = async () => {
    const sql = 'select from schema_migrations where name = $1'
    return (await watcher.query(sql, [name])).rowCount
  }
  await expect.poll(recorded, eventually).toBe(1)
}

describe('a server that ends while it builds an index', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'by %s: serves before, and the next start finishes the index',
    async (signal) => {
      const { env, watcher, release } = await aHeldDatabase()
      const first = await start(releases.background, env)
      await first.ready()
      await buildHeld(watcher)

      const code = await first.stop(signal)
      expect(code).toBe(signal === 'SIGTERM' ? 0 : null)
      await release()
      // PostgreSQL notices by itself that the process is gone, and may even finish the build.
      await expect.poll(() => builders(watcher), eventually).toEqual([])

      const second = await start(releases.background, env)
      await second.ready()
      await untilRecorded(watcher, releases.background)
      expect(await indexState(watcher)).toBe(true)
      expect(await second.stop()).toBe(0)
    },
    START_MS,
  )

  test(
    'that it must have: /readyz says what is missing until it is built',
    async () => {
      const { env, watcher, release } = await aHeldDatabase()
      const server = await start(releases.awaited, env)
      await server.ready(503)
      await buildHeld(watcher)

      const { status, body } = await server.ask('/readyz')
      expect(status).toBe(503)
      const { checks } = JSON.parse(body) as { checks: { name: string; problem?: string }[] }
      const { problem } = checks.find(({ name }) => name === 'database') ?? {}
      expect(problem).toMatch(`The index ${INDEX} on users must be built first`)
      expect((await server.ask('/healthz')).status).toBe(200)

      await release()
      await server.ready()
      expect(await indexState(watcher)).toBe(true)
      expect(await server.stop()).toBe(0)
    },
    START_MS,
  )
})
