import { mkdir } from 'node:fs/promises'
import {
  type DatabaseAddress,
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { buildIndexes } from '../../src/foundation/db/migration/build-indexes.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { administer, ensureKept } from '../world/kept-database.ts'
import { stopAtExit } from '../world/stop-at-exit.ts'
import { fillPages } from './fill-pages.ts'
import { load, SCHOOLS, statementsOf } from './load.ts'

/** The database with both schools, in a PostgreSQL that runs. */
export interface BigSchool {
  readonly address: DatabaseAddress
  readonly postgresPid: number
  /** How many rows the big school has, in words. */
  readonly rows: string
  close(): Promise<void>
}

const FOLDER = new URL('../data/big-school', import.meta.url).pathname

/**
 * No disk flush and no background work, because both happen at random moments. No parallel workers,
 * because the CPU of a process that has ended is not counted.
 */
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '1GB',
  autovacuum: 'off',
  max_parallel_workers_per_gather: '0',
  checkpoint_timeout: '1h',
  max_wal_size: '8GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** Trigrams see only letters that this locale knows. */
export const LOCALE = `template template0 lc_ctype 'C.UTF-8'`

/** Filled once, then kept: later migrations are applied to it, as at an installation. */
export async function openBigSchool(tell: (text: string) => void): Promise<BigSchool> {
  await mkdir(FOLDER, { recursive: true, mode: 0o755 })
  const running = await findRunningEmbedded(FOLDER)
  if (running !== undefined) {
    const { pid: postgresPid, ...found } = running
    const address = await ensureLoaded(found, tell)
    return { address, postgresPid, rows: await rowsIn(address), close: async () => undefined }
  }
  const postgres = await startEmbeddedPostgres({
    dataDir: FOLDER,
    durable: false,
    settings: SETTINGS,
  })
  stopAtExit(postgres)
  const address = await ensureLoaded(postgres.address, tell)
  return {
    address,
    postgresPid: postgres.pid,
    rows: await rowsIn(address),
    close: () => postgres.stop(),
  }
}

async function ensureLoaded(
  server: DatabaseAddress,
  tell: (text: string) => void,
): Promise<DatabaseAddress> {
  const database = await ensureKept(server, {
    prefix: 'big',
    madeOf: statementsOf(SCHOOLS),
    settings: LOCALE,
    async fill(client) {
      tell('Filling the database of the big school, once: about ten minutes …')
      await load(client, tell, SCHOOLS)
    },
  })
  const address = { ...server, database }
  for (const { name } of await migrate(address)) tell(`migrated: ${name}`)
  await buildIndexes(address, {
    migrations: await loadMigrations(),
    query: (text, values) => administer(address, text, values),
    onEvent: ({ what, index }) => what === 'built' && tell(`built: ${index.name}`),
  })
  await fillPages(address, tell)
  return address
}

/** As PostgreSQL estimates them, in thousands and above. */
async function rowsIn(address: DatabaseAddress): Promise<string> {
  const { rows } = await administer(
    address,
    `select relname, reltuples from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples >= 100000 order by reltuples desc`,
  )
  return rows
    .map(({ relname, reltuples }) => `${(Number(reltuples) / 1e6).toFixed(1)} M ${relname}`)
    .join(', ')
}
