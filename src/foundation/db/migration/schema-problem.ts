import { findProgress, type Query, saidProgress } from './index-progress.ts'
import type { Migration } from './migrations.ts'

/** Why this build cannot serve on the schema of the database; undefined if it can. For the readiness check. */
export async function findSchemaProblem(
  query: Query,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  const newest = migrations.findLast(({ index }) => index === undefined)
  const awaited = migrations.filter(({ index }) => index?.isAwaited)
  const needed = [...(newest === undefined ? [] : [newest]), ...awaited]
  // The digest too: the migrations of 0.1.0 have other files under the same numbers.
  const { rows } = await query(
    'select digest from schema_migrations where number = any($1::int[]) and digest = any($2::text[])',
    [needed.map(({ number }) => number), needed.map(({ digest }) => digest)],
  )
  const present = new Set(rows.map((row) => (row as { digest: string }).digest))
  if (newest !== undefined && !present.has(newest.digest)) {
    return 'Migrations are pending: run `npx schoolgate migrate`.'
  }
  const missing = awaited.find(({ digest }) => !present.has(digest))?.index
  if (missing === undefined) return undefined
  const progress = await findProgress(query, missing.name)
  return `The index ${missing.name} on ${missing.table} must be built first (${saidProgress(progress)}). Wait, or see the log.`
}
