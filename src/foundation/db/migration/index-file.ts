/** An index that a file ending in `.background.sql` or `.awaited.sql` builds. */
export interface IndexOfFile {
  readonly name: string
  readonly table: string
  /** The statement that builds it. */
  readonly sql: string
  /** The server is not ready before this index is built. */
  readonly isAwaited: boolean
  /** The extension whose operators the index uses. Without it the index is left out, and searches read every row. */
  readonly extension?: typeof TRIGRAMS | undefined
}

/** The extension that finds text inside texts. Not every system lets an installation create it. */
export const TRIGRAMS = 'pg_trgm'

const KIND = /\.(background|awaited)\.sql$/
const STATEMENT =
  /^create index concurrently if not exists ([a-z][a-z0-9_]*)\s+on ([a-z][a-z0-9_]*)[^a-z0-9_;][^;]*$/

/** The indexes that a migration builds outside a transaction; undefined for an ordinary migration. */
export function indexesOfFile(file: string, sql: string): readonly IndexOfFile[] | undefined {
  const kind = KIND.exec(file)?.[1]
  if (kind === undefined) return undefined
  const statements = sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  if (statements.length === 0) throw notIndexes(file)
  return statements.map((statement) => {
    const [, name, table] = STATEMENT.exec(statement) ?? []
    if (name === undefined || table === undefined) throw notIndexes(file)
    const extension = statement.includes('gin_trgm_ops') ? TRIGRAMS : undefined
    return { name, table, sql: statement, isAwaited: kind === 'awaited', extension }
  })
}

interface WithIndexes {
  readonly sql: string
  readonly indexes?: readonly IndexOfFile[] | undefined
}

/**
 * The indexes as the last migration leaves them. An update applies the others first, so one that drops an index or sets something
 * for it finds nothing, and the index would be built for good, or without its settings, afterwards.
 */
export function asLaterOnesWant<M extends WithIndexes>(migrations: readonly M[]): readonly M[] {
  const drops = migrations.map(({ sql }) => [...sql.matchAll(DROP)].map(([, name]) => name))
  const sets = migrations.map(({ sql }) =>
    [...sql.matchAll(SET)].map(([, name, setting]) => [name, setting] as const),
  )
  return migrations.map((migration, place) => {
    if (migration.indexes === undefined) return migration
    const dropped = new Set(drops.slice(place + 1).flat())
    const settings = new Map(sets.slice(place + 1).flat())
    return {
      ...migration,
      indexes: migration.indexes
        .filter(({ name }) => !dropped.has(name))
        .map((index) => withSetting(index, settings.get(index.name))),
    }
  })
}

const DROP = /^drop index if exists ([a-z][a-z0-9_]*);/gm
const SET = /^alter index if exists ([a-z][a-z0-9_]*) set \(([a-z_]+ = [a-z0-9]+)\);/gm

/** In the statement itself, because to alter an index afterwards locks it against searches. */
function withSetting(index: IndexOfFile, setting: string | undefined): IndexOfFile {
  if (setting === undefined) return index
  const [what = '', ...condition] = index.sql.split(/\bwhere\b/)
  return { ...index, sql: [`${what.trimEnd()} with (${setting})`, ...condition].join(' where') }
}

function notIndexes(file: string): Error {
  return new Error(
    `Every statement of migration ${file} must be: create index concurrently if not exists NAME on TABLE … ` +
      'A unique index can fail on rows that are there, so it cannot be built in the background.',
  )
}

/** For a database that is being made: no other transaction waits for the lock. */
export function withoutConcurrently(sql: string): string {
  return sql.replaceAll('create index concurrently', 'create index')
}
