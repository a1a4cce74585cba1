import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { errorCode } from '../../foundation/db/embedded/embedded-postgres-error.ts'
import { CommandError } from '../outcome.ts'
import { newestMigration, withBackupClient } from './backup-client.ts'
import { BACKUP_FORMAT, linesOf, type Manifest, parseLine } from './backup-format.ts'
import { type BackupCatalogue, type BackupTable, readCatalogue } from './backup-tables.ts'

/** Tables that a migration or a start fills; the backup has its own rows for them. */
const SEEDED = ['installations', 'vendor_platforms']
const ROWS_AT_ONCE = 1000
const CHARACTERS_AT_ONCE = 4_000_000

export interface RestoredBackup {
  readonly rows: number
  readonly tables: Readonly<Record<string, number>>
  readonly createdAt: string
}

/**
 * Restores a backup into an empty database, in one transaction. Triggers are off during the restore, so that rows
 * come back unchanged; foreign keys and checks stay on.
 */
export async function restoreBackup(
  connection: pg.ClientConfig,
  file: string,
): Promise<RestoredBackup> {
  return await withBackupClient(connection, async (client) => {
    await client.query('begin')
    try {
      const restored = await restoreInto(client, file)
      await client.query('commit')
      return restored
    } catch (error) {
      await client.query('rollback')
      throw explained(error, file)
    }
  })
}

async function restoreInto(client: pg.Client, file: string): Promise<RestoredBackup> {
  const catalogue = await readCatalogue(client)
  await requireEmpty(client, catalogue)
  await loosen(client, catalogue)
  const restored = await readInto(client, catalogue, file)
  await tighten(client, catalogue)
  // Running servers may have cached that there is no such school.
  await client.query("select pg_notify('school_changed', id::text) from schools")
  return restored
}

async function requireEmpty(client: pg.Client, { tables }: BackupCatalogue): Promise<void> {
  for (const { name } of tables) {
    const table = pg.escapeIdentifier(name)
    if (SEEDED.includes(name)) {
      await client.query(`delete from ${table}`)
      continue
    }
    await client.query(`lock table ${table} in share row exclusive mode`)
    const { rowCount } = await client.query(`select from ${table} limit 1`)
    if (rowCount === 0) continue
    throw new CommandError(
      `The database is not empty: ${name} has rows. A backup goes only into an empty one.`,
      'create a new database and point DATABASE_URL at it, or use another SCHOOLGATE_DATA_DIR',
    )
  }
}

async function loosen(client: pg.Client, { tables, circular }: BackupCatalogue): Promise<void> {
  for (const { name } of tables) {
    await client.query(`alter table ${pg.escapeIdentifier(name)} disable trigger user`)
  }
  for (const { table, name } of circular) {
    await client.query(
      `alter table ${pg.escapeIdentifier(table)} alter constraint ${pg.escapeIdentifier(name)} deferrable initially deferred`,
    )
  }
}

async function tighten(client: pg.Client, { tables, circular }: BackupCatalogue): Promise<void> {
  await client.query('set constraints all immediate')
  for (const { table, name } of circular) {
    await client.query(
      `alter table ${pg.escapeIdentifier(table)} alter constraint ${pg.escapeIdentifier(name)} not deferrable`,
    )
  }
  for (const { name } of tables) {
    await client.query(`alter table ${pg.escapeIdentifier(name)} enable trigger user`)
  }
}

async function readInto(
  client: pg.Client,
  catalogue: BackupCatalogue,
  file: string,
): Promise<RestoredBackup> {
  const counts: Record<string, number> = {}
  let manifest: Manifest | undefined
  let table: BackupTable | undefined
  let complete = false
  let total = 0
  let batch: string[] = []
  let characters = 0
  const flush = async (): Promise<void> => {
    if (table === undefined || batch.length === 0) return
    await insertRows(client, table, batch)
    counts[table.name] = (counts[table.name] ?? 0) + batch.length
    total += batch.length
    batch = []
    characters = 0
  }
  // The callback prevents an unhandled error event; the loop below throws the same error.
  const text = pipeline(createReadStream(file), createGunzip(), () => {}).setEncoding('utf8')
  for await (const line of linesOf(text)) {
    const parsed = parseLine(line)
    if (parsed === undefined || (manifest === undefined) !== (parsed.kind === 'manifest')) {
      throw damaged(file)
    }
    switch (parsed.kind) {
      case 'manifest':
        await checkManifest(client, parsed.manifest)
        manifest = parsed.manifest
        break
      case 'heading':
        table = matchingTable(catalogue, parsed.heading)
        break
      case 'row':
        batch.push(parsed.json)
        characters += parsed.json.length
        if (batch.length >= ROWS_AT_ONCE || characters >= CHARACTERS_AT_ONCE) await flush()
        break
      case 'footing':
        await flush()
        if ((counts[parsed.footing.end] ?? 0) !== parsed.footing.rows) throw damaged(file)
        break
      case 'ending':
        complete = parsed.ending.rows === total
    }
  }
  if (!complete || manifest === undefined) throw damaged(file)
  return { rows: total, tables: counts, createdAt: manifest.createdAt }
}

async function checkManifest(client: pg.Client, manifest: Manifest): Promise<void> {
  const here = await newestMigration(client)
  // By name: versions after 0.1.0 use its numbers again for other migrations.
  if (manifest.format === BACKUP_FORMAT && manifest.migration.name === here.name) return
  throw new CommandError(
    `The backup was made by version ${manifest.version} at migration ${manifest.migration.name}; this database is at ${here.name}.`,
    `restore it with version ${manifest.version}, then run \`npx schoolgate migrate\` of this one`,
  )
}

function matchingTable(
  { tables }: BackupCatalogue,
  heading: { table: string; columns: readonly unknown[] },
): BackupTable {
  const found = tables.find(({ name }) => name === heading.table)
  if (found !== undefined && JSON.stringify(found.columns) === JSON.stringify(heading.columns)) {
    return found
  }
  throw new CommandError(
    `The table ${heading.table} of the backup is not what this database has under that name.`,
    'restore with the version that made the backup',
  )
}

async function insertRows(
  client: pg.Client,
  { name, columns }: BackupTable,
  rows: readonly string[],
): Promise<void> {
  const names = columns.map((column) => pg.escapeIdentifier(column.name))
  const values = columns.map((column, i) => `(line ->> ${i})::${column.type}`)
  await client.query(
    `insert into ${pg.escapeIdentifier(name)} (${names.join(', ')})
     select ${values.join(', ')} from json_array_elements($1::json) as line`,
    [`[${rows.join(',')}]`],
  )
}

function damaged(file: string): CommandError {
  return new CommandError(
    `${file} is not a whole Schoolgate backup: it is something else, cut off or damaged. Nothing was restored.`,
    'use another copy of the backup',
  )
}

function explained(error: unknown, file: string): unknown {
  const code = errorCode(error) ?? ''
  if (code === 'ENOENT') {
    return new CommandError(`There is no file ${file}.`, 'see whether the path is right')
  }
  if (code === 'EACCES' || code === 'EISDIR') {
    return new CommandError(`${file} cannot be read.`, 'run this as the user that owns the file')
  }
  return code.startsWith('Z_') ? damaged(file) : error
}
