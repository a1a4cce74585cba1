import { readdir, readFile } from 'node:fs/promises'
import { sha256 } from '../../crypto/digest.ts'
import { PACKAGE_FOLDER } from '../../package-folder.ts'
import { asLaterOnesWant, type IndexOfFile, indexesOfFile } from './index-file.ts'

const FOLDER = new URL('migrations/', PACKAGE_FOLDER)
const FILE_NAME = /^(\d{4})-([a-z0-9-]+)(\.background|\.awaited)?\.sql$/

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly digest: string
  /** What it builds while servers run. Absent for a migration that runs in a transaction before the start. */
  readonly indexes?: readonly IndexOfFile[] | undefined
}

/** A row of schema_migrations. */
export type AppliedMigration = Pick<Migration, 'number' | 'name' | 'digest'>

/** This build cannot run on the database. The message says what is wrong and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

export async function loadMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => FILE_NAME.test(name)).sort()
  const migrations = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, FOLDER), 'utf8')
      return {
        number: Number(name.slice(0, 4)),
        name,
        sql,
        digest: sha256(sql).toString('hex'),
        indexes: indexesOfFile(name, sql),
      }
    }),
  )
  return asLaterOnesWant(migrations)
}
