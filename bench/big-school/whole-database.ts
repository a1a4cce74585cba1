import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

/**
 * A backup and its restore are in proportion to the rows, so a part of the big school is enough to
 * see it.
 */
const PART: SchoolSize = { ...BIG, thousands: 20 }

const START = 'start until ready'
const DELETION = '`schoolgate school delete` and the job behind it'
const RESTORE = '`schoolgate backup restore`'

/** Backup, restore, start and the deletion of a school: work on a whole database. */
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
  if (isWanted('Long work: deletion of a school') && isLeft(DELETION)) {
    const [small, part] = [
      await measureDeletion(school, SMALL),
      await measureDeletion(school, PART),
    ]
    yield {
      name: DELETION,
      small: eachRow(small.rows, small.ran),
      big: eachRow(part.rows, part.ran),
      note: PART_NOTE,
    }
  }
  if (!isWanted('Long work: backup and restore') || !isLeft(RESTORE)) return
  const [small, part] = [await measureCopy(school, SMALL), await measureCopy(school, PART)]
  for (const [name, what] of [
    ['`schoolgate backup`', 'backup'],
    [RESTORE, 'restore'],
  ] as const) {
    yield {
      name,
      small: eachRow(small.rows, small[what]),
      big: eachRow(part.rows, part[what]),
      note: PART_NOTE,
    }
  }
}

const PART_NOTE = `here "big" is a school of ${PART.thousands},000 people`

const eachRow = (rows: number, ran: Ran): string =>
  `${rows.toLocaleString('en')} rows, ${saidRun(ran)}, ${((1e6 * (ran.nodeCpu + ran.postgresCpu)) / rows).toFixed(0)} µs a row`

interface Deleted {
  readonly rows: number
  readonly ran: Ran
}

/** In a copy, because the rows are kept for the next run. */
async function measureDeletion(
  { address, postgresPid }: BigSchool,
  size: SchoolSize,
): Promise<Deleted> {
  const from = await databaseOf(address, size)
  const doomed = { ...address, database: 'doomed' }
  const dropped = `drop database if exists ${doomed.database} with (force)`
  await administer(address, dropped)
  await administer(
    address,
    `create database ${doomed.database} template ${from.database} strategy file_copy`,
  )
  const server = await startServer(doomed)
  try {
    const started = performance.now()
    const clocks = [readClocks(server.pid), readClocks(postgresPid)] as const
    const { name } = size
    await runCommand(['school', 'delete', name, '--confirm', name], doomed, postgresPid)
    let job: Record<string, unknown> | undefined
    while (job?.state !== 'done') {
      await sleep(500)
      const found = await administer(
        doomed,
        `select state, done_count as rows from jobs where kind = 'schools.delete'`,
      )
      job = found.rows[0]
    }
    return {
      rows: Number(job.rows),
      ran: {
        seconds: (performance.now() - started) / 1000,
        nodeCpu: usedBetween(clocks[0], readClocks(server.pid)) / 1e6,
        postgresCpu: usedBetween(clocks[1], readClocks(postgresPid)) / 1e6,
      },
    }
  } finally {
    await server.stop()
    await administer(address, dropped)
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
