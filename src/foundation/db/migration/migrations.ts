import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'
import { sha256 } from '../../crypto/digest.ts'
import { PACKAGE_FOLDER } from '../../package-folder.ts'

const FOLDER = new URL('migrations/', PACKAGE_FOLDER)
const FILE_NAME = /^(\d{4})-([a-z0-9-]+)(\.background|\.awaited)?\.sql$/

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly digest: string
  /**
   * What it builds while servers run. Absent for a migration that runs in a transaction before the
   * start.
   */
  readonly indexes?: readonly IndexOfFile[] | undefined
}

/** A row of schema_migrations. */
export type AppliedMigration = Pick<Migration, 'number' | 'name' | 'digest'>

/** This build cannot run on the database. The message says what is wrong and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

export async function loadMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => FILE_NAME.test(name)).sort()
  const migrations = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, FOLDER), 'utf8')
      return {
        number: Number(name.slice(0, 4)),
        name,
        sql,
        digest: sha256(sql).toString('hex'),
        indexes: indexesOfFile(name, sql),
      }
    }),
  )
  return asLaterOnesWant(migrations)
}

/** The table that records which migrations this database has. */
export const CREATE_RECORD = `create table if not exists schema_migrations (
  number integer primary key,
  name text not null,
  digest text not null,
  applied_at timestamptz(3) not null default now())`

export async function readRecord(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select number, name, digest from schema_migrations order by number',
  )
  return rows
}

/** False if it was recorded before. */
export async function recordMigration(
  client: pg.Client,
  { number, name, digest }: AppliedMigration,
): Promise<boolean> {
  // Two processes may see that the same index is built.
  const { rowCount } = await client.query(
    'insert into schema_migrations (number, name, digest) values ($1, $2, $3) on conflict do nothing',
    [number, name, digest],
  )
  return rowCount === 1
}

/**
 * The migrations of version 0.1.0 and the SHA-256 of each file, in the order of their numbers. The
 * first FIRST_SET_SIZE files of migrations/ make the same schema; migrate.ts moves a database from
 * the old to the new.
 */
export const OLD_MIGRATIONS: ReadonlyArray<readonly [name: string, digest: string]> = [
  ['0001-schools.sql', 'bf7d79f75c31acdb251d80152c09ecc6bdd895825fca6b78f31e5588773418b4'],
  ['0002-people.sql', '6a63fee5f88b6e64c2c3c110abe1d3556ea7b1a40c49772821b3db10f574eef7'],
  ['0003-clients.sql', '3dfcd52ac284aa83bcdab7bfe51e6d933339f96259c0ccdef0b2c596a5b7eb40'],
  ['0004-grants.sql', 'dae734680093d8d63d713fb1c9605ace58a90622cba3a761e80ac915aab1f86a'],
  ['0005-audit.sql', 'ee3085a68bda669ebb7ec76278c29b3e6f59738b59d6ad6d652d8e936a745012'],
  ['0006-content.sql', 'f3161827fbd0ac20e7fd6dd583100557aeb70d71cdceea99c3471eed341aa133'],
  ['0007-learning.sql', '982ca42bf82ed06ca3c21971a9280cd6bb613847efd997bb0309ea96dde322c1'],
  ['0008-events.sql', 'cd46ba419797ef2dd09321c9c9128c1d0edda1c193b2f4ee2e35d26820f53d5a'],
  ['0009-commerce.sql', 'd384f91f2c59c73db9c7e2d7f72cbcaebee921a47ddee878758056f10af5d639'],
  ['0010-consulting.sql', '2704aed541cf78df3d0882cf3363356cf40a8db5cda6e979fbe8be95c9d92036'],
  ['0011-notifications.sql', '5f675f6f7ee7b69808f292596c2b3514510419ecaf2d00ddb40a5c704b63a0d4'],
  ['0012-analytics.sql', '1df83d8ae905a40ac565b9c93423ccde2438741db45cd4cbc0915b7971b3d166'],
  ['0013-idempotency.sql', '307b2db56082605c7ce3763438bbf38361a67be269589c19fd1ebd4b509f3eda'],
  ['0014-lists.sql', 'e5d5d60faadff51ea181ea5843898a2218c32f8dc4e0bf1c6d38f620a8649b9c'],
  ['0015-fewer-checks.sql', '0d39a651df5b44a6aee9d210b03adad22ab10f4bd2a095cf2b95dc03fea6dc20'],
  ['0016-lean-audit.sql', 'fda8f7fc5ac4d9d8e97f9141569756dc8165cc3ca24d038b469be16e4def3802'],
  ['0017-statistics.sql', '5cd5efb9c7da64b585db205eb1f49e7d2eac81a0374b59459b1a89aff8b0fe82'],
  [
    '0018-codes-of-a-client.sql',
    '59e42de1da1b21a2c6f87f160550b7de206452a3c06dc992130f1a1faa23bff5',
  ],
]

/** How many of today's migrations replace those of 0.1.0. */
export const FIRST_SET_SIZE = 13

/** An index that a file ending in `.background.sql` or `.awaited.sql` builds. */
export interface IndexOfFile {
  readonly name: string
  readonly table: string
  /** The statement that builds it. */
  readonly sql: string
  /** The server is not ready before this index is built. */
  readonly isAwaited: boolean
  /**
   * The extension whose operators the index uses. Without it the index is left out, and searches
   * read every row.
   */
  readonly extension?: typeof TRIGRAMS | undefined
}

/** The extension that finds text inside texts. Not every system lets an installation create it. */
export const TRIGRAMS = 'pg_trgm'

const KIND = /\.(background|awaited)\.sql$/
const STATEMENT =
  /^create index concurrently if not exists ([a-z][a-z0-9_]*)\s+on ([a-z][a-z0-9_]*)[^a-z0-9_;][^;]*$/

/**
 * The indexes that a migration builds outside a transaction; undefined for an ordinary migration.
 */
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
 * The indexes as the last migration leaves them. An update applies the others first, so one that
 * drops an index or sets something for it finds nothing, and the index would be built for good, or
 * without its settings, afterwards.
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
