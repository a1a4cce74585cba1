import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseAddress } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { readClocks, usedBetween } from '../measure/cpu.ts'
import { administer, ensureKept } from '../world/kept-database.ts'
import { load, statementsOf } from './load.ts'
import { type BigSchool, LOCALE } from './open.ts'
import type { LongRow } from './report.ts'
import { type Ran, runCommand, saidRun } from './run-command.ts'
import { BIG, type SchoolSize, SMALL } from './school-size.ts'
import { startServer } from './server.ts'

/** A backup and its restore are in proportion to the rows, so a part of the big school is enough to see it. */
const PART: SchoolSize = { ...BIG, thousands: 20 }

const START = 'start until ready'
const RESTORE = '`schoolgate backup restore`'

/** Backup, restore and start: work on a whole database. */
export async function* measureWhole(
  school: BigSchool,
  isWanted: (text: string) => boolean,
  isLeft: (name: string) => boolean,
): AsyncGenerator<LongRow> {
  if (isWanted('Long work: start') && isLeft(START)) {
    const small = await databaseOf(school.address, SMALL)
    const shown = async (address: DatabaseAddress) =>
      saidRun(await measureStart(address, school.postgresPid))
    yield {
      name: START,
      small: await shown(small),
      big: await shown(school.address),
      note: '',
    }
  }
  if (!isWanted('Long work: backup and restore') || !isLeft(RESTORE)) return
  const [small, part] = [await measureCopy(school, SMALL), await measureCopy(school, PART)]
  const each = (rows: number, ran: Ran) =>
    `${rows.toLocaleString('en')} rows, ${saidRun(ran)}, ${((1e6 * (ran.nodeCpu + ran.postgresCpu)) / rows).toFixed(0)} µs a row`
  const note = `here "big" is a school of ${PART.thousands},000 people`
  for (const [name, what] of [
    ['`schoolgate backup`', 'backup'],
    [RESTORE, 'restore'],
  ] as const) {
    yield { name, small: each(small.rows, small[what]), big: each(part.rows, part[what]), note }
  }
}

async function measureStart(address: DatabaseAddress, postgresPid: number): Promise<Ran> {
  const clocks = readClocks(postgresPid)
  const started = performance.now()
  const server = await startServer(address)
  const ran = {
    seconds: (performance.now() - started) / 1000,
    nodeCpu: usedBetween(new Map(), readClocks(server.pid)) / 1e6,
    postgresCpu: usedBetween(clocks, readClocks(postgresPid)) / 1e6,
  }
  await server.stop()
  return ran
}

async function databaseOf(server: DatabaseAddress, size: SchoolSize): Promise<DatabaseAddress> {
  const statements = statementsOf([size])
  const database = await ensureKept(server, {
    prefix: `whole${size.thousands}`,
    // A backup goes only into a database of the same schema.
    madeOf: [...statements, ...(await loadMigrations()).map(({ digest }) => digest)],
    settings: LOCALE,
    fill: (client) => load(client, () => undefined, [size]),
  })
  return { ...server, database }
}

interface Copied {
  readonly rows: number
  readonly backup: Ran
  readonly restore: Ran
}

async function measureCopy({ address, postgresPid }: BigSchool, size: SchoolSize): Promise<Copied> {
  const from = await databaseOf(address, size)
  const to = { ...address, database: 'restored' }
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-bench-'))
  const file = join(folder, 'all.gz')
  try {
    const backup = await runCommand(['backup', '--output', file], from, postgresPid)
    await administer(address, `drop database if exists ${to.database} with (force)`)
    await administer(address, `create database ${to.database} ${LOCALE}`)
    await migrate(to)
    const restore = await runCommand(['backup', 'restore', file], to, postgresPid)
    return { rows: await rowsOf(to), backup, restore }
  } finally {
    await administer(address, `drop database if exists ${to.database} with (force)`)
    await rm(folder, { recursive: true, force: true })
  }
}

async function rowsOf(address: DatabaseAddress): Promise<number> {
  await administer(address, 'analyze')
  const { rows } = await administer(
    address,
    `select sum(reltuples)::float8 as many from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples > 0`,
  )
  return Number(rows[0]?.many)
}
