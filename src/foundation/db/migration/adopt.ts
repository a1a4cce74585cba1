import type pg from 'pg'
import { type Catalogue, readCatalogue } from './catalogue.ts'
import { CREATE_RECORD, recordMigration } from './migration-record.ts'
import { type AppliedMigration, type Migration, MigrationError } from './migrations.ts'
import { FIRST_SET_SIZE } from './release-0.1.0.ts'

/** The schema that the first set is applied in to compare; it exists only inside the transaction. */
const SCRATCH = 'schoolgate_first_set'
const SHOWN_DIFFERENCES = 10

/**
 * Moves a database with the migrations of 0.1.0 to today's first set, which makes the same schema: compares
 * the two schemas, then rewrites the record, and returns it. Runs in the transaction of the caller.
 */
export async function adoptOldRelease(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<readonly AppliedMigration[]> {
  const firstSet = migrations.slice(0, FIRST_SET_SIZE)
  const differences = compare(await expectedCatalogue(client, firstSet), await ourCatalogue(client))
  if (differences.length > 0) throw refusal(differences)
  await client.query('delete from schema_migrations')
  for (const migration of firstSet) await recordMigration(client, migration)
  return firstSet
}

async function expectedCatalogue(
  client: pg.Client,
  firstSet: readonly Migration[],
): Promise<Catalogue> {
  await client.query(
    `savepoint comparison; create schema ${SCRATCH}; set local search_path to ${SCRATCH}`,
  )
  await client.query(CREATE_RECORD)
  for (const { sql } of firstSet) await client.query(sql)
  const catalogue = await readCatalogue(client, SCRATCH)
  await client.query('rollback to savepoint comparison')
  return catalogue
}

async function ourCatalogue(client: pg.Client): Promise<Catalogue> {
  await client.query('savepoint comparison; set local search_path to public')
  const catalogue = await readCatalogue(client, 'public')
  await client.query('rollback to savepoint comparison')
  return catalogue
}

function compare(expected: Catalogue, actual: Catalogue): readonly string[] {
  const [wanted, present] = [byName(expected), byName(actual)]
  return [...new Set([...wanted.keys(), ...present.keys()])].flatMap((name) => {
    if (!present.has(name)) return `${name} is missing`
    if (!wanted.has(name)) return `${name} is not part of 0.1.0`
    return wanted.get(name) === present.get(name) ? [] : `${name} is different`
  })
}

const KINDS: Readonly<Record<keyof Catalogue, string>> = {
  tables: 'table',
  columns: 'column',
  constraints: 'constraint',
  indexes: 'index',
  statistics: 'statistics object',
  triggers: 'trigger',
  functions: 'function',
}

/** Each object of the schema under a name that an operator understands, as in `column schools.name`. */
function byName(catalogue: Catalogue): Map<string, string> {
  const objects = Object.entries(KINDS).flatMap(([list, kind]) =>
    catalogue[list as keyof Catalogue].map((object): [string, string] => {
      const table = 'table' in object ? `${object.table}.` : ''
      return [`${kind} ${table}${object.name}`, JSON.stringify(object)]
    }),
  )
  return new Map(objects)
}

function refusal(differences: readonly string[]): MigrationError {
  const shown = differences.slice(0, SHOWN_DIFFERENCES).join(', ')
  const more = differences.length - SHOWN_DIFFERENCES
  return new MigrationError(
    `The record says that Schoolgate 0.1.0 made this database, but the schema differs: ${shown}${more > 0 ? ` and ${more} more` : ''}. ` +
      'Undo these changes by hand (migrations/ shows what is expected), or restore a backup, then try again.',
  )
}
