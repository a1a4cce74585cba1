import pg from 'pg'
import { FORGET_BACKUPS } from '../../domain/setup/backup-lease.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { StartError } from '../start-error.ts'
import {
  BACKUP_FORMAT,
  type BackupTable,
  type Manifest,
  newestMigration,
  readTables,
  withBackupClient,
} from './backup-format.ts'
import { readBackup } from './read-backup.ts'

/** Tables that a migration or a start fills; the backup has its own rows for them. */
const SEEDED = ['installations', 'vendor_platforms']
/** One `copy` sends this much; more would only take memory. */
const CHARACTERS_AT_ONCE = 1_000_000

export interface RestoredBackup {
  readonly rows: number
  readonly tables: Readonly<Record<string, number>>
  readonly createdAt: string
}

/**
 * Restores a backup into an empty database, in one transaction. Triggers are off during the
 * restore, so that rows come back unchanged. Indexes and keys are made again when the rows are
 * there.
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
      throw await explained(error, file)
    }
  })
}

async function restoreInto(client: pg.Client, file: string): Promise<RestoredBackup> {
  const tables = await readTables(client)
  await lockEmpty(client, tables)
  let putBack = async (): Promise<void> => {}
  const restored = await readInto(client, tables, file, async () => {
    await setTriggers(client, tables, 'disable')
    putBack = await putAside(client, tables)
  })
  await putBack()
  await client.query(FORGET_BACKUPS)
  await setTriggers(client, tables, 'enable')
  // Running servers may have cached that there is no such school.
  await client.query("select pg_notify('school_changed', id::text) from schools")
  return restored
}

async function lockEmpty(client: pg.Client, tables: readonly BackupTable[]): Promise<void> {
  const names = tables.map(({ name }) => pg.escapeIdentifier(name))
  // All at once, and as strong as any later step needs it: a server in between could cause a
  // deadlock.
  await client.query(`lock table ${names.join(', ')} in access exclusive mode`)
  for (const name of SEEDED) await client.query(`delete from ${pg.escapeIdentifier(name)}`)
  const filled = tables.map(
    ({ name }) =>
      `select ${pg.escapeLiteral(name)} as name where exists (select from ${pg.escapeIdentifier(name)})`,
  )
  const { rows } = await client.query<{ name: string }>(filled.join(' union all '))
  if (rows[0] === undefined) return
  throw new StartError(
    `The database is not empty: ${rows[0].name} has rows. A backup goes only into an empty one.`,
    'create a new database and point DATABASE_URL at it, or use another SCHOOLGATE_DATA_DIR',
  )
}

async function setTriggers(
  client: pg.Client,
  tables: readonly BackupTable[],
  state: 'disable' | 'enable',
): Promise<void> {
  const alterations = tables.map(
    ({ name }) => `alter table ${pg.escapeIdentifier(name)} ${state} trigger user`,
  )
  await client.query(alterations.join(';'))
}

/** `prepare` runs before the first row, once the file is known to be a backup for this database. */
async function readInto(
  client: pg.Client,
  tables: readonly BackupTable[],
  file: string,
  prepare: () => Promise<void>,
): Promise<RestoredBackup> {
  let table: BackupTable | undefined
  let batch: string[] = []
  let characters = 0
  const flush = async (): Promise<void> => {
    if (table === undefined || batch.length === 0) return
    await copyRows(client, table, batch)
    batch = []
    characters = 0
  }
  const { manifest, ...counted } = await readBackup(file, {
    async onManifest(manifest) {
      await checkManifest(client, manifest)
      await prepare()
    },
    async onTable(heading) {
      await flush()
      table = await matchingTable(tables, heading, file)
    },
    onRow(values) {
      const line = copyLine(values)
      batch.push(line)
      characters += line.length
      return characters >= CHARACTERS_AT_ONCE ? flush() : undefined
    },
  })
  await flush()
  return { ...counted, createdAt: manifest.createdAt }
}

async function checkManifest(client: pg.Client, manifest: Manifest): Promise<void> {
  const here = await newestMigration(client)
  // By name: versions after 0.1.0 use its numbers again for other migrations.
  if (manifest.format === BACKUP_FORMAT && manifest.migration.name === here.name) return
  throw new StartError(
    `The backup was made by version ${manifest.version} at migration ${manifest.migration.name}; this database is at ${here.name}.`,
    `restore it with version ${manifest.version}, then run ${commandText('migrate')} of this one`,
  )
}

