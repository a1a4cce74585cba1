import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { Config } from '../config.ts'
import { fillPlatforms } from '../domain/clients/vendor-platforms.ts'
import { performOperation, type WriteOperation } from '../domain/operation/operation.ts'
import { findPersonByEmail, type Person } from '../domain/people/person.ts'
import {
  findSchoolNamed,
  type ListedSchool,
  listSchools,
} from '../domain/schools/school-directory.ts'
import { withOwnConnection } from '../foundation/db/connection-pool.ts'
import { type Database, type Db, openDatabase } from '../foundation/db/database.ts'
import { connectionOf } from '../foundation/db/database-url.ts'
import {
  EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../foundation/db/embedded/embedded-postgres.ts'
import type { ConnectionSettings } from '../foundation/db/hosts.ts'
import { migrate } from '../foundation/db/migration/migrate.ts'
import { type AppliedMigration, loadMigrations } from '../foundation/db/migration/migrations.ts'
import { pendingMigrations, refuseNewer } from '../foundation/db/migration/pending-migrations.ts'
import { atSchool, type SchoolDb } from '../foundation/db/school-db.ts'
import { ALONE } from '../foundation/db/time-outs.ts'
import { isDatabaseUnavailable } from '../foundation/db/unavailable.ts'
import { commandText } from '../foundation/text/command-name.ts'
import { embeddedOf } from '../start/embedded-place.ts'
import { type Cli, commandLineAt } from './cli.ts'
import { CommandError, type RefusalWords, refusalError } from './outcome.ts'

export interface Attached extends Database {
  readonly connection: ConnectionSettings
  readonly by: 'DATABASE_URL' | 'running server' | 'started for this command'
  /** Whether the database was made for this command. */
  readonly isNew?: boolean
  /** What was made for the command is whole. */
  finish?(): Promise<void>
  /** Closes it after a failure. */
  discard?(): Promise<void>
}

/**
 * Commands work sequentially, so a few connections are enough and the others stay free for the
 * server.
 */
const POOL_SIZE = 3
/** Commands may take longer than requests. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000
/**
 * The command that started the database may stop it when this one begins; a busy machine takes
 * seconds for that.
 */
const ATTACH_WITHIN_MS = 30_000
const LOOK_AGAIN_MS = 100

interface Wanted {
  /** The schema must be the one of this build, unless the command judges it. */
  readonly schema?: 'as it is'
  /** Makes an embedded database also in a folder that lost its own. */
  readonly ifMissing?: 'make' | undefined
}

/**
 * Runs `work` on the database of this installation: that of DATABASE_URL, or that of the server
 * that runs on the data folder. If no server runs, the embedded PostgreSQL is started for the
 * command and stopped afterwards. A database that was made in place of a lost one is removed again
 * if the command fails.
 */
export async function withDatabase<R>(
  config: Config,
  work: (attached: Attached) => Promise<R>,
  wanted: Wanted = {},
): Promise<R> {
  const attached = await attach(config, wanted)
  try {
    if (wanted.schema === undefined) await requireMigrated(config, attached)
    const result = await work(attached)
    await attached.finish?.()
    await attached.close()
    return result
  } catch (error) {
    await (attached.discard ?? attached.close)()
    throw error
  }
}

async function attach(config: Config, { ifMissing }: Wanted): Promise<Attached> {
  if (config.DATABASE_URL !== undefined) {
    return await open(connectionOf(config.DATABASE_URL), 'DATABASE_URL')
  }
  const until = Date.now() + ATTACH_WITHIN_MS
  for (;;) {
    try {
      const running = await findRunning(config.SCHOOLGATE_DATA_DIR)
      if (running !== undefined) return await open(running, 'running server')
      return await startForCommand({ ...embeddedOf(config), ifMissing })
    } catch (error) {
      // Two commands at once: one starts between the other's look and its start, or stops between
      // its look and its first query. The second one looks again.
      if (Date.now() > until || !mayHaveMissed(error)) throw error
      await sleep(LOOK_AGAIN_MS)
    }
  }
}

function mayHaveMissed(error: unknown): boolean {
  if (error instanceof EmbeddedPostgresError) return error.code === 'already-running'
  return isDatabaseUnavailable(error)
}

async function findRunning(dataDir: string): Promise<ConnectionSettings | undefined> {
  const running = await findRunningEmbedded(dataDir)
  if (running === undefined) return undefined
  const { host, port, user, password, database } = running
  return { host, port, user, password, database }
}

async function open(connection: ConnectionSettings, by: Attached['by']): Promise<Attached> {
  const database = openDatabase({
    connection,
    poolSize: POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    ...ALONE,
  })
  try {
    await database.pool.query('select 1')
  } catch (error) {
    await database.close()
    throw error
  }
  return { ...database, connection, by }
}

async function startForCommand(options: EmbeddedPostgresOptions): Promise<Attached> {
  const postgres = await startEmbeddedPostgres(options)
  // Ctrl-C ends the command; without this handler PostgreSQL would continue to run.
  const onSignal = (signal: NodeJS.Signals): void => {
    void postgres.stop().finally(() => process.kill(process.pid, signal))
  }
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  const stop = async (): Promise<void> => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    await postgres.stop()
  }
  try {
    const attached = await open({ ...postgres.address }, 'started for this command')
    let isEmpty = false
    const close = async (): Promise<void> => {
      await attached.close()
      isEmpty = await othersDone(attached.connection)
    }
    const discardEmpty = async (): Promise<void> => {
      await stop()
      if (isEmpty) await postgres.discard()
    }
    return {
      ...attached,
      isNew: postgres.isNew,
      close: () => close().finally(stop),
      ...(options.ifMissing === 'make' && {
        finish: () => postgres.finish(),
        discard: () => close().finally(discardEmpty),
      }),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Other commands may use the database that this one started: waits until they finish. Returns
 * whether it holds no school then.
 */
async function othersDone(connection: ConnectionSettings): Promise<boolean> {
  const settings = { ...connection, application_name: 'schoolgate leaving' }
  return await withOwnConnection(settings, async (client) => {
    const until = Date.now() + STATEMENT_TIMEOUT_MS
    while (Date.now() < until) {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database()
           and application_name like 'schoolgate%' and pid <> pg_backend_pid()`,
      )
      if (rowCount === 0) break
      await sleep(LOOK_AGAIN_MS)
    }
    const { rows } = await client.query("select to_regclass('public.schools') is null as none")
    if (rows[0]?.none) return true
    return (await client.query('select from schools limit 1')).rowCount === 0
  })
}

/**
 * Migrates an empty database. One with data is only changed by `schoolgate migrate` or a start of
 * the server.
 */
async function requireMigrated(config: Config, { pool, db, connection }: Attached): Promise<void> {
  const { rows } = await pool.query<{ fresh: boolean }>(
    "select to_regclass('public.schema_migrations') is null as fresh",
  )
  if (rows[0]?.fresh) {
    await migrate(connection)
    await fillPlatforms(db)
    return
  }
  const applied = await pool.query<AppliedMigration>(
    'select number, name, digest from schema_migrations',
  )
  const ours = await loadMigrations()
  if (config.SCHOOLGATE_NEWER_SCHEMA !== 'serve') refuseNewer(ours, applied.rows)
  const pending = pendingMigrations(ours, applied.rows)
  if (pending.length === 0) return
  throw new CommandError(
    `The database lacks ${pending.length} of this build's migrations, beginning with ${pending[0]?.name}.`,
    `make a backup, then run ${commandText('migrate')}; starting the server does the same`,
  )
}

export interface NamedSchool {
  readonly db: Db
  readonly school: ListedSchool
  readonly schoolDb: SchoolDb
  /** Performs an operation as the command line; a refusal becomes a CommandError. */
  perform<I extends z.ZodObject, O extends z.ZodObject>(
    operation: WriteOperation<I, O>,
    input: z.input<I>,
    words?: RefusalWords,
  ): Promise<z.output<O>>
}

export async function atNamedSchool<R>(
  cli: Cli,
  name: string,
  work: (named: NamedSchool) => Promise<R>,
): Promise<R> {
  return await withDatabase(cli.config(), async ({ db }) =>
    work(namedSchool(db, await loadSchool(db, name))),
  )
}

export function namedSchool(db: Db, school: ListedSchool): NamedSchool {
  const schoolDb = atSchool(db, school.id)
  return {
    db,
    school,
    schoolDb,
    async perform(operation, input, words) {
      const outcome = await performOperation(operation, schoolDb, commandLineAt(school), input)
      if (outcome.kind === 'done') return outcome.output
      throw refusalError(outcome, words)
    },
  }
}

export async function loadPerson(db: Db, email: string): Promise<Person> {
  const person = await findPersonByEmail(db, email)
  if (person !== undefined) return person
  throw new CommandError(...unknownPerson(email))
}

export const unknownPerson = (email: string) =>
  [`No person has the email ${email}.`, 'check the spelling'] as const

export const SCHOOL_OPTION = '--school <school>'
export const SCHOOL_ABOUT = 'subdomain, origin or id of the school'

const NAMED_AT_MOST = 10

export async function loadSchool(db: Db, name: string): Promise<ListedSchool> {
  const school = await findSchoolNamed(db, name)
  if (school !== undefined) return school
  const known = (await listSchools(db)).map(({ subdomain }) => subdomain)
  const some = known.slice(0, NAMED_AT_MOST).join(', ')
  throw new CommandError(
    `There is no school "${name}".`,
    known.length === 0
      ? `make one with ${commandText('school create')}`
      : `choose one of: ${some}${known.length > NAMED_AT_MOST ? ', …' : ''}`,
  )
}
