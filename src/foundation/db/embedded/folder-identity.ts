import { stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Two files that every database has. */
const KEPT = ['PG_VERSION', join('global', 'pg_control')]

/** Whether a database is where it was, or may be. */
export async function isThere(clusterDir: string, first: Identity): Promise<boolean> {
  if (isAnother(await identify(clusterDir), first)) return false
  const found = await Promise.all(KEPT.map((name) => identify(join(clusterDir, name))))
  return !found.includes('gone')
}

export type Identity = { readonly dev: number; readonly ino: number } | 'gone' | 'unknown'

/** Another folder under the same name, such as one below a mount point, has another number. */
function isAnother(found: Identity, first: Identity): boolean {
  if (typeof found === 'string' || typeof first === 'string') return found === 'gone'
  return found.dev !== first.dev || found.ino !== first.ino
}

/** Only some errors prove that a file is gone. Others, such as a disk that fails a read, pass or are PostgreSQL's to report. */
export async function identify(path: string): Promise<Identity> {
  return await stat(path).catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'unknown',
  )
}
