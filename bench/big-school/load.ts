import type pg from 'pg'
import { BENCH_ID_SQL } from '../world/ids.ts'
import { addSigningKeys } from '../world/signing.ts'
import { BIG_ID_SQL } from './ids.ts'
import { commerceRows } from './rows/commerce-rows.ts'
import { learningRows } from './rows/learning-rows.ts'
import { otherRows } from './rows/other-rows.ts'
import { peopleRows } from './rows/people-rows.ts'
import { BIG, type SchoolSize, SMALL } from './school-size.ts'

const ROWS = [peopleRows, learningRows, commerceRows, otherRows]
export const SCHOOLS: readonly SchoolSize[] = [BIG, SMALL]

/** The statements that make all rows of these schools. */
export const statementsOf = (schools: readonly SchoolSize[]): readonly string[] =>
  ROWS.flatMap((rows) => schools.flatMap(rows))

interface Removed {
  readonly drop: string
  readonly make: string
}

/**
 * Fills an empty, migrated database inside one transaction. PostgreSQL makes the rows itself, which
 * costs less than to send them with COPY. Keys and indexes are made afterwards, triggers do not
 * run.
 */
export async function load(
  client: pg.ClientBase,
  tell: (text: string) => void,
  schools: readonly SchoolSize[],
): Promise<void> {
  await client.query(BENCH_ID_SQL)
  await client.query(BIG_ID_SQL)
  await client.query(`set maintenance_work_mem = '1GB'; set work_mem = '256MB'`)
  const removed = [
    ...(await foreignKeys(client)),
    ...(await uniqueKeys(client)),
    ...(await indexes(client)),
  ]
  const tables = await names(client)
  await client.query('begin')
  // Tables that were emptied in the same transaction need no write-ahead log.
  await client.query(`truncate ${tables.join()}`)
  for (const { drop } of removed) await client.query(drop)
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
  for (const statement of statementsOf(schools)) {
    const started = performance.now()
    const { rowCount } = await client.query(statement)
    if ((rowCount ?? 0) > 100_000)
      tell(`${rowCount} ${statement.split(' ', 3)[2]}, ${since(started)}`)
  }
  await addSigningKeys(
    client,
    schools.map(({ number }) => number),
  )
  for (const { make } of removed.toReversed()) {
    const started = performance.now()
    await client.query(make)
    if (performance.now() - started > 5000) tell(`${make.slice(0, 90)}, ${since(started)}`)
  }
  for (const table of tables) await client.query(`alter table ${table} enable trigger user`)
  await client.query('commit')
  await client.query('vacuum (analyze)')
}

const since = (started: number): string => `${((performance.now() - started) / 1000).toFixed(0)} s`

async function names(client: pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations'`)
  return rows.map(({ name }) => name)
}

async function foreignKeys(client: pg.ClientBase): Promise<readonly Removed[]> {
  return await constraints(client, 'f')
}

async function uniqueKeys(client: pg.ClientBase): Promise<readonly Removed[]> {
  return [...(await constraints(client, 'u')), ...(await constraints(client, 'p'))]
}

async function constraints(
  client: pg.ClientBase,
  kind: 'f' | 'u' | 'p',
): Promise<readonly Removed[]> {
  const { rows } = await client.query<Removed>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
     from pg_constraint where contype = $1 and connamespace = 'public'::regnamespace
       and conrelid <> 'schema_migrations'::regclass`,
    [kind],
  )
  return rows
}

async function indexes(client: pg.ClientBase): Promise<readonly Removed[]> {
  const { rows } = await client.query<Removed>(`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
    from pg_index where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
      and not exists (select from pg_constraint where conindid = indexrelid)`)
  return rows
}
