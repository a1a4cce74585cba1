import { commandText } from '../../text/command-name.ts'
import type { IndexOfFile } from './index-file.ts'
import { findProgress, type IndexProgress, type Query, saidProgress } from './index-progress.ts'
import type { Migration } from './migrations.ts'

/** Why this build cannot serve on the schema of the database; undefined if it can. For the readiness check. */
export async function findSchemaProblem(
  query: Query,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  const newest = migrations.findLast(({ indexes }) => indexes === undefined)
  const awaited = migrations.filter(({ indexes }) => indexes?.[0]?.isAwaited)
  const needed = [...(newest === undefined ? [] : [newest]), ...awaited]
  // The digest too: the migrations of 0.1.0 have other files under the same numbers.
  const { rows } = await query(
    'select digest from schema_migrations where number = any($1::int[]) and digest = any($2::text[])',
    [needed.map(({ number }) => number), needed.map(({ digest }) => digest)],
  )
  const present = new Set(rows.map((row) => (row as { digest: string }).digest))
  if (newest !== undefined && !present.has(newest.digest)) {
    return `Migrations are pending: run ${commandText('migrate')}.`
  }
  const missing = awaited.find(({ digest }) => !present.has(digest))?.indexes ?? []
  const [first] = missing
  if (first === undefined) return undefined
  for (const index of missing) {
    const progress = await findProgress(query, index.name)
    if (progress !== undefined) return wait(index, progress)
  }
  return wait(first, undefined)
}

function wait({ name, table }: IndexOfFile, progress: IndexProgress | undefined): string {
  return `The index ${name} on ${table} must be built first (${saidProgress(progress)}). Wait, or see the log.`
}
