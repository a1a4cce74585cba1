import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, inject } from 'vitest'
import { type Database, openDatabase } from '../../src/foundation/db/database.ts'
import { connect, TEMPLATE } from './postgres.ts'

export interface TestDatabase extends Database {
  readonly connection: pg.ClientConfig
  /** Runs `work` and returns the statements it sent, for tests that count them. */
  statementsOf(work: () => Promise<unknown>): Promise<readonly string[]>
  /** Has `listener` told of every statement from now on. */
  onStatement(listener: (text: string) => void): void
}

/** An empty, migrated database of this test file's own, dropped when the file is done. */
export async function emptyDatabase(): Promise<pg.ClientConfig> {
  const server = inject('postgres')
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(server, `create database ${name} template ${TEMPLATE}`)
  afterAll(() => administer(server, `drop database if exists ${name} with (force)`))
  return { ...server, database: name }
}

export async function testDatabase(existing?: pg.ClientConfig): Promise<TestDatabase> {
  const connection = existing ?? (await emptyDatabase())
  let seen: string[] | undefined
  const listeners: ((text: string) => void)[] = []
  const database = openDatabase({
    connection,
    poolSize: 10,
    statementTimeoutMs: 30_000,
    observe: (text) => {
      seen?.push(text)
      for (const listener of listeners) listener(text)
    },
  })
  afterAll(() => database.close())
  return {
    ...database,
    connection,
    async statementsOf(work) {
      seen = []
      try {
        await work()
        return seen
      } finally {
        seen = undefined
      }
    },
    onStatement: (listener) => listeners.push(listener),
  }
}

async function administer(server: pg.ClientConfig, sql: string): Promise<void> {
  const client = await connect(server)
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
