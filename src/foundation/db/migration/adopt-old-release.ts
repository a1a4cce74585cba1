import type pg from 'pg'
import { type Catalogue, readCatalogue } from './catalogue.ts'
import {
  type AppliedMigration,
  CREATE_RECORD,
  FIRST_SET_SIZE,
  type Migration,
  MigrationError,
  recordMigration,
} from './migrations.ts'

/**
 * The schema that the first set is applied in to compare; it exists only inside the transaction.
 */
const SCRATCH = 'schoolgate_first_set'
const SHOWN_DIFFERENCES = 10
const MOST_DUMPS = 3

/**
 * Moves a database with the migrations of 0.1.0 to today's first set, which makes the same schema:
 * compares the two schemas, then rewrites the record, and returns it. Runs in the transaction of
 * the caller.
 */
export async function adoptOldRelease(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<readonly AppliedMigration[]> {
  const firstSet = migrations.slice(0, FIRST_SET_SIZE)
  await client.query('savepoint comparison')
  const differences = await findDifferences(client, firstSet)
  await client.query('rollback to savepoint comparison')
  if (differences.length > 0) throw refusal(differences)
  await client.query('delete from schema_migrations')
  for (const migration of firstSet) await recordMigration(client, migration)
  return firstSet
}

/**
 * PostgreSQL prints an expression in other words than it was written in; a dump and its restore
 * read what was printed, and then it prints it in others again. So an object that looks different
 * is compared with ours after one dump, after two, and so on.
 */
async function findDifferences(
  client: pg.Client,
  firstSet: readonly Migration[],
): Promise<readonly string[]> {
  await client.query('set local search_path to public')
  const actual = byName(await readCatalogue(client, 'public'))
  await client.query(`create schema ${SCRATCH}; set local search_path to ${SCRATCH}`)
  await client.query(CREATE_RECORD)
  for (const { sql } of firstSet) await client.query(sql)
  const expected = byName(await readCatalogue(client, SCRATCH))
  let different = compare(expected, actual)
  for (let dumps = 0; different.length > 0 && dumps < MOST_DUMPS; dumps += 1) {
    const printed = different.flatMap((name) => expected.get(name)?.restore ?? [])
    for (const statements of printed) {
      await client.query(statements.replaceAll('public.', `${SCRATCH}.`))
    }
    const restored = byName(await readCatalogue(client, SCRATCH))
    for (const name of different) {
      const object = restored.get(name)
      if (object !== undefined) expected.set(name, object)
    }
    different = compare(expected, actual)
  }
  return different.map((name) => {
    if (!actual.has(name)) return `${name} is missing`
    return expected.has(name) ? `${name} is different` : `${name} is not part of 0.1.0`
  })
}

interface Described {
  /** Equal only if the objects are. */
  readonly text: string
  /** Makes it again as a restored dump does, if its text has an expression. */
  readonly restore?: string | undefined
}

type Objects = Map<string, Described>

/** The names of the objects that one of the two lacks, or that are not the same in both. */
function compare(expected: Objects, actual: Objects): readonly string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].filter(
    (name) => expected.get(name)?.text !== actual.get(name)?.text,
  )
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

/**
 * Each object of the schema under a name that an operator understands, as in `column schools.name`.
 */
function byName(catalogue: Catalogue): Objects {
  const objects = Object.entries(KINDS).flatMap(([list, kind]) =>
    catalogue[list as keyof Catalogue].map((object): [string, Described] => {
      const table = 'table' in object ? `${object.table}.` : ''
      const described = { text: JSON.stringify(object), restore: restoring(kind, object) }
      return [`${kind} ${table}${object.name}`, described]
    }),
  )
  return new Map(objects)
}

function restoring(kind: string, object: Catalogue[keyof Catalogue][number]): string | undefined {
  if (!('table' in object)) return undefined
  const [table, name] = [`"${object.table}"`, `"${object.name}"`]
  if ('fallback' in object) {
    if (object.fallback === null) return undefined
    return `alter table ${table} alter column ${name} set default ${object.fallback}`
  }
  const { definition } = object
  if (kind !== 'constraint') {
    const place = kind === 'trigger' ? `${name} on ${table}` : name
    return `drop ${kind.split(' ')[0]} ${place}; ${definition}`
  }
  return definition.startsWith('CHECK')
    ? `alter table ${table} drop constraint ${name}, add constraint ${name} ${definition}`
    : undefined
}

function refusal(differences: readonly string[]): MigrationError {
  const shown = differences.slice(0, SHOWN_DIFFERENCES).join(', ')
  const more = differences.length - SHOWN_DIFFERENCES
  return new MigrationError(
    `The record says that Schoolgate 0.1.0 made this database, but the schema differs: ${shown}${more > 0 ? ` and ${more} more` : ''}. ` +
      'Undo these changes by hand (migrations/ shows what is expected), or restore a backup, then try again.',
  )
}
