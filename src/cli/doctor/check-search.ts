import { installedExtensions } from '../../foundation/db/migration/extensions.ts'
import { TRIGRAMS } from '../../foundation/db/migration/index-file.ts'
import type { Attached } from '../attach.ts'
import { type Finding, fine, note } from './finding.ts'

/** Whether searches are answered by indexes. Without them they find the same, but read every row of the school. */
export async function checkSearch({ pool }: Pick<Attached, 'pool'>): Promise<Finding> {
  const extensions = await installedExtensions(pool)
  if (!extensions.has(TRIGRAMS)) {
    return note(
      'search',
      `The database lacks the extension ${TRIGRAMS}: a search reads every row of the school.`,
      `as the owner of the database run \`create extension ${TRIGRAMS}\` (on some systems it is a package called contrib), then restart the server, which builds the indexes`,
    )
  }
  // What is a letter, the extension asks the locale of the system.
  const { rows } = await pool.query<{ trigrams: number }>(
    "select cardinality(show_trgm('\u5c71\u7530')) as trigrams",
  )
  if (rows[0]?.trigrams === 0) {
    return note(
      'search',
      'The locale of the database knows no letters beyond ASCII: a search for other letters reads every row of the school.',
      'if such searches are slow, make a backup and restore it into a new database with the locale C.UTF-8',
    )
  }
  return fine('search', 'Searches are answered by indexes, in every script.')
}
