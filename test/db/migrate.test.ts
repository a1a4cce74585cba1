import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import { loadMigrations } from '../../src/foundation/db/migration/migrations.ts'
import { isDatabaseUnavailable } from '../../src/foundation/db/unavailable.ts'
import { findSchemaProblem } from '../../src/start/readiness.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { dropDatabase, emptyDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

const server = inject('postgres')
const admin = await connect(server)
afterAll(() => admin.end())

/** A database without any of our tables. */
async function aBareDatabase(): Promise<pg.ClientConfig> {
  const database = `bare_${randomBytes(8).toString('hex')}`
  await admin.query(`create database ${database}`)
  whenFileIsDone(() => dropDatabase(server, database))
  return { ...server, database }
}

async function inside<R>(
  database: pg.ClientConfig,
  work: (client: pg.Client) => Promise<R>,
): Promise<R> {
  const client = await connect(database)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const all = await loadMigrations()

test('when five servers start at once, one applies each migration and the others wait', async () => {
  const database = await aBareDatabase()
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(database)))
  const names = applied.flat().map(({ name }) => name)
  expect(names.toSorted()).toEqual(all.map(({ name }) => name))
})

/** How many sessions of this database wait for the lock that migrations are applied under. */
async function waiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_locks l join pg_database d on d.oid = l.database
     where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
  )
  return rows[0]?.waiting ?? 0
}

test('behind a connection pooler, the migration lock is released with each transaction', async () => {
  const database = await aBareDatabase()
  await inside(database, async (holder) => {
    await inside(database, async (next) => {
      const lock = 'select pg_advisory_xact_lock(7346501)'
      await holder.query(`begin; ${lock}`)
      const migrating = migrate(database)
      await expect.poll(() => waiting(holder)).toBe(1)
      const queued = next.query(`begin; ${lock}`)
      await expect.poll(() => waiting(holder)).toBe(2)
      await holder.query('commit')
      await queued
      const { rows } = await next.query('select number from schema_migrations')
      expect(rows).toEqual([{ number: 1 }])
      await next.query('commit')
      expect(await migrating).toHaveLength(all.length)
    })
  })
})

test('a database is ready if it has all migrations of this build; a start refuses later ones', async () => {
  const database = await emptyDatabase()
  await inside(database, async (client) => {
    const ready = async (migrations: typeof all) =>
      (await findSchemaProblem((sql, values) => client.query(sql, values), migrations)) ===
      undefined
    const next = { number: all.length + 1, name: '9999-next.sql', sql: '', digest: '' }
    const newest = all.findLast(({ indexes }) => indexes === undefined)
    expect(await ready(all)).toBe(true)
    expect(await ready([...all, next])).toBe(false)
    await client.query('insert into schema_migrations (number, name, digest) values ($1, $2, $3)', [
      next.number,
      next.name,
      'of a newer build',
    ])
    expect(await ready(all)).toBe(true)
    await client.query('update schema_migrations set digest = $1 where number = $2', [
      'of the file that 0.1.0 had under this number',
      newest?.number,
    ])
    expect(await ready(all)).toBe(false)
    await client.query('update schema_migrations set digest = $1 where number = $2', [
      newest?.digest,
      newest?.number,
    ])
  })
  await expect(migrate(database)).rejects.toThrow(
    /^A newer version of Schoolgate has migrated this database \(9999-next\.sql\).*Install the newer version/,
  )
  expect(await migrate(database, undefined, { newer: 'serve' })).toEqual([])
})

test('a limit of the role for statements is none for a migration', async () => {
  const database = await emptyDatabase()
  await inside(database, (client) =>
    client.query(`alter database ${database.database} set statement_timeout = '20s'`),
  )
  const next = {
    number: all.length + 1,
    name: '9999-next.sql',
    sql: `do $$ begin
      if current_setting('statement_timeout') <> '0' then raise exception 'limited'; end if;
    end $$`,
    digest: 'digest of the next migration',
  }
  expect(await migrate(database, [...all, next])).toEqual([next])
})

test('a migration that waits for a busy table gives way, and tries again until it gets the lock', async () => {
  const database = await emptyDatabase()
  const next = {
    number: all.length + 1,
    name: '9999-next.sql',
    sql: 'alter table schools add motto text',
    digest: 'digest of the next migration',
  }
  await inside(database, async (reader) => {
    await reader.query('begin; select from schools')
    const failed = migrate(database, [...all, next], { waitMs: 1, pauseMs: 1, tries: 3 })
    await expect(failed).rejects.toThrow(
      /^Migration 9999-next\.sql did not get the lock of a table that other transactions use\. End long/,
    )
    const busy: string[] = []
    const applied = await migrate(database, [...all, next], {
      waitMs: 1,
      pauseMs: 1,
      onBusy: ({ name }) => {
        busy.push(name)
        void reader.query('commit')
      },
      tries: 1000,
    })
    expect(applied).toEqual([next])
    expect(busy).toContain(next.name)
  })
})

test('an edited migration stops the start before anything is changed', async () => {
  const database = await emptyDatabase()
  await inside(database, (client) =>
    client.query("update schema_migrations set digest = 'of another text' where number = 3"),
  )
  await expect(migrate(database)).rejects.toThrow(/was changed after it was applied/)
})

test('a migration that fails is rolled back, and the error names it', async () => {
  const database = await aBareDatabase()
  await inside(database, (client) => client.query('create table clients (in_the_way integer)'))
  await expect(migrate(database)).rejects.toThrow(
    /^Migration 0003-clients\.sql failed and was rolled back: .*clients/,
  )
  const { rows } = await inside(database, (client) =>
    client.query(
      "select to_regclass('vendor_platforms') as half, max(number) as done from schema_migrations",
    ),
  )
  expect(rows).toEqual([{ half: null, done: 2 }])

  await inside(database, (client) => client.query('drop table clients'))
  expect((await migrate(database)).map(({ number }) => number)).toEqual(
    all
      .slice(2)
      .filter(({ indexes }) => indexes === undefined)
      .map(({ number }) => number),
  )
})

test('a connection that is cut while a migration waits fails the migration and not the process', async () => {
  const uncaught: Error[] = []
  const note = (error: Error): void => void uncaught.push(error)
  process.on('uncaughtException', note)
  const database = await aBareDatabase()
  await inside(database, async (holder) => {
    await holder.query('begin; select pg_advisory_xact_lock(7346501)')
    const failed = expect(migrate(database)).rejects.toSatisfy(isDatabaseUnavailable)
    await expect.poll(() => waiting(holder)).toBe(1)
    await holder.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'schoolgate migrate %'`,
    )
    await failed
  })
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})
