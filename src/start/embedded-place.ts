import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { EmbeddedPostgresOptions } from '../foundation/db/embedded/embedded-postgres.ts'

/** The names of files that servers made by themselves begin so. */
export const BACKUP_PREFIX = 'schoolgate-every-'

/**
 * Where the embedded database is. Backups of one are a trace of it that outlives its disk: an empty
 * folder is then one that was not mounted.
 */
export function embeddedOf(config: Config): Pick<EmbeddedPostgresOptions, 'dataDir' | 'findTrace'> {
  const { SCHOOLGATE_DATA_DIR: dataDir, BACKUP_DIR: folder } = config
  if (folder === undefined) return { dataDir }
  return {
    dataDir,
    async findTrace() {
      const names = await readdir(folder).catch(() => [])
      const file = names
        .sort()
        .findLast((one) => one.startsWith(BACKUP_PREFIX) && one.endsWith('.gz'))
      return file && join(folder, file)
    },
  }
}
