import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { inject, vi } from 'vitest'
import {
  type Database,
  type DatabaseSettings,
  openDatabase,
} from '../../src/foundation/db/database.ts'
import type { StatementObserver } from '../../src/foundation/db/named-statements.ts'
import { whenFileIsDone } from './clean-up.ts'
import { eventually } from './eventually.ts'
import { keepStatements } from './kept-statements.ts'
import { connect, TEMPLATE } from './postgres.ts'

export interface TestDatabase extends Database {
  readonly connection: pg.ClientConfig
  /** Runs `work` and returns the statements that it sent. */
  statementsOf(
    work: () => Promise<unknown>,
    options?: { withTimers?: boolean },
  ): Promise<readonly string[]>
  /** Calls `listener` with every statement from now on. */
  onStatement(listener: StatementObserver): void
}

/** No test depends on how fast this machine is. */
export const PATIENT = {
  statementTimeoutMs: 30_000,
  connectMs: 30_000,
  waitMs: { stranger: 30_000, interactive: 30_000, batch: 30_000 },
  // A process of PostgreSQL that stands still before it reads its statement looks like a dead
  // connection.
  silence: { doubtMs: 30_000 },
}

/**
 * What apps did, and how often the same refusal came, is written by a timer once a minute, which
 * may be during any request.
 */
export const SENT_BY_A_TIMER =
  /insert into app_activity as |jsonb_build_object\('repeated', counted/

/** An empty, migrated database for this test file, dropped when the file is done. */
export async function emptyDatabase(): Promise<pg.ClientConfig> {
  return await copyDatabase(TEMPLATE)
}

/** A copy of a database to which there are no connections, dropped when the file is done. */
export async function copyDatabase(original: string): Promise<pg.ClientConfig> {
  const copy = await makeDatabase(`test_${randomBytes(8).toString('hex')}`, original)
  whenFileIsDone(() => dropDatabase(inject('postgres'), String(copy.database)))
  return copy
}

/** A migrated database that stays until the run ends. */
export async function makeDatabase(name: string, original = TEMPLATE): Promise<pg.ClientConfig> {
  const server = inject('postgres')
  // By files: to write all pages to the log, as PostgreSQL does otherwise, takes three times as
  // long.
  await administer(server, (admin) =>
    admin.query(`create database ${name} template ${original} strategy file_copy`),
  )
  return { ...server, database: name }
}

export async function testDatabase(
  existing?: pg.ClientConfig,
  settings: Partial<DatabaseSettings> = {},
): Promise<TestDatabase> {
  const connection = existing ?? (await emptyDatabase())
  let seen: string[] | undefined
  const listeners: StatementObserver[] = []
  if (process.env.KEEP_STATEMENTS === '1') listeners.push(keepStatements())
  const database = openDatabase({
    connection,
    poolSize: 20,
    ...PATIENT,
    ...settings,
    observe: (...statement) => {
      seen?.push(statement[0])
      for (const listener of listeners) listener(...statement)
    },
  })
  whenFileIsDone(() => database.close())
  return {
    ...database,
    connection,
    async statementsOf(work, { withTimers = false } = {}) {
      const texts: string[] = []
      seen = texts
      try {
        await work()
        return withTimers ? texts : texts.filter((text) => !SENT_BY_A_TIMER.test(text))
      } finally {
        seen = undefined
      }
    },
    onStatement(listener) {
      listeners.push(listener)
      whenFileIsDone(() => listeners.splice(listeners.indexOf(listener), 1))
    },
  }
}

/** Fails if the test file has left connections open. */
export async function dropDatabase(
  server: pg.ClientConfig,
  name: string,
  patience: { readonly timeout: number } = eventually,
): Promise<void> {
  await administer(server, async (admin) => {
    const sessions = async () => {
      const { rows } = await admin.query<{ session: string }>(
        `select concat_ws(', ', application_name, state, query) as session from pg_stat_activity
         where datname = $1 and backend_type = 'client backend'`,
        [name],
      )
      return rows.map(({ session }) => session)
    }
    // A backend ends shortly after its client closes the connection.
    const allClosed = vi.waitUntil(async () => (await sessions()).length === 0, patience)
    const left = await allClosed.then(() => [], sessions)
    await admin.query(`drop database ${name} with (force)`)
    if (left.length > 0) {
      throw new Error(`The test file has left connections open:\n${left.join('\n')}`)
    }
  })
}

/** One connection of the worker makes and drops the databases of all its test files. */
let admin: Promise<pg.Client> | undefined

async function administer(
  server: pg.ClientConfig,
  work: (admin: pg.Client) => Promise<unknown>,
): Promise<void> {
  admin ??= connect(server)
  await work(await admin)
}
