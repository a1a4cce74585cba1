import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { fillPlatforms } from '../../src/domain/clients/vendor-platforms.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import {
  FIRST_SET_SIZE,
  loadMigrations,
  type Migration,
  OLD_MIGRATIONS,
} from '../../src/foundation/db/migration/migrations.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { dropDatabase } from '../support/database.ts'
import { makeOldRelease, oldMigrations } from '../support/old-release.ts'
import { connect } from '../support/postgres.ts'
import { aWorld } from '../support/world.ts'

const server = inject('postgres')
const admin = await connect(server)
afterAll(() => admin.end())

/** Without the indexes that are built after a start. */
const all = (await loadMigrations()).filter(({ indexes }) => indexes === undefined)
const later = all.slice(FIRST_SET_SIZE)
const next: Migration = {
  number: 9999,
  name: '9999-next.sql',
  sql: "alter table schools add motto text not null default 'onward'",
  digest: 'digest of the next migration',
}

const OLD_TEMPLATE = `old_${randomBytes(8).toString('hex')}`
beforeAll(async () => {
  await admin.query(`create database ${OLD_TEMPLATE}`)
  const client = await connect({ ...server, database: OLD_TEMPLATE })
  await makeOldRelease(client)
  await client.end()
})
afterAll(() => admin.query(`drop database ${OLD_TEMPLATE}`))

/** A database of version 0.1.0 with data, and a client in it. */
async function anOldDatabase(
  template = OLD_TEMPLATE,
): Promise<{ connection: pg.ClientConfig; client: pg.Client }> {
  const database = `old_${randomBytes(8).toString('hex')}`
  await admin.query(`create database ${database} template ${template}`)
  const connection = { ...server, database }
  const client = await connect(connection)
  whenFileIsDone(async () => {
    await client.end()
    await dropDatabase(server, database)
  })
  return { connection, client }
}

async function recordIn(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query('select name, digest from schema_migrations order by number')
  return rows
}

const recordOf = (migrations: readonly Migration[]) =>
  migrations.map(({ name, digest }) => ({ name, digest }))

/** Names of the schemas that are not PostgreSQL's own. */
async function schemasIn(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query(
    "select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1",
  )
  return rows.map(({ nspname }) => nspname)
}

test('the fixture holds the files of 0.1.0, byte for byte', async () => {
  const files = (await oldMigrations()).map(({ name, digest }) => [name, digest])
  expect(files).toEqual(OLD_MIGRATIONS)
})

test('a database of 0.1.0 is adopted, gets the later migrations and serves', async () => {
  const { connection, client } = await anOldDatabase()
  expect(await migrate(connection, [...all, next])).toEqual([...later, next])
  expect(await recordIn(client)).toEqual(recordOf([...all, next]))
  expect(await schemasIn(client)).toEqual(['public'])
  const { rows } = await client.query('select name, motto from schools')
  expect(rows).toEqual([{ name: 'The old school', motto: 'onward' }])

  const { app } = await aWorld({ connection })
  const answer = await app.inject({
    url: '/.well-known/oauth-authorization-server',
    headers: { host: 'old.test' },
  })
  expect(answer.json()).toMatchObject({ issuer: 'http://old.test' })
})

test('the platforms of 0.1.0 follow the shipped list, except those that were changed by hand', async () => {
  const { connection, client } = await anOldDatabase()
  await client.query(`
    update vendor_platforms set redirect_uris = '{https://own.example/callback}' where client_id = 'claude';
    insert into vendor_platforms (client_id, client_name, redirect_uris)
      values ('own', 'Own', '{https://own.example/callback}');
    insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes)
      values ('00000000-0000-7000-8000-000000000001', 'claude', 'vendor', 'operator', 'Claude',
        '{http://127.0.0.1/callback}', '{courses:read}')`)
  const before = await client.query(
    'select client_id, client_name, redirect_uris from vendor_platforms order by client_id',
  )
  await migrate(connection)
  const after = await client.query(
    'select client_id, client_name, redirect_uris from vendor_platforms order by client_id',
  )
  expect(after.rows).toEqual(before.rows)
  const { rows } = await client.query(
    'select client_id, shipped_version, disabled_at from vendor_platforms order by client_id',
  )
  expect(rows).toEqual([
    { client_id: 'chatgpt', shipped_version: 1, disabled_at: null },
    { client_id: 'claude', shipped_version: null, disabled_at: null },
    { client_id: 'cursor', shipped_version: 1, disabled_at: null },
    { client_id: 'own', shipped_version: null, disabled_at: null },
    { client_id: 'visual-studio-code', shipped_version: 1, disabled_at: null },
  ])
  const world = await aWorld({ connection })
  // The migrations know the first list; a start brings what was not changed by hand up to date.
  expect([...(await fillPlatforms(world.database.db))].sort()).toEqual([
    'chatgpt',
    'cursor',
    'visual-studio-code',
  ])
  const answer = await world.app.inject({
    method: 'POST',
    url: '/api/oauth/register',
    headers: { host: 'old.test' },
    payload: { client_name: 'Own' },
  })
  expect(answer.json()).toMatchObject({ client_id: 'own' })
  const kept = await client.query('select client_id, kind, platform_disabled_at from clients')
  expect(kept.rows).toEqual([{ client_id: 'claude', kind: 'vendor', platform_disabled_at: null }])
})

