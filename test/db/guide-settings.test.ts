import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { SHARED_SETTINGS } from '../outages/machine/patroni-cluster.ts'
import { emptyDatabase } from '../support/database.ts'
import { blocksOf } from '../support/guide-blocks.ts'
import { connect } from '../support/postgres.ts'

/** Statements and settings of the guides, judged by PostgreSQL itself. */

const connection = await emptyDatabase()
const client = await connect(connection)
afterAll(() => client.end())
const role = String(connection.user)

const blocks = (page: string, language: string): string[] =>
  blocksOf(`docs/guides/${page}.md`)
    .filter((block) => block.language === language)
    .map(({ text }) => text)

const statementsOf = (page: string): string[] =>
  blocks(page, 'sql').flatMap((text) =>
    text
      .split(';')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== ''),
  )

const settingsOf = (text: string): [string, string][] =>
  [...text.matchAll(/^(\w+) = (.*)$/gm)].map(([, name = '', value = '']) => [name, value])

test('a role and a database are made by the statements of the guide', async () => {
  const [makeRole = '', makeDatabase = ''] = statementsOf('postgresql')
  // The role of the tests may not make others, which PostgreSQL says after it has read the
  // statement.
  await expect(client.query(makeRole)).rejects.toMatchObject({ code: '42501' })
  const name = `${connection.database}_guide`
  const here = makeDatabase
    .replace('create database schoolgate', `create database ${name}`)
    .replace('owner schoolgate', `owner ${role}`)
  await client.query(here)
  const { rows } = await client.query(
    'select datctype as locale, pg_encoding_to_char(encoding) as encoding from pg_database where datname = $1',
    [name],
  )
  await client.query(`drop database ${name}`)
  expect(rows).toEqual([{ locale: 'C.UTF-8', encoding: 'UTF8' }])
})

test('PostgreSQL accepts what PgBouncer cannot set', async () => {
  const statements = statementsOf('pgbouncer')
  expect(statements).toHaveLength(4)
  await client.query('begin')
  for (const one of statements) await client.query(one.replace('role schoolgate', `role ${role}`))
  await client.query('rollback')
})

test('PgBouncer ignores every setting that a connection of ours begins with and it does not know', () => {
  const [transaction, session] = blocks('pgbouncer', 'ini').map((text) => new Map(settingsOf(text)))
  // Before 1.20 it does not look into them.
  expect(session?.get('ignore_startup_parameters')).toBe('options')
  const ignored = transaction?.get('ignore_startup_parameters')?.split(', ')
  const source = readFileSync(
    new URL('../../src/foundation/db/database.ts', import.meta.url),
    'utf8',
  )
  const sent = [...source.matchAll(/^ +(\w+_(?:isolation|timeout)): /gm)].map(([, name]) => name)
  expect(sent.length).toBeGreaterThan(2)
  expect(new Set(ignored)).toEqual(new Set(sent))
})

test('PostgreSQL knows every setting of its file', async () => {
  const named = blocks('backup', 'ini').flatMap(settingsOf)
  expect(named.length).toBeGreaterThan(5)
  const { rows } = await client.query<{ name: string }>(
    'select name from pg_settings where name = any($1)',
    [named.map(([name]) => name)],
  )
  expect(rows.map(({ name }) => name).sort()).toEqual(named.map(([name]) => name).sort())
})

test('Patroni is set as in the faults that the page about reliability tells of', () => {
  const [shared = ''] = blocks('postgresql', 'yaml')
  const { postgresql, ...rest } = parse(shared)
  expect(rest).toEqual(SHARED_SETTINGS)
  expect(postgresql).toMatchObject({ use_pg_rewind: true, parameters: { wal_log_hints: 'on' } })
})
