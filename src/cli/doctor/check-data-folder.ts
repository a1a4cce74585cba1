import { access, constants, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { secretPath } from '../../start/installation-secret.ts'
import { broken, type Finding, fine, note } from './finding.ts'

const CHECK = 'data folder'
const OPEN_TO_OTHERS = 0o077

/** Whether the folder of the embedded database exists, is writable, and hides its secrets from other users. */
export async function checkDataFolder(config: Config): Promise<readonly Finding[]> {
  const folder = config.SCHOOLGATE_DATA_DIR
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined) {
    return [note(CHECK, `${folder} does not exist yet.`, 'nothing: the first start makes it')]
  }
  if (!found.isDirectory()) {
    return [
      broken(
        CHECK,
        `${folder} is no folder.`,
        'move it away, or set SCHOOLGATE_DATA_DIR to another place',
      ),
    ]
  }
  const writable = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!writable) {
    return [
      broken(
        CHECK,
        `${folder} cannot be written by this user.`,
        'run this as the user that runs the server, or give that user the folder',
      ),
    ]
  }
  const secrets = [secretPath(config), join(folder, 'postgresql-password')]
  const open = (await Promise.all(secrets.map(findOpenFile))).flatMap((path) => path ?? [])
  if (open.length === 0)
    return [fine(CHECK, `${folder} is writable, and its secrets are closed to others.`)]
  return open.map((path) =>
    broken(CHECK, `Other users of this machine can read ${path}.`, `run: chmod 600 ${path}`),
  )
}

async function findOpenFile(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && (found.mode & OPEN_TO_OTHERS) !== 0 ? path : undefined
}