test('when five servers start at once, one adopts the database and the others find it adopted', async () => {
  const { connection, client } = await anOldDatabase()
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(connection)))
  // Any of them may apply the next one, but each migration is applied once.
  expect(applied.flat().toSorted((a, b) => a.number - b.number)).toEqual(later)
  expect(await recordIn(client)).toEqual(recordOf(all))
})

test('a server that is killed while it adopts leaves the database as it was', async () => {
  const { connection, client } = await anOldDatabase()
  await client.query('begin; lock table schema_migrations in share mode')
  const killed = expect(migrate(connection)).rejects.toThrow(/terminat/)
  await expect
    .poll(async () => {
      const { rowCount } = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = $1 and cardinality(pg_blocking_pids(pid)) > 0`,
        [connection.database],
      )
      return rowCount
    })
    .toBe(1)
  await killed
  await client.query('commit')
  expect(await recordIn(client)).toEqual(recordOf(await oldMigrations()))
  expect(await schemasIn(client)).toEqual(['public'])

  expect(await migrate(connection)).toEqual(later)
  expect(await recordIn(client)).toEqual(recordOf(all))
})

/** A dump by pg_dump 15, as SQL. */
const DUMP = new URL('../fixtures/released/dump-0.1.0.sql', import.meta.url)

async function aRestoredDatabase() {
  const { connection, client } = await anOldDatabase('template0')
  await client.query(await readFile(DUMP, 'utf8'))
  return { connection, client }
}

/** As a dump and its restore do: PostgreSQL reads what it printed, and prints it again. */
const RESTORE_CHECKS = `do $$ declare k record; begin
  for k in select conrelid::regclass as place, conname, pg_get_constraintdef(oid) as said
    from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace
  loop
    execute format('alter table %s drop constraint %I, add constraint %I %s', k.place, k.conname, k.conname, k.said);
  end loop;
end $$`

test.each([
  ['dumped', ''],
  ['dumped twice', RESTORE_CHECKS],
])('a database of 0.1.0 that was %s by PostgreSQL 15 is adopted', async (_how, again) => {
  const { connection, client } = await aRestoredDatabase()
  await client.query(again)
  expect(await migrate(connection, all)).toEqual(later)
})

test('a check that means something else is told after a dump, too', async () => {
  const { connection, client } = await aRestoredDatabase()
  await client.query(`
    alter table public.users drop constraint users_email_check,
      add constraint users_email_check check (email like '%@%');
    alter table public.clients alter redirect_uris set default '{https://evil.example/}'`)
  await expect(migrate(connection)).rejects.toThrow(
    'but the schema differs: column clients.redirect_uris is different, constraint users.users_email_check is different. Undo',
  )
})

test('a database whose schema is not that of 0.1.0 is refused with the differences, and stays as it was', async () => {
  const { connection, client } = await anOldDatabase()
  await client.query(`
    drop index payments_by_time;
    drop statistics orders_ids;
    drop trigger users_touch on users;
    create table extra ();
    alter table schools alter name drop not null;
    alter table coupons rename constraint coupons_check to renamed;
    comment on column payments.state is 'another';
    create or replace function touch_row() returns trigger language plpgsql as 'begin return new; end'`)
  const differences = [
    'column payments.state is different',
    'column schools.name is different',
    'constraint coupons.coupons_check is missing',
    'index payments.payments_by_time is missing',
    'statistics object orders.orders_ids is missing',
    'trigger users.users_touch is missing',
    'function touch_row is different',
    'table extra is not part of 0.1.0',
    'constraint coupons.renamed is not part of 0.1.0',
  ]
  await expect(migrate(connection)).rejects.toThrow(
    `but the schema differs: ${differences.join(', ')}. Undo these changes by hand`,
  )
  expect(await recordIn(client)).toEqual(recordOf(await oldMigrations()))
  expect(await schemasIn(client)).toEqual(['public'])

  await client.query('drop table learning_days')
  await expect(migrate(connection)).rejects.toThrow(/ and 6 more\. Undo these changes by hand/)
})
