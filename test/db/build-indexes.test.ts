import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { checkSearch } from '../../src/cli/doctor/check-database.ts'
import { buildIndexes, type IndexEvent } from '../../src/foundation/db/migration/build-indexes.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'
import { loadMigrations, type Migration } from '../../src/foundation/db/migration/migrations.ts'
import { findSchemaProblem } from '../../src/start/readiness.ts'
import { buildIndexesInBackground } from '../../src/start/work-metrics.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import {
  builders,
  buildHeld,
  holdBuilds,
  INDEX,
  INDEX_SQL,
  indexState,
  withIndexMigration,
} from '../support/index-migration.ts'
import { connect } from '../support/postgres.ts'

const LOOK_MS = 5

async function aDatabase(kind: 'background' | 'awaited' = 'background', sql?: string) {
  const connection = await emptyDatabase()
  const database = await testDatabase(connection)
  const open = async (): Promise<pg.Client> => {
    const client = await connect(connection)
    onTestFinished(() => client.end())
    return client
  }
  const [watcher, holder] = [await open(), await open()]
  const { all, next } = await withIndexMigration(kind, sql)
  const query = (sql: string, values: unknown[]) => database.pool.query(sql, values)
  const start = (signal?: AbortSignal) => {
    const events: IndexEvent[] = []
    const done = buildIndexes(connection, {
      migrations: all,
      query,
      onEvent: (event) => events.push(event),
      signal,
      lookMs: LOOK_MS,
    })
    done.catch(() => undefined)
    return { events, done, steps: () => stepsOf(events) }
  }
  return { connection, database, watcher, holder, all, next, query, start, open }
}

const stepsOf = (events: readonly IndexEvent[]) =>
  events.filter(({ what }) => what !== 'progress').map(({ what }) => what)

async function recorded(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from schema_migrations where name = $1', [name])
  return rowCount === 1
}