async function matchingTable(
  tables: readonly BackupTable[],
  heading: { table: string; columns: readonly unknown[] },
  file: string,
): Promise<BackupTable> {
  const found = tables.find(({ name }) => name === heading.table)
  if (found !== undefined && JSON.stringify(found.columns) === JSON.stringify(heading.columns)) {
    return found
  }
  // The checksum is at the end: a damaged file says so, and is not blamed on its version.
  await readBackup(file)
  throw new StartError(
    `The table ${heading.table} of the backup is not what this database has under that name.`,
    'restore with the version that made the backup',
  )
}

async function explained(error: unknown, file: string): Promise<unknown> {
  // A value that its column does not take, or a row that breaks a key or a check.
  if (!(error instanceof pg.DatabaseError) || !/^2[23]/.test(error.code ?? '')) return error
  await readBackup(file)
  return new StartError(
    `${file} has a row that the database refuses (${error.message}). Nothing was restored.`,
    'use another copy of the backup',
  )
}

interface Part {
  readonly kind: 'foreign key' | 'constraint' | 'index'
  readonly table: string
  readonly name: string
  /**
   * As PostgreSQL writes it: the whole statement for an index, what follows the name for a
   * constraint.
   */
  readonly definition: string
}

/**
 * Takes the indexes and keys off all tables and returns how to put them back. To build an index
 * once costs less than to keep it while rows come, and a foreign key compares two tables at once
 * instead of looking up each row. Putting back fails if a row breaks a key. A check or a `not null`
 * stays: it costs little.
 */
async function putAside(
  client: pg.Client,
  tables: readonly BackupTable[],
): Promise<() => Promise<void>> {
  const parts = await readParts(client, tables)
  const foreign = parts.filter(({ kind }) => kind === 'foreign key')
  const own = parts.filter(({ kind }) => kind !== 'foreign key')
  // A foreign key needs the unique key that it refers to.
  await client.query([...foreign, ...own].map(dropping).join(';'))
  return async () => {
    await client.query([...own, ...foreign].map(adding).join(';'))
  }
}

function dropping({ kind, table, name }: Part): string {
  if (kind === 'index') return `drop index ${pg.escapeIdentifier(name)}`
  return `alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`
}

function adding({ kind, table, name, definition }: Part): string {
  if (kind === 'index') return definition
  return `alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`
}

/**
 * In the order in which they were made: of two indexes that serve a statement equally well, the
 * planner takes by their order. Two kinds of indexes stay: one that is not valid, which a server
 * will make anew, and one with a list in its condition, which PostgreSQL writes in another form
 * than it reads.
 */
async function readParts(
  client: pg.Client,
  tables: readonly BackupTable[],
): Promise<readonly Part[]> {
  const { rows } = await client.query<Part>(
    `select case k.contype when 'f' then 'foreign key' else 'constraint' end as kind,
       k.conrelid::regclass::text as table, k.conname as name, pg_get_constraintdef(k.oid) as definition, k.oid as made
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and k.contype in ('f', 'p', 'u', 'x')
     union all
     select 'index', c.oid::regclass::text, n.relname, pg_get_indexdef(n.oid), n.oid
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and i.indisvalid
       and coalesce(pg_get_expr(i.indpred, i.indrelid), '') not like '%ARRAY[%'
       and not exists (select from pg_constraint k where k.conindid = n.oid and k.contype in ('p', 'u', 'x'))
     order by made`,
    [tables.map(({ name }) => name)],
  )
  return rows
}

/** What pg sends while PostgreSQL waits for rows. Its types leave these two out. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** `copy … from stdin`: pg asks a query for its rows by this method, and by default sends none. */
class CopyQuery extends pg.Query {
  readonly #rows: Buffer

  constructor(text: string, rows: string, done: (error: Error | undefined | null) => void) {
    super(text, done)
    this.#rows = Buffer.from(rows)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.#rows)
    connection.endCopyFrom()
  }
}

/**
 * Sends rows that `copyLine` wrote. `copy` costs a fraction of `insert`, which parses and plans
 * every value.
 */
async function copyRows(
  client: pg.Client,
  { name, columns }: BackupTable,
  lines: readonly string[],
): Promise<void> {
  const names = columns.map((column) => pg.escapeIdentifier(column.name)).join(', ')
  const text = `copy ${pg.escapeIdentifier(name)} (${names}) from stdin`
  await new Promise<void>((resolve, reject) => {
    const done = (error: Error | undefined | null) => (error ? reject(error) : resolve())
    client.query(new CopyQuery(text, lines.join(''), done))
  })
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** A row in the text format of `copy`. */
export function copyLine(values: readonly (string | null)[]): string {
  const cells = values.map((value) =>
    value === null ? '\\N' : value.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? ''),
  )
  return `${cells.join('\t')}\n`
}
