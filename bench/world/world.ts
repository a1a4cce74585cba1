import { mkdir } from 'node:fs/promises'
import pg from 'pg'
import { FigureRounds } from '../../src/domain/analytics/figure-rounds.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import {
  type DatabaseAddress,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { administer, ensureKept } from './kept-database.ts'
import { seed } from './seed.ts'
import type { Size } from './sizes.ts'
import { stopAtExit } from './stop-at-exit.ts'

/** The database of a run, and its size. */
export interface World {
  readonly size: Size
  /** The number of schools that get requests, from the first. */
  readonly asked: number
  readonly postgresPid: number
  /** For our own tables: ours, the floor, GraphQL servers. */
  readonly pool: pg.Pool
  urlOf(database: string): string
  /** An empty database for a peer's own tables. */
  createDatabase(name: string): Promise<void>
  close(): Promise<void>
}

export const OURS = 'run'

/** No disk flush and no background work: they are not compared, and happen at random moments. */
export const SETTINGS = {
  max_connections: '400',
  shared_buffers: '512MB',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '16GB',
}

/** Seeds one database per size, and gives every run a new copy. */
export async function openWorld(
  name: string,
  size: Size,
  asked = Math.min(size.schools, 100),
): Promise<World> {
  const dataDir = new URL(`../data/${name}`, import.meta.url).pathname
  await mkdir(dataDir, { recursive: true, mode: 0o755 })
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, settings: SETTINGS })
  stopAtExit(postgres)
  const { address } = postgres
  const seeded = await ensureSeeded(address, size)
  const createDatabase = async (database: string, template = 'template1') => {
    await administer(address, `drop database if exists ${database} with (force)`)
    await administer(address, `create database ${database} template ${template} strategy file_copy`)
  }
  await createDatabase(OURS, seeded)
  const pool = new pg.Pool({ ...address, database: OURS, max: 4 })
  // The last connections may still be closing when PostgreSQL stops.
  pool.on('error', () => undefined)
  return {
    size,
    asked,
    postgresPid: postgres.pid,
    pool,
    createDatabase,
    urlOf: (database) => urlOf(address, database),
    async close() {
      await pool.end()
      await postgres.stop()
    },
  }
}

/** A changed schema gets a new database. */
async function ensureSeeded(address: DatabaseAddress, size: Size): Promise<string> {
  const { schools, tokenPairs } = size
  return await ensureKept(address, {
    prefix: 'seeded',
    madeOf: ['figures counted', ...(await loadMigrations()).map(({ digest }) => digest)],
    async fill(client, filled) {
      console.error(
        `Seeding ${schools.toLocaleString('en')} schools and ${tokenPairs.toLocaleString('en')} token records, once …`,
      )
      await seed(client, size)
      await countFigures(filled)
      await client.query('vacuum (analyze)')
    },
  })
}

/**
 * As in a server that has run for a while: otherwise it counts the figures of all schools while
 * requests are measured.
 */
async function countFigures(connection: DatabaseAddress): Promise<void> {
  const { db, close } = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 60_000 })
  try {
    const rounds = new FigureRounds(db)
    while (await rounds.next());
  } finally {
    await close()
  }
}

/** The folder of the socket cannot be a URL's host, so it is a parameter. */
export function urlOf({ host, port, user, password }: DatabaseAddress, database: string): string {
  const url = new URL(`postgres://localhost/${database}`)
  url.username = user
  url.password = password
  url.searchParams.set('host', host)
  url.searchParams.set('port', String(port))
  return url.href
}
