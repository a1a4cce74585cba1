import { commandText } from '../../text/command-name.ts'
import {
  type AppliedMigration,
  type Migration,
  MigrationError,
  OLD_MIGRATIONS,
} from './migrations.ts'

/**
 * The migrations of this build that the database lacks and the server cannot start without;
 * `pendingIndexes` has the others. Throws if this build does not fit the database.
 */
export function pendingMigrations(
  ours: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  return allPending(ours, applied).filter(({ indexes }) => indexes === undefined)
}

/** Indexes that are still to be built while servers run. */
export function pendingIndexes(
  ours: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  return allPending(ours, applied).filter(({ indexes }) => indexes !== undefined)
}

/** Whether the database has what the migration needs; `installedExtensions` reads the names. */
export function isPossible({ indexes = [] }: Migration, extensions: ReadonlySet<string>): boolean {
  return indexes.every(({ extension }) => extension === undefined || extensions.has(extension))
}

export function allPending(
  ours: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  if (isRecordOfOldRelease(applied)) {
    throw new MigrationError(
      'Version 0.1.0 of Schoolgate made this database. ' +
        `Make a backup, then run ${commandText('migrate')}; starting the server does the same.`,
    )
  }
  const byNumber = new Map(ours.map((migration) => [migration.number, migration]))
  for (const row of applied) {
    const known = byNumber.get(row.number)
    if (known === undefined && row.number <= (ours.at(-1)?.number ?? 0)) {
      throw new MigrationError(
        `The database has migration ${row.name}, which this build of Schoolgate does not know. ` +
          'Run the build that made it, or restore a backup.',
      )
    }
    if (known !== undefined && known.digest !== row.digest) {
      throw new MigrationError(
        `Migration ${row.name} was changed after it was applied to this database. ` +
          'Applied migrations are never edited: restore the file and add a new one.',
      )
    }
  }
  const done = new Set(applied.map((row) => row.number))
  return ours.filter((migration) => !done.has(migration.number))
}

/** The names of migrations that a newer version of Schoolgate has applied. */
export function newerMigrations(
  ours: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly string[] {
  const newest = ours.at(-1)?.number ?? 0
  return applied.filter(({ number }) => number > newest).map(({ name }) => name)
}

/**
 * Refuses to begin work on a database that a newer version has migrated. A process that works
 * already goes on, so that servers can be replaced one after another.
 */
export function refuseNewer(
  ours: readonly Migration[],
  applied: readonly AppliedMigration[],
): void {
  const names = newerMigrations(ours, applied)
  if (names.length === 0) return
  throw new MigrationError(
    `A newer version of Schoolgate has migrated this database (${names.join(', ')}), and this version does not know what changed. ` +
      'Install the newer version here, too. While an upgrade lasts, SCHOOLGATE_NEWER_SCHEMA=serve lets the version before it go on.',
  )
}

/**
 * Whether exactly the migrations of 0.1.0 are applied. Throws if some of them are, but not all, or
 * others besides: the schema of such a database is not known.
 */
export function isRecordOfOldRelease(applied: readonly AppliedMigration[]): boolean {
  const byNumber = new Map(applied.map((row) => [row.number, row]))
  const different = OLD_MIGRATIONS.flatMap(([name, digest], index) => {
    const row = byNumber.get(index + 1)
    if (row?.digest === digest) return []
    return row === undefined ? `${name} is missing` : `${row.name} is another file`
  })
  if (different.length === OLD_MIGRATIONS.length) return false
  const added = applied
    .filter(({ number }) => number > OLD_MIGRATIONS.length)
    .map(({ name }) => `${name} is not one of them`)
  const problems = [...different, ...added]
  if (problems.length === 0) return true
  throw new MigrationError(
    `The database has migrations of Schoolgate 0.1.0, but not exactly its ${OLD_MIGRATIONS.length}: ${problems.join(', ')}. ` +
      'Start version 0.1.0 on it once, or restore a backup, then run this version again.',
  )
}
