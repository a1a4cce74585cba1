import { commandText } from '../../text/command-name.ts'

type EmbeddedPostgresErrorCode =
  | 'already-running'
  | 'binaries-do-not-run'
  | 'damaged'
  | 'database-lost'
  | 'database-unfinished'
  | 'disk-full'
  | 'folder-missing'
  | 'folder-not-writable'
  | 'folder-unreachable'
  | 'initdb-failed'
  | 'no-binaries'
  | 'no-passwd-entry'
  | 'no-unprivileged-user'
  | 'not-ready'
  | 'other-major'
  | 'out-of-memory'
  | 'start-failed'
  | 'wrong-owner'
  | 'wrong-password'

/** `message` says what is wrong, `remedy` what the operator can do about it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
  readonly code: EmbeddedPostgresErrorCode
  readonly remedy: string
  /** With `already-running`: the process that holds the data folder. */
  readonly pid: number | undefined

  constructor(
    code: EmbeddedPostgresErrorCode,
    message: string,
    remedy: string,
    more: { cause?: unknown; pid?: number } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.code = code
    this.remedy = remedy
    this.pid = more.pid
  }
}

/** What helps if a database is gone. */
const RESTORE = `bring the folder back (is its disk mounted?), or restore a backup into a new database: ${commandText('backup restore FILE')}`

export const USE_ANOTHER_POSTGRESQL =
  'set DATABASE_URL to a PostgreSQL of your own (version 15 or later)'

/** The files of a PostgreSQL that runs, or ran a moment ago, are missing. */
export function databaseGone(folder: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'folder-missing',
    `The database in ${folder} was deleted, moved or unmounted while the server ran.`,
    RESTORE,
  )
}

/** A folder that has had a database, and has none. */
export function databaseLost(folder: string, left: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'database-lost',
    `The database is missing: ${folder} is not there, but ${left}, which belongs to it, is. Nothing was started, and no empty database was made in its place.`,
    `${RESTORE}; to begin anew without its data: ${commandText('new-database')}`,
  )
}

/** A database that a command made for a restore, which did not end. */
export function databaseUnfinished(folder: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'database-unfinished',
    `A restore into ${folder} did not end, so the database there is not whole. Nothing was started.`,
    `run it again: ${commandText('backup restore FILE')}; to begin anew without its data: ${commandText('new-database')}`,
  )
}

export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Runs a file operation and explains its usual failures. */
export async function withFileErrors<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    throw explainFileError(cause, path)
  }
}

function explainFileError(cause: unknown, path: string): unknown {
  switch (errorCode(cause)) {
    case 'EACCES':
    case 'ENOENT': // A recursive mkdir reports this on a read-only file system.
    case 'EPERM':
    case 'EROFS':
      return new EmbeddedPostgresError(
        'folder-not-writable',
        `The folder for the database is not writable: ${path}`,
        'give the user that runs the server write permission there, or point SCHOOLGATE_DATA_DIR at another folder',
        { cause },
      )
    case 'EEXIST':
    case 'ENOTDIR':
      return new EmbeddedPostgresError(
        'folder-not-writable',
        `The folder for the database cannot be made, a file is in its place: ${path}`,
        'move that file away, or point SCHOOLGATE_DATA_DIR at another folder',
        { cause },
      )
    case 'EDQUOT':
    case 'ENOSPC':
      return diskFull(path, cause)
    default:
      return cause
  }
}

export function diskFull(path: string, cause?: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'disk-full',
    `The disk that holds the database is full: ${path}`,
    'free some space (a new database takes about 50 MB), then start again; nothing that was stored is lost',
    { cause },
  )
}
