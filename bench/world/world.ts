import { mkdir } from 'node:fs/promises'
import pg from 'pg'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import {
  type DatabaseAddress,
  startEmbeddedPostgres,
} from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { stopInTheEnd } from './leave-nothing.ts'
import { seed } from './seed.ts'
import type { Size } from './sizes.ts'

/** The database everything runs on, and how many of what is in it. */
export interface World {
  readonly size: Size
  /** How many of its schools are asked, the first ones. */
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

/** No disk flush and no background work: neither is what is compared, and both come at odd moments. */
const SETTINGS = {
  max_connections: '400',
  shared_buffers: '512MB',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '16GB',
}

/** Seeds once per size, and gives every run a fresh copy of what was seeded. */
export async function openWorld(
  name: string,
  size: Size,
  asked = Math.min(size.schools, 100),
): Promise<World> {
  const dataDir = new URL(`../data/${name}`, import.meta.url).pathname
  await mkdir(dataDir, { recursive: true, mode: 0o755 })
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, settings: SETTINGS })
  stopInTheEnd(postgres)
  const { address } = postgres
  const seeded = await ensureSeeded(address, size)
  const createDatabase = async (database: string, template = 'template1') => {
    await administer(address, `drop database if exists ${database} with (force)`)
    await administer(address, `create database ${database} template ${template} strategy file_copy`)
  }
  await createDatabase(OURS, seeded)
  const pool = new pg.Pool({ ...address, database: OURS, max: 4 })
  // Its last connections may still be saying goodbye when PostgreSQL stops.
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

/** Named after its tables: a change of the schema makes a new world. */
async function ensureSeeded(address: DatabaseAddress, size: Size): Promise<string> {
  const digests = (await loadMigrations()).map(({ digest }) => digest)
  const name = `seeded_${sha256(digests.join()).toString('hex').slice(0, 12)}`
  const { rows } = await administer(
    address,
    `select datname from pg_database where datname like 'seeded%'`,
  )
  if (rows.some(({ datname }) => datname === name)) return name
  for (const { datname } of rows) await administer(address, `drop database ${datname}`)
  const { schools, tokenPairs } = size
  console.error(
    `Seeding ${schools.toLocaleString('en')} schools and ${tokenPairs.toLocaleString('en')} token records, once …`,
  )
  // Under another name until it is whole: a run that was stopped half-way begins anew.
  const unfinished = 'seeding'
  await administer(address, `drop database if exists ${unfinished} with (force)`)
  await administer(address, `create database ${unfinished}`)
  await migrate({ ...address, database: unfinished })
  const client = new pg.Client({ ...address, database: unfinished })
  await client.connect()
  try {
    await seed(client, size)
  } finally {
    await client.end()
  }
  await administer(address, `alter database ${unfinished} rename to ${name}`)
  return name
}

async function administer(address: DatabaseAddress, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...address })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

/** The socket's folder does not fit into a URL's host, so it travels as a parameter. */
function urlOf({ host, port, user, password }: DatabaseAddress, database: string): string {
  const url = new URL(`postgres://localhost/${database}`)
  url.username = user
  url.password = password
  url.searchParams.set('host', host)
  url.searchParams.set('port', String(port))
  return url.href
}
