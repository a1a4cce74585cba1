import { randomBytes } from 'node:crypto'
import { access, chmod, constants, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import {
  databaseGone,
  EmbeddedPostgresError,
  errorCode,
  withFileErrors,
} from './embedded-postgres-error.ts'
import { findText, writeOnce } from './write-once.ts'

/** Where the database goes when the account cannot get into the data folder. */
const REACHABLE_PLACE = '/var/lib/schoolgate'
const POINTER = 'postgresql-location'

export async function openDataFolder(dataDir: string, mustExist = false): Promise<string> {
  if (mustExist && (await stat(dataDir).catch(() => undefined)) === undefined) {
    throw databaseGone(dataDir)
  }
  return withFileErrors(dataDir, async () => {
    // If we are root, the account must be able to enter. The database itself is always 0700.
    await mkdir(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o755 : 0o700 })
    await access(dataDir, constants.W_OK | constants.X_OK)
    return await realpath(dataDir)
  })
}

/** The folder that holds the database: the data folder, or the one that its pointer file names. */
export async function loadHome(dataDir: string): Promise<string> {
  const pointer = await findText(join(dataDir, POINTER))
  return pointer === undefined ? dataDir : followPointer(dataDir, pointer)
}

/**
 * Makes sure that the account can enter `home`. A new database goes to a place the account can reach; an
 * existing one is never replaced by an empty one elsewhere.
 */
export async function settleHome(
  dataDir: string,
  home: string,
  account: Account,
  initialised: boolean,
): Promise<string> {
  if (await canEnter(account, home)) return home
  if (initialised || home !== dataDir) throw unreachable(home, account)
  const place = join(REACHABLE_PLACE, randomBytes(6).toString('hex'))
  await withFileErrors(REACHABLE_PLACE, async () => {
    await mkdir(place, { recursive: true })
    await chmod(REACHABLE_PLACE, 0o755)
    await chmod(place, 0o755)
    await writeFile(join(place, 'belongs-to'), `${dataDir}\n`)
  })
  if (!(await canEnter(account, place))) throw unreachable(place, account)
  const pointer = await withFileErrors(dataDir, () =>
    writeOnce(join(dataDir, POINTER), `${place}\n`),
  )
  if (pointer.trim() === place) return place
  await rm(place, { recursive: true, force: true })
  return followPointer(dataDir, pointer)
}

async function followPointer(dataDir: string, pointer: string): Promise<string> {
  const place = pointer.trim()
  try {
    return await realpath(place)
  } catch (cause) {
    if (errorCode(cause) !== 'ENOENT') throw cause
    throw new EmbeddedPostgresError(
      'folder-missing',
      `The database of ${dataDir} lies in ${place} (so says ${POINTER}), but that folder is gone.`,
      `bring ${place} back (in a container: keep it on a volume), or, to begin with an empty database, delete ${join(dataDir, POINTER)}`,
      { cause },
    )
  }
}

function unreachable(folder: string, account: Account): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'folder-unreachable',
    `PostgreSQL runs as uid ${account.uid}, because it refuses root, and that user cannot get into ${folder}.`,
    `let other users pass through every folder above it (chmod o+x), or move it, or start the server as an ordinary user`,
  )
}
