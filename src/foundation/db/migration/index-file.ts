/** What a file ending in `.background.sql` or `.awaited.sql` builds. */
export interface IndexOfFile {
  readonly name: string
  readonly table: string
  /** The server is not ready before this index is built. */
  readonly isAwaited: boolean
  /** The extension whose operators the index uses. Without it the index is left out, and searches read every row. */
  readonly extension?: typeof TRIGRAMS | undefined
}

/** The extension that finds text inside texts. Not every system lets an installation create it. */
export const TRIGRAMS = 'pg_trgm'

const KIND = /\.(background|awaited)\.sql$/
const STATEMENT =
  /^create index concurrently if not exists ([a-z][a-z0-9_]*)\s+on ([a-z][a-z0-9_]*)[^a-z0-9_;][^;]*;?$/

/** The index that a migration builds outside a transaction; undefined for an ordinary migration. */
export function indexOfFile(file: string, sql: string): IndexOfFile | undefined {
  const kind = KIND.exec(file)?.[1]
  if (kind === undefined) return undefined
  const statement = sql.replaceAll(/--.*$/gm, '').trim()
  const [, name, table] = STATEMENT.exec(statement) ?? []
  if (name === undefined || table === undefined) {
    throw new Error(
      `Migration ${file} must be exactly one statement: create index concurrently if not exists NAME on TABLE … ` +
        'A unique index can fail on rows that are there, so it cannot be built in the background.',
    )
  }
  const extension = statement.includes('gin_trgm_ops') ? TRIGRAMS : undefined
  return { name, table, isAwaited: kind === 'awaited', extension }
}

/** For a database that is being made: no other transaction waits for the lock. */
export function withoutConcurrently(sql: string): string {
  return sql.replace('create index concurrently', 'create index')
}
