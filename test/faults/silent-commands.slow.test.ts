import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { withOwnConnection } from '../../src/foundation/db/connection-pool.ts'
import { isDatabaseUnavailable } from '../../src/foundation/db/unavailable.ts'
import { environmentOf, run } from '../cli/support/run.ts'
import { emptyDatabase } from '../support/database.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/postgres.ts'
import { aLongStatement, LONG_STATEMENT } from './support/long-statement.ts'

const PACE = { lookMs: 20, doubtMs: 100, retryMs: 50 }
/** A busy machine may take long to open a connection. */
const PATIENT = { answerMs: 30_000, pace: PACE }

async function aProxy() {
  const connection = await emptyDatabase()
  const [holder, watcher] = [await connect(connection), await connect(connection)]
  onTestFinished(async () => {
    await holder.end()
    await watcher.end()
  })
  return { connection, proxy: await aDatabaseProxy(connection), holder, watcher }
}

/** Waits until a connection of this name waits for a lock. */
async function waitsForLock(watcher: pg.Client, name: string): Promise<void> {
  await vi.waitFor(async () => {
    const { rowCount } = await watcher.query(
      `select from pg_stat_activity where datname = current_database()
       and application_name like $1 and wait_event_type = 'Lock'`,
      [`${name}%`],
    )
    expect(rowCount).toBe(1)
  }, eventually)
}

describe('a connection for one piece of work', () => {
  const own = (connection: pg.ClientConfig) => ({ ...connection, application_name: 'own' })

  test.each([
    ['its answer will never come', 'silence', PATIENT],
    ['PostgreSQL vanishes', 'vanish', { answerMs: 200, pace: PACE }],
  ] as const)('is given up if %s', async (_cause, fault, watch) => {
    const { proxy } = await aProxy()
    const work = withOwnConnection(
      own(proxy.connection),
      async (client) => {
        proxy[fault]()
        await client.query('select 1')
      },
      watch,
    )
    const error = await work.catch((reason: unknown) => reason)
    expect(isDatabaseUnavailable(error) && error.isConnectionLost).toBe(true)
  })

  test('stays while PostgreSQL works on a long statement, and while it has none', async () => {
    const { connection, proxy } = await aProxy()
    const long = await aLongStatement(connection)
    const work = withOwnConnection(
      own(proxy.connection),
      async (client) => {
        await client.query(LONG_STATEMENT)
        await pause(500)
        return (await client.query<{ one: number }>('select 1 as one')).rows
      },
      // A process of PostgreSQL may stand still for two seconds before it reads a statement.
      { ...PATIENT, pace: { ...PACE, doubtMs: 2_500 } },
    )
    await long.untilAskedAbout(proxy, 1)
    await long.end()
    expect(await work).toEqual([{ one: 1 }])
  })
})

describe('a command whose database falls silent', () => {
  test('migrate ends and says so', async () => {
    const { proxy, holder, watcher } = await aProxy()
    await holder.query('begin; lock table schema_migrations in access exclusive mode')
    const command = run(['migrate'], environmentOf(proxy.connection))
    await waitsForLock(watcher, 'schoolgate migrate')
    proxy.silence()
    await holder.query('rollback')
    const { code, stderr } = await command
    expect(stderr).toContain('was lost')
    expect(code).toBe(1)
  })

  test('backup ends, says so and leaves no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-silent-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { proxy, holder, watcher } = await aProxy()
    await holder.query('begin; lock table users in access exclusive mode')
    const command = run(
      ['backup', '--output', join(folder, 'backup.gz')],
      environmentOf(proxy.connection),
    )
    await waitsForLock(watcher, 'schoolgate backup')
    proxy.silence()
    await holder.query('rollback')
    const { code, stderr } = await command
    expect(stderr).toContain('was lost')
    expect(code).toBe(1)
    expect(await readdir(folder)).toEqual([])
  })
})
