import { describe, expect, test } from 'vitest'
import { checkPostgresVersion } from './migrate.ts'
import { type Migration, MigrationError, OLD_MIGRATIONS } from './migrations.ts'
import { isRecordOfOldRelease, pendingMigrations } from './pending-migrations.ts'

function migration(number: number, digest = `digest ${number}`): Migration {
  return { number, name: `000${number}-step.sql`, sql: `select ${number}`, digest }
}

describe('which migrations are still to run', () => {
  const ours = [migration(1), migration(2), migration(3)]

  test('all on an empty database, in order', () => {
    expect(pendingMigrations(ours, [])).toEqual(ours)
  })

  test('those that are not applied', () => {
    expect(pendingMigrations(ours, ours.slice(0, 2))).toEqual(ours.slice(2))
  })

  test('none while a newer build has gone ahead: the older one runs on until it is replaced', () => {
    expect(pendingMigrations(ours, [...ours, migration(4)])).toEqual([])
  })

  test('a file that was edited after it was applied is refused, and named', () => {
    const edited = [migration(1), migration(2, 'another digest')]
    expect(() => pendingMigrations(ours, edited)).toThrow(MigrationError)
    expect(() => pendingMigrations(ours, edited)).toThrow(/0002-step\.sql was changed after/)
  })

  test('an unknown migration among the known ones is refused: the database went another way', () => {
    expect(() => pendingMigrations([migration(1), migration(3)], ours)).toThrow(
      /0002-step\.sql, which this build of Schoolgate does not know/,
    )
  })
})

describe('the record of version 0.1.0', () => {
  const whole = OLD_MIGRATIONS.map(([name, digest], index) => ({ number: index + 1, name, digest }))
  const added = { number: 19, name: '0019-more.sql', digest: 'digest 19' }

  test('is recognised only if it is complete', () => {
    expect(isRecordOfOldRelease([])).toBe(false)
    expect(isRecordOfOldRelease([migration(1), migration(2)])).toBe(false)
    expect(isRecordOfOldRelease(whole)).toBe(true)
    expect(isRecordOfOldRelease(whole.toReversed())).toBe(true)
  })

  test.each([
    ['without its last', whole.slice(0, -1), '0018-codes-of-a-client.sql is missing'],
    ['with one changed', whole.with(4, { ...added, number: 5 }), '0019-more.sql is another file'],
    ['with one added', [...whole, added], '0019-more.sql is not one of them'],
  ])('%s is refused with the difference and the way out', (_, record, difference) => {
    const ours = [migration(1)]
    expect(() => pendingMigrations(ours, record)).toThrow(MigrationError)
    expect(() => pendingMigrations(ours, record)).toThrow(
      `not exactly its 18: ${difference}. Start version 0.1.0 on it once, or restore a backup`,
    )
  })

  test('is not pending work for commands that must not change the schema', () => {
    expect(() => pendingMigrations([migration(1)], whole)).toThrow(
      /^Version 0\.1\.0 of Schoolgate made this database\. Make a backup, then run `npx schoolgate migrate`/,
    )
  })
})

describe('the version of PostgreSQL', () => {
  test.each([150000, 160014, 180004])('%i will do', (number) => {
    expect(() => checkPostgresVersion(number, 'new enough')).not.toThrow()
  })

  test.each([
    [140012, '14.12'],
    [90624, '9.6.24'],
    [Number.NaN, 'of an unknown version'],
  ])('%s is refused with the version, the least one needed and the way out', (number, version) => {
    expect(() => checkPostgresVersion(number, version)).toThrow(
      `The database is PostgreSQL ${version}; Schoolgate needs 15 or newer. Upgrade the server or point DATABASE_URL elsewhere.`,
    )
  })
})
