import { createWriteStream } from 'node:fs'
import { link, stat, unlink } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { randomSecret } from '../../foundation/crypto/random.ts'
import { errorCode } from '../../foundation/db/embedded/embedded-postgres-error.ts'
import { VERSION } from '../../version.ts'
import { StartError } from '../start-error.ts'
import {
  BACKUP_FORMAT,
  type BackupTable,
  type Ending,
  type Footing,
  type Heading,
  type Manifest,
  newestMigration,
  readTables,
  withBackupClient,
} from './backup-format.ts'

const ROWS_AT_ONCE = 500

interface Writing {
  /** Ends it; nothing stays. */
  readonly signal?: AbortSignal
  readonly onRows?: () => void
}

export interface WrittenBackup {
  readonly file: string
  readonly bytes: number
  readonly rows: number
  readonly tables: Readonly<Record<string, number>>
  readonly migration: number
  /** The moment that it shows, on the clock of the database. */
  readonly startedAt: Date
}

/**
 * Writes all rows of the database, as of one moment, to one file while the server continues to
 * serve. The file contains password hashes and sealed keys, so only its owner can read it. It is
 * created atomically and never replaces another file.
 */
export async function writeBackup(
  connection: pg.ClientConfig,
  file: string,
  { signal, onRows = () => {} }: Writing = {},
): Promise<WrittenBackup> {
  const temporary = `${file}.${randomSecret(4).toString('hex')}.part`
  const tables: Record<string, number> = {}
  let migration = 0
  let startedAt = new Date(0)
  try {
    const write = async (client: pg.Client): Promise<void> => {
      await client.query('begin transaction isolation level repeatable read read only')
      startedAt = (await client.query<{ now: Date }>('select now()')).rows[0]?.now ?? startedAt
      migration = (await newestMigration(client)).number
      await pipeline(
        Readable.from(backupLines(client, tables, onRows)),
        createGzip(),
        createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }),
        ...(signal === undefined ? [] : [{ signal }]),
      )
      await client.query('commit')
    }
    await withBackupClient(connection, write, signal)
    await link(temporary, file)
  } catch (error) {
    throw explained(error, file)
  } finally {
    await unlink(temporary).catch(() => {})
  }
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0)
  return { file, bytes: (await stat(file)).size, rows, tables, migration, startedAt }
}

async function* backupLines(
  client: pg.Client,
  counts: Record<string, number>,
  onRows: () => void,
): AsyncGenerator<string> {
  const tables = await readTables(client)
  yield line<Manifest>({
    backup: 'schoolgate',
    format: BACKUP_FORMAT,
    version: VERSION,
    migration: await newestMigration(client),
    createdAt: new Date().toISOString(),
  })
  let total = 0
  for (const table of tables) {
    yield line<Heading>({ table: table.name, columns: [...table.columns] })
    let rows = 0
    for await (const batch of rowsOf(client, table)) {
      rows += batch.length
      onRows()
      yield `${batch.join('\n')}\n`
    }
    yield line<Footing>({ end: table.name, rows })
    counts[table.name] = rows
    total += rows
  }
  yield line<Ending>({ complete: true, rows: total })
}

async function* rowsOf(client: pg.Client, table: BackupTable): AsyncGenerator<string[]> {
  const columns = table.columns.map(({ name }) => `${pg.escapeIdentifier(name)}::text`)
  await client.query(
    `declare backup_rows no scroll cursor for
     select json_build_array(${columns.join(', ')})::text as line from ${pg.escapeIdentifier(table.name)}`,
  )
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${ROWS_AT_ONCE} from backup_rows`)
    if (rows.length === 0) break
    yield rows.map(({ line }) => line)
  }
  await client.query('close backup_rows')
}

function line<T>(value: T): string {
  return `${JSON.stringify(value)}\n`
}

function explained(error: unknown, file: string): unknown {
  switch (errorCode(error)) {
    case 'EEXIST':
      return new StartError(
        `${file} exists already; a backup never replaces a file.`,
        'name another file with --output, or move that one away',
      )
    case 'ENOENT':
      return new StartError(
        `The folder for ${file} does not exist.`,
        'make it, or name another file with --output',
      )
    case 'EACCES':
    case 'EROFS':
      return new StartError(
        `${file} cannot be written by this user.`,
        'name a file in another folder with --output',
      )
    case 'ENOSPC':
      return new StartError(
        `The disk is full; ${file} was not written.`,
        'free some space, or name a file on another disk with --output',
      )
    default:
      return error
  }
}