const terminateBuilder = (client: pg.Client) =>
  client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name ~ '^schoolgate index [0-9a-f]+$'`,
  )

test('writes go on while an index is built, and its progress is told', async () => {
  const { watcher, holder, start, next } = await aDatabase()
  await holdBuilds(holder)
  const build = start()
  await buildHeld(watcher)
  await watcher.query(
    "insert into users (id, email, name) values (gen_random_uuid(), 'ada@schools.test', 'Ada')",
  )
  await expect
    .poll(() => build.events, eventually)
    .toContainEqual({
      what: 'progress',
      index: next.indexes?.[0],
      progress: { phase: 'waiting for writers before build', percent: null },
    })
  expect(await recorded(watcher, next.name)).toBe(false)
  await holder.query('commit')
  expect(await build.done).toEqual([next])
  expect(build.steps()).toEqual(['begun', 'built'])
  expect(await indexState(watcher)).toBe(true)
  expect(await recorded(watcher, next.name)).toBe(true)
  const later = start()
  expect(await later.done).toEqual([])
  expect(later.events).toEqual([])
})

test('a build that was killed leaves an unfinished index, which the next process removes and builds', async () => {
  const { watcher, holder, start, next } = await aDatabase()
  await holdBuilds(holder)
  const killed = start()
  await buildHeld(watcher)
  await terminateBuilder(watcher)
  await expect(killed.done).rejects.toThrow(/terminat/)
  expect(await indexState(watcher)).toBe(false)
  expect(await recorded(watcher, next.name)).toBe(false)
  await holder.query('commit')
  const again = start()
  expect(await again.done).toEqual([next])
  expect(again.steps()).toEqual(['removed unfinished', 'begun', 'built'])
  expect(await indexState(watcher)).toBe(true)
})

test('of two indexes in one file the first is kept when the build of the second is killed', async () => {
  const first = 'create index concurrently if not exists schools_by_test on schools (name);\n'
  const { watcher, holder, start, next } = await aDatabase('background', first + INDEX_SQL)
  await holdBuilds(holder)
  const killed = start()
  await buildHeld(watcher)
  await terminateBuilder(watcher)
  await expect(killed.done).rejects.toThrow(/terminat/)
  expect(await recorded(watcher, next.name)).toBe(false)
  await holder.query('commit')
  const again = start()
  expect(await again.done).toEqual([next])
  expect(again.steps()).toEqual(['removed unfinished', 'begun', 'built', 'built'])
  expect(await indexState(watcher)).toBe(true)
})

test('of three processes one builds, the others look on, and one of them takes over when it dies', async () => {
  const { watcher, holder, start, next } = await aDatabase()
  await holdBuilds(holder)
  const processes = [start(), start(), start()]
  await buildHeld(watcher)
  const hasBegun = () => processes.filter(({ steps }) => steps().length > 0)
  const [first] = hasBegun()
  expect(hasBegun()).toHaveLength(1)
  for (const { events } of processes) {
    await expect.poll(() => events.map(({ what }) => what), eventually).toContain('progress')
  }
  await terminateBuilder(watcher)
  await expect(first?.done).rejects.toThrow(/terminat/)
  // Only then, because the successor removes the unfinished index, which waits for this transaction
  // too.
  await holder.query('commit')
  const others = processes.filter((one) => one !== first)
  const built = await Promise.all(others.map(({ done }) => done))
  expect(built.flat()).toEqual([next])
  expect(others.flatMap(({ steps }) => steps())).toEqual(['removed unfinished', 'begun', 'built'])
})

test('a build whose process is gone but which PostgreSQL finishes is kept', async () => {
  const { watcher, holder, start, next, open } = await aDatabase()
  await holdBuilds(holder)
  const orphan = (await open()).query(INDEX_SQL)
  await buildHeld(watcher)
  const build = start()
  await expect.poll(() => build.events.map(({ what }) => what), eventually).toContain('progress')
  await holder.query('commit')
  await orphan
  expect(await build.done).toEqual([next])
  expect(build.steps()).toEqual(['built'])
})

test('a shutdown ends a build at once, in PostgreSQL too', async () => {
  const { connection, database, watcher, holder, all } = await aDatabase()
  await holdBuilds(holder)
  const lines: string[] = []
  const note = (_facts: object, line?: string): void => void lines.push(line ?? '')
  const log = { info: note, warn: note, error: note }
  const building = buildIndexesInBackground({ connection }, database, log, all, {
    lookMs: LOOK_MS,
  })
  await buildHeld(watcher)
  await building.stop()
  await expect.poll(() => builders(watcher), eventually).toEqual([])
  expect(await indexState(watcher)).toBe(false)
  expect(new Set(lines)).toEqual(new Set(['building an index']))
})

test('a build that fails is tried again until it succeeds', async () => {
  const { connection, database, watcher, holder, all } = await aDatabase()
  await holdBuilds(holder)
  const lines: string[] = []
  const note = (_facts: object, line?: string): void => void lines.push(line ?? '')
  const log = { info: note, warn: note, error: note }
  const pace = { lookMs: LOOK_MS, retryMs: LOOK_MS }
  const building = buildIndexesInBackground({ connection }, database, log, all, pace)
  await buildHeld(watcher)
  await terminateBuilder(watcher)
  await expect
    .poll(() => lines, eventually)
    .toContain('an index could not be built; it is tried again later')
  await holder.query('commit')
  await building.done
  expect(lines.at(-1)).toBe('an index is built')
  expect(await indexState(watcher)).toBe(true)
})

test('a name that belongs to something else is refused, and nothing is dropped', async () => {
  const { watcher, start } = await aDatabase()
  await watcher.query(`create index ${INDEX} on schools (name)`)
  await expect(start().done).rejects.toThrow(
    `The index ${INDEX} cannot be built: the name belongs to something that is not an index of users. Rename that.`,
  )
  expect(await indexState(watcher)).toBe(true)
})

test('new code serves before a background index is built, and not before an awaited one, and says why', async () => {
  const background = await aDatabase('background')
  expect(await findSchemaProblem(background.query, background.all)).toBeUndefined()

  const { watcher, holder, start, query, all } = await aDatabase('awaited')
  expect(await findSchemaProblem(query, all)).toBe(
    `The index ${INDEX} on users must be built first (no process builds it at this moment). Wait, or see the log.`,
  )
  await holdBuilds(holder)
  const build = start()
  await buildHeld(watcher)
  expect(await findSchemaProblem(query, all)).toBe(
    `The index ${INDEX} on users must be built first (waiting for writers before build). Wait, or see the log.`,
  )
  await holder.query('commit')
  await build.done
  expect(await findSchemaProblem(query, all)).toBeUndefined()
})

test('a start leaves the index of an existing database to later, and one that makes the database builds it', async () => {
  const { connection, watcher, all, next } = await aDatabase()
  const after = { number: next.number + 1, name: '9999-z.sql', sql: 'select 1', digest: 'z' }
  expect(await migrate(connection, [...all, after])).toEqual([after])
  expect(await indexState(watcher)).toBeUndefined()

  await watcher.query('drop schema public cascade; create schema public')
  expect(await migrate(connection, [...all, after])).toEqual([...all, after])
  expect(await indexState(watcher)).toBe(true)
})

const needsTrigrams = ({ indexes }: Migration): boolean =>
  indexes?.some(({ extension }) => extension === 'pg_trgm') ?? false

test('without the extension for trigrams the indexes of searches are left out, and built once it is there', async () => {
  const connection = await emptyDatabase()
  const database = await testDatabase(connection)
  const client = await connect(connection)
  onTestFinished(() => client.end())
  const ours = await loadMigrations()
  const searching = ours.filter(needsTrigrams)
  expect(searching.length).toBeGreaterThan(5)
  await client.query('drop schema public cascade; create schema public')
  const possible = ours.filter((migration) => !needsTrigrams(migration))
  // As in a database whose owner may not create it.
  const forbidden = possible.map((migration) =>
    migration.name.endsWith('-trigrams.sql') ? { ...migration, sql: 'select 1' } : migration,
  )
  const all = [...forbidden, ...searching].toSorted((a, b) => a.number - b.number)
  expect(await migrate(connection, all)).toEqual(forbidden)
  const build = () =>
    buildIndexes(connection, {
      migrations: all,
      query: (sql, values) => database.pool.query(sql, values),
      onEvent: () => undefined,
    })
  expect(await build()).toEqual([])
  expect(await checkSearch(database)).toMatchObject({
    status: 'note',
    message: expect.stringContaining('lacks the extension'),
  })
  await client.query('create extension pg_trgm')
  expect(await build()).toEqual(searching)
  expect(await checkSearch(database)).toMatchObject({ status: 'ok' })
})
