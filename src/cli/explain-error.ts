import pg from 'pg'
import { ConfigError } from '../config.ts'
import { placeOf } from '../foundation/db/database-url.ts'
import {
  EmbeddedPostgresError,
  errorCode,
} from '../foundation/db/embedded/embedded-postgres-error.ts'
import { MigrationError } from '../foundation/db/migration/migrations.ts'
import { isDatabaseUnavailable } from '../foundation/db/unavailable.ts'
import { commandText } from '../foundation/text/command-name.ts'
import { StartError } from '../start/start-error.ts'
import type { Environment } from './cli.ts'
import { CommandError } from './outcome.ts'

export interface Explanation {
  readonly error: string
  readonly remedy: string
  readonly exitCode: 1 | 2
}

/** Explains any error to the operator: what is wrong and what to do. Never a stack. */
export function explainError(error: unknown, env: Environment): Explanation {
  if (error instanceof CommandError) {
    return { error: error.message, remedy: error.remedy, exitCode: error.exitCode }
  }
  if (error instanceof EmbeddedPostgresError || error instanceof StartError) {
    return failed(error.message, error.remedy)
  }
  if (error instanceof ConfigError) {
    return failed(error.message, 'correct the environment; docs/settings.md lists every variable')
  }
  if (error instanceof MigrationError) {
    return failed(error.message, `${commandText('doctor')} shows where things stand`)
  }
  if (errorCode(error) === 'EMFILE' || errorCode(error) === 'ENFILE') {
    return failed(
      `There are too many open files: the limit is ${limitOfFiles() ?? 'too low'}.`,
      `raise it to ${ENOUGH_FILES} (LimitNOFILE= of systemd, \`ulimit -n\` of the shell)`,
    )
  }
  return (
    explainConnection(error, env) ??
    failed(
      `This should not have happened: ${error instanceof Error ? error.message : String(error)}`,
      `run ${commandText('doctor')}; if it finds nothing wrong, report what you ran and this message`,
    )
  )
}

/** Files, sockets and pipes of a server with a few thousand connections. */
export const ENOUGH_FILES = 4096

/** How many files this process may open at once; undefined if nothing limits it. */
export function limitOfFiles(): number | undefined {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | string } }
  }
  const soft = Number(userLimits?.open_files?.soft)
  return Number.isFinite(soft) ? soft : undefined
}

const failed = (error: string, remedy: string): Explanation => ({ error, remedy, exitCode: 1 })

const CONNECTION: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ECONNREFUSED: [
    'Nothing listens there',
    'start PostgreSQL, or correct host and port in DATABASE_URL',
  ],
  ENOENT: ['The socket is not there', 'start PostgreSQL, or correct the path in DATABASE_URL'],
  ENOTFOUND: ['The host name is not known', 'correct the host in DATABASE_URL'],
  EAI_AGAIN: [
    'The host name cannot be looked up',
    'check the network, or correct the host in DATABASE_URL',
  ],
  EHOSTUNREACH: ['The host cannot be reached', 'check the network and firewalls'],
  ETIMEDOUT: ['It does not answer', 'check the network and firewalls'],
  '25006': [
    'It is a standby or accepts no writes',
    'point DATABASE_URL at the primary, or list all hosts: host1:5432,host2:5432',
  ],
  '28P01': ['It refuses the password', 'correct user and password in DATABASE_URL'],
  '28000': ['It refuses this user', 'correct the user in DATABASE_URL, or allow it in pg_hba.conf'],
  '3D000': ['It has no such database', 'create the database, or correct its name in DATABASE_URL'],
  '42501': ['The user lacks a right', 'make the user the owner of the database'],
  '53300': ['It has no connection left', 'lower DATABASE_POOL_SIZE, or raise max_connections'],
  '57P03': ['It is starting or stopping', 'wait a moment and try again'],
}

function explainConnection(error: unknown, env: Environment): Explanation | undefined {
  if (!isDatabaseUnavailable(error) && !(error instanceof pg.DatabaseError)) return undefined
  const code = errorCode(error)
  const known = CONNECTION[code ?? '']
  const place = databasePlace(env)
  if (known !== undefined) {
    const [what, remedy] = known
    return failed(`The database at ${place} cannot be used. ${what}.`, remedy)
  }
  // PostgreSQL hardly ever uses this code; poolers use it for nearly all errors.
  if (code === '08P01') {
    return failed(
      `The pooler in front of the database at ${place} refuses: ${error.message}.`,
      'docs/guides/pgbouncer.md tells how to set it up',
    )
  }
  if (!isDatabaseUnavailable(error)) return undefined
  return failed(
    `The connection to the database at ${place} was lost.`,
    'see whether it still runs, then run the command again; what was not confirmed did not happen',
  )
}

/** The address of the database, without the password. */
function databasePlace(env: Environment): string {
  const url = env.DATABASE_URL
  if (url === undefined || url === '') return `${env.SCHOOLGATE_DATA_DIR || './data'} (embedded)`
  return placeOf(url) || 'DATABASE_URL'
}
