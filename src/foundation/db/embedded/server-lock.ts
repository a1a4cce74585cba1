import { lstat, mkdir, mkdtemp, rmdir, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { type Account, canEnter, giveTo } from './account.ts'
import { EmbeddedPostgresError, errorCode, withFileErrors } from './embedded-postgres-error.ts'

/** Two arbitrary numbers, the same in all versions; they spell "scho" and "gate". */
const LOCK_CLASS = 0x7363686f
const LOCK_OBJECT = 0x67617465
const NAME_PREFIX = 'schoolgate server '

export interface LockAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export type LockAttempt =
  | { readonly outcome: 'taken'; readonly client: Client }
  | { readonly outcome: 'held'; readonly pid: number | undefined }
  | { readonly outcome: 'not-yet'; readonly reason: unknown }
  | { readonly outcome: 'wrong-password' }

/**
 * One server per data folder: the server whose session holds this lock. PostgreSQL releases the
 * lock when the server ends, even if it is killed. The connection uses the database "postgres", so
 * that our own database can be copied and dropped.
 */
export async function tryServerLock(address: LockAddress): Promise<LockAttempt> {
  const client = new Client({
    ...address,
    database: 'postgres',
    ssl: false,
    application_name: `${NAME_PREFIX}${process.pid}`,
    connectionTimeoutMillis: 5_000,
  })
  // Without a listener a lost connection would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, $2) as taken',
      [LOCK_CLASS, LOCK_OBJECT],
    )
    if (rows[0]?.taken === true) return { outcome: 'taken', client }
    const pid = await findHolder(client)
    await client.end()
    return { outcome: 'held', pid }
  } catch (error) {
    await client.end().catch(() => {})
    if (errorCode(error) === '28P01') return { outcome: 'wrong-password' }
    return { outcome: 'not-yet', reason: error }
  }
}

async function findHolder(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    [LOCK_CLASS, LOCK_OBJECT],
  )
  const name = rows[0]?.name
  return name?.startsWith(NAME_PREFIX) ? Number(name.slice(NAME_PREFIX.length)) : undefined
}

export async function readClusterName(client: Client): Promise<string> {
  const { rows } = await client.query<{ cluster_name: string }>('show cluster_name')
  return rows[0]?.cluster_name ?? ''
}

export const PORT = 5432
const SOCKET_FILE = `.s.PGSQL.${PORT}`
const TEMPORARY_PREFIX = 'schoolgate-'

/**
 * The kernel stores the path of a socket in 108 bytes (Linux) or 104 (macOS), including a final
 * zero.
 */
export function isShortEnough(folder: string, platform: NodeJS.Platform): boolean {
  return Buffer.byteLength(join(folder, SOCKET_FILE)) <= (platform === 'darwin' ? 103 : 107)
}

/**
 * A folder for the socket that only the account can enter: beside the database, if that path is
 * short enough.
 */
export async function makeSocketFolder(home: string, account: Account): Promise<string> {
  const folder = join(home, 'socket')
  if (!isShortEnough(folder, process.platform)) return makeTemporary(account)
  await withFileErrors(home, async () => {
    try {
      await mkdir(folder, { mode: 0o700 })
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || !(await lstat(folder)).isDirectory()) throw error
    }
  })
  await giveTo(account, folder)
  return folder
}

async function makeTemporary(account: Account): Promise<string> {
  for (const place of [tmpdir(), '/tmp']) {
    const fits = isShortEnough(join(place, `${TEMPORARY_PREFIX}123456`), process.platform)
    if (!fits || !(await canEnter(account, place))) continue
    const folder = await withFileErrors(place, () => mkdtemp(join(place, TEMPORARY_PREFIX)))
    await giveTo(account, folder)
    return folder
  }
  throw new EmbeddedPostgresError(
    'folder-unreachable',
    `There is no place for PostgreSQL's socket: the path of the data folder is too long for one, and uid ${account.uid} cannot use ${tmpdir()} or /tmp.`,
    'point SCHOOLGATE_DATA_DIR at a folder with a path of at most 80 bytes',
  )
}

/**
 * Removes a temporary socket folder after its PostgreSQL is gone. Deletes only the two files that
 * PostgreSQL makes: the name of the folder was read from a file that an unprivileged user can
 * write.
 */
export async function removeTemporarySocketFolder(folder: string): Promise<void> {
  if (!basename(folder).startsWith(TEMPORARY_PREFIX)) return
  try {
    for (const file of [SOCKET_FILE, `${SOCKET_FILE}.lock`]) {
      await unlink(join(folder, file)).catch(() => {})
    }
    await rmdir(folder)
  } catch {
    // Not empty, not ours or already gone. An empty folder that stays does no harm.
  }
}

export function socketLockFile(folder: string): string {
  return join(folder, `${SOCKET_FILE}.lock`)
}

/** The setting is a list: a comma in a path would split it, so the path is quoted. */
export function asDirectoryList(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}
