/** What a file ending in `.background.sql` or `.awaited.sql` builds. */
export interface IndexOfFile {
  readonly name: string
  readonly table: string
  /** The server is not ready before this index is built. */
  readonly isAwaited: boolean
}

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
  return { name, table, isAwaited: kind === 'awaited' }
}

/** For a database that is being made: no other transaction waits for the lock. */
export function withoutConcurrently(sql: string): string {
  return sql.replace('create index concurrently', 'create index')
}
