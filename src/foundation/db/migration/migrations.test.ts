import { describe, expect, test } from 'vitest'
import { asLaterOnesWant, indexesOfFile, withoutConcurrently } from './migrations.ts'

const SQL =
  '-- Why.\ncreate index concurrently if not exists users_by_name on users (name)\n  where name is not null;\n'

describe('a migration that builds an index while servers run', () => {
  test('is known by the end of its name', () => {
    expect(indexesOfFile('0040-users.sql', SQL)).toBeUndefined()
    expect(indexesOfFile('0040-users.background.sql', SQL)).toEqual([
      {
        name: 'users_by_name',
        table: 'users',
        sql: expect.stringMatching(/^create index .* is not null$/s),
        isAwaited: false,
        extension: undefined,
      },
    ])
    expect(indexesOfFile('0040-users.awaited.sql', SQL)).toMatchObject([{ isAwaited: true }])
  })

  test('names the extension that it needs', () => {
    const sql = SQL.replace('(name)', 'using gin (name gin_trgm_ops)')
    expect(indexesOfFile('0040-users.background.sql', sql)).toMatchObject([
      { extension: 'pg_trgm' },
    ])
  })

  test('may build several', () => {
    const two = `${SQL}${SQL.replace('by_name', 'by_email')}`
    const names = indexesOfFile('0040-users.background.sql', two)?.map(({ name }) => name)
    expect(names).toEqual(['users_by_name', 'users_by_email'])
  })

  test.each([
    ['another statement', 'alter table users add x text'],
    ['one that is no index', `${SQL} drop table users;`],
    ['a unique index', 'create unique index concurrently if not exists a on users (name)'],
    ['a build that locks the table', 'create index if not exists a on users (name)'],
    ['one that fails at its second try', 'create index concurrently a on users (name)'],
    ['no name', 'create index concurrently on users (name)'],
    ['nothing', '-- create index concurrently if not exists a on users (name)'],
  ])('is refused with %s', (_, sql) => {
    expect(() => indexesOfFile('0040-users.background.sql', sql)).toThrow(
      'Every statement of migration 0040-users.background.sql must be',
    )
  })

  test('leaves out what a later one drops, and nothing that an earlier one dropped', () => {
    const file = (sql: string, indexes = indexesOfFile('0040-users.background.sql', sql)) => ({
      sql,
      indexes,
    })
    const drop = { sql: '-- why\ndrop index if exists users_by_name;\n', indexes: undefined }
    const two = file(`${SQL}${SQL.replace('by_name', 'by_email')}`)
    const namesIn = (...files: Parameters<typeof asLaterOnesWant>[0]) =>
      asLaterOnesWant(files).map(({ indexes }) => indexes?.map(({ name }) => name))
    expect(namesIn(two, drop)).toEqual([['users_by_email'], undefined])
    expect(namesIn(drop, two)).toEqual([undefined, ['users_by_name', 'users_by_email']])
    expect(namesIn(file(SQL), drop)).toEqual([[], undefined])
  })

  test('builds with the settings that a later one gives the index', () => {
    const set = 'alter index if exists users_by_name set (fillfactor = 50);'
    const sqlOf = (sql: string) =>
      asLaterOnesWant([
        { sql, indexes: indexesOfFile('0040-users.background.sql', sql) },
        { sql: `-- why\n${set}\n` },
      ])[0]?.indexes?.map(({ sql: built }) => built)
    expect(sqlOf(SQL)).toEqual([
      expect.stringMatching(/on users \(name\) with \(fillfactor = 50\) where name is not null$/),
    ])
    expect(sqlOf(SQL.replace(/\n\s+where[^;]*/, ''))).toEqual([
      expect.stringMatching(/on users \(name\) with \(fillfactor = 50\)$/),
    ])
    expect(sqlOf(SQL.replace('by_name', 'by_email'))).toEqual([
      expect.not.stringContaining('fillfactor'),
    ])
  })

  test('is built at once in a database that is made', () => {
    expect(withoutConcurrently(`${SQL}${SQL}`)).not.toContain('concurrently')
    expect(withoutConcurrently(SQL)).toContain('\ncreate index if not exists users_by_name')
  })
})
