import { readFile } from 'node:fs/promises'
import { afterAll, describe, expect, test } from 'vitest'
import {
  loadMigrations,
  withoutConcurrently,
} from '../../src/foundation/db/migration/migrations.ts'
import { emptyDatabase } from '../support/database.ts'
import { readKeptStatements } from '../support/kept-statements.ts'
import { findViolations, judgeMigration, RULES } from '../support/migration-rules.ts'
import { connect } from '../support/postgres.ts'

const client = await connect(await emptyDatabase())
afterAll(() => client.end())

const read = async (path: string): Promise<string> =>
  await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The statements that PostgreSQL cannot prepare on the present schema. */
async function unusable(statements: readonly string[]): Promise<string[]> {
  const broken: string[] = []
  for (const text of statements) {
    await client.query('savepoint looking').catch(() => undefined)
    try {
      await client.query(`prepare kept as ${text}`)
      await client.query('deallocate kept')
    } catch (error) {
      broken.push(`${(error as Error).message}: ${text.slice(0, 200)}`)
      await client.query('rollback to savepoint looking').catch(() => undefined)
    }
  }
  return broken
}

describe('a migration keeps the version before serving', () => {
  test('every migration that is not released follows the rules', async () => {
    const released = JSON.parse(await read('test/fixtures/released/migrations.json'))
    const fresh = await connect(await emptyDatabase())
    try {
      await fresh.query('drop schema public cascade; create schema public')
      const problems: string[] = []
      for (const { name, sql, indexes } of await loadMigrations()) {
        if (!(name in released) && indexes === undefined) {
          problems.push(...(await judgeMigration(fresh, { name, sql })))
        }
        await fresh.query(withoutConcurrently(sql))
      }
      expect(problems, 'CONTRIBUTING.md says what a migration may not do').toEqual([])
    } finally {
      await fresh.end()
    }
  })

  test('every statement of the version before can be prepared on the schema of this one', async () => {
    const statements = readKeptStatements()
    expect(statements.length).toBeGreaterThan(500)
    const broken = await unusable(statements)
    expect(
      broken,
      'A migration took away what the version before uses. Rules drops-table, drops-column, drops-function and changes-type in CONTRIBUTING.md say what to do.',
    ).toEqual([])
  })
})

test('a column that was dropped under the version before is found by its statements', async () => {
  const reading = readKeptStatements().filter((text) => /\btyped_name\b/.test(text))
  await client.query('begin; alter table school_members rename typed_name to given_name')
  const broken = await unusable(reading)
  await client.query('rollback')
  expect(broken).toContainEqual(expect.stringMatching(/typed_name.* does not exist: /))
})

describe('what a migration may not do', () => {
  test.each([
    ['own-transaction', '', 'commit; begin'],
    ['lock-timeout', 'lock_timeout', "set lock_timeout = '0'"],
    ['drops-table', 'posts', 'alter table posts rename to articles'],
    ['drops-column', 'posts.title', 'alter table posts rename title to heading'],
    ['drops-column', 'posts.title', 'alter table posts drop title cascade'],
    ['drops-index', 'payments_by_time', 'drop index payments_by_time'],
    ['drops-function', 'touch_row()', 'drop function touch_row() cascade'],
    ['changes-type', 'posts.title', 'alter table posts alter title type varchar(40)'],
    ['rewrites-table', 'posts', 'alter table posts add x uuid default gen_random_uuid()'],
    ['requires-column', 'posts.x', 'alter table posts add x text not null'],
    [
      'requires-column',
      'schools.x',
      'alter table schools add x text; alter table schools alter x set not null',
    ],
    ['requires-column', 'schools.locale', 'alter table schools alter locale drop default'],
    [
      'adds-constraint',
      'posts.short',
      "alter table posts add constraint short check (title <> '') not valid",
    ],
    [
      'validates-constraint',
      'posts.short',
      "alter table posts add constraint short check (title <> '')",
    ],
    ['builds-index', 'posts_x', 'create index posts_x on posts (title)'],
    ['builds-index', 'posts_x', 'alter table posts add constraint posts_x unique (title)'],
    ['changes-rows', 'posts', "do $$ begin execute 'update posts set title = title'; end $$"],
  ] as const)('%s: %s by %s', async (rule, of, sql) => {
    expect(await findViolations(client, sql)).toContainEqual({ rule, of })
  })

  test.each([
    [
      'a new table with everything',
      'create table x (id uuid primary key, n int not null check (n > 0)); create index x_n on x (n)',
    ],
    [
      'a new column',
      "alter table posts add x text; alter table posts add y text not null default ''",
    ],
    ['a reference from a new column', 'alter table posts add x uuid references users (id)'],
    ['a wider check', 'alter table coupons drop constraint coupons_amount_off_check'],
    [
      'another body of a function',
      "create or replace function touch_row() returns trigger language plpgsql as 'begin return new; end'",
    ],
  ])('%s is allowed', async (_, sql) => {
    const found = await findViolations(client, sql).catch((error: Error) => [error.message])
    expect(found).toEqual([])
  })

  test('a reason in the file allows one thing, and an unneeded one is refused', async () => {
    const why = 'no version since 0.2 reads or writes it'
    const sql = `-- allow drops-column posts.title: ${why}\nalter table posts drop title cascade`
    expect(await judgeMigration(client, { name: 'x', sql })).not.toContainEqual(
      expect.stringContaining('posts.title'),
    )
    const kept = `-- allow drops-column posts.title: ${why}\nselect 1`
    expect(await judgeMigration(client, { name: 'x', sql: kept })).toEqual([
      'x: "allow drops-column posts.title" is not needed',
    ])
    const unsaid = '-- allow drops-index payments_by_time: ok\ndrop index payments_by_time'
    expect(await judgeMigration(client, { name: 'x', sql: unsaid })).toEqual([
      `x: drops-index payments_by_time: it ${RULES['drops-index']}`,
    ])
  })

  test('is written down, rule by rule', async () => {
    const text = await read('CONTRIBUTING.md')
    expect(Object.keys(RULES).filter((rule) => !text.includes(`\`${rule}\``))).toEqual([])
  })
})
