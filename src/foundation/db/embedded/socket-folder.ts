import { lstat, mkdir, mkdtemp, rmdir, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Account, canEnter, giveTo } from './account.ts'
import { EmbeddedPostgresError, errorCode, withFileErrors } from './embedded-postgres-error.ts'

export const PORT = 5432
const SOCKET_FILE = `.s.PGSQL.${PORT}`
const TEMPORARY_PREFIX = 'schoolgate-'

/** The kernel stores the path of a socket in 108 bytes (Linux) or 104 (macOS), including a final zero. */
export function isShortEnough(folder: string, platform: NodeJS.Platform): boolean {
  return Buffer.byteLength(join(folder, SOCKET_FILE)) <= (platform === 'darwin' ? 103 : 107)
}

/** A folder for the socket that only the account can enter: beside the database, if that path is short enough. */
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
 * Removes a temporary socket folder after its PostgreSQL is gone. Deletes only the two files that PostgreSQL
 * makes: the name of the folder was read from a file that an unprivileged user can write.
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
