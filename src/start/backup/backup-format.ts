import type pg from 'pg'
import { z } from 'zod'
import { withOwnConnection } from '../../foundation/db/connection-pool.ts'
import type { ConnectionSettings } from '../../foundation/db/hosts.ts'
import type { Migration } from '../../foundation/db/migration/migrations.ts'

/**
 * A backup is gzipped text, one JSON value to a line: the manifest, then for each table its
 * heading, its rows (arrays of texts as PostgreSQL writes them, null for null) and its footing, and
 * a last line that marks the end. So a truncated file is recognised.
 */
export const BACKUP_FORMAT = 1

const manifest = z.object({
  backup: z.literal('schoolgate'),
  format: z.number(),
  version: z.string(),
  migration: z.object({ number: z.number(), name: z.string() }),
  createdAt: z.string(),
})
const heading = z.object({
  table: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
})
const footing = z.object({ end: z.string(), rows: z.number() })
const ending = z.object({ complete: z.literal(true), rows: z.number() })

export type Manifest = z.infer<typeof manifest>
export type Heading = z.infer<typeof heading>
export type Footing = z.infer<typeof footing>
export type Ending = z.infer<typeof ending>

export type BackupLine =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | { readonly kind: 'heading'; readonly heading: Heading }
  | { readonly kind: 'row'; readonly values: readonly (string | null)[] }
  | { readonly kind: 'footing'; readonly footing: Footing }
  | { readonly kind: 'ending'; readonly ending: Ending }

/** Undefined if the text is not a line of a backup. */
export function parseLine(text: string): BackupLine | undefined {
  const value = parseJson(text)
  if (isRow(value)) return { kind: 'row', values: value }
  const asManifest = manifest.safeParse(value)
  if (asManifest.success) return { kind: 'manifest', manifest: asManifest.data }
  const asHeading = heading.safeParse(value)
  if (asHeading.success) return { kind: 'heading', heading: asHeading.data }
  const asFooting = footing.safeParse(value)
  if (asFooting.success) return { kind: 'footing', footing: asFooting.data }
  const asEnding = ending.safeParse(value)
  return asEnding.success ? { kind: 'ending', ending: asEnding.data } : undefined
}

function isRow(value: unknown): value is (string | null)[] {
  return Array.isArray(value) && value.every((cell) => cell === null || typeof cell === 'string')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Splits only at line feeds: JSON may contain the other line breaks of Unicode. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/**
 * A connection that writes values in the same way on every server: times in UTC, exact numbers,
 * bytes as hexadecimal. Without the time limit of requests, because a backup takes longer.
 */
export async function withBackupClient<R>(
  connection: ConnectionSettings,
  work: (client: pg.Client) => Promise<R>,
  signal?: AbortSignal,
): Promise<R> {
  const settings = {
    timezone: 'UTC',
    datestyle: 'ISO',
    intervalstyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
  }
  const own = { ...connection, application_name: 'schoolgate backup' }
  return await withOwnConnection(own, async (client) => {
    // Ends a statement that waits, too.
    signal?.addEventListener('abort', () => client.socket.destroy(), { once: true })
    signal?.throwIfAborted()
    for (const [name, value] of Object.entries(settings)) {
      await client.query('select set_config($1, $2, false)', [name, value])
    }
    return await work(client)
  })
}

export interface NewestMigration {
  readonly number: number
  readonly name: string
}

/** Without indexes that are built while servers run: they do not change what a backup holds. */
export async function newestMigration(client: pg.Client): Promise<NewestMigration> {
  const { rows } = await client.query<NewestMigration>(
    String.raw`select number, name from schema_migrations
     where name !~ '\.(background|awaited)\.sql$' order by number desc limit 1`,
  )
  return rows[0] ?? { number: 0, name: 'none' }
}

/** Of the migrations of this build. */
export function newestOf(migrations: readonly Migration[]): string {
  return migrations.findLast(({ indexes }) => indexes === undefined)?.name ?? 'none'
}

export interface BackupColumn {
  readonly name: string
  readonly type: string
}

export interface BackupTable {
  readonly name: string
  readonly columns: readonly BackupColumn[]
}

/**
 * Not part of a backup: a restore goes into a migrated database, which has its own record and setup
 * code.
 */
const NOT_DATA = ['schema_migrations', 'setup_codes']

export async function readTables(client: pg.Client): Promise<readonly BackupTable[]> {
  const { rows } = await client.query<BackupTable>(
    `select c.relname as name,
       json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
                order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> all($1)
     group by c.relname order by c.relname`,
    [NOT_DATA],
  )
  return rows
}
