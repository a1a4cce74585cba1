import { describe, expect, test } from 'vitest'
import {
  checkPostgresVersion,
  loadMigrations,
  type Migration,
  MigrationError,
  pendingMigrations,
} from './migrate.ts'

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

test('our own files are numbered without gaps', async () => {
  const numbers = (await loadMigrations()).map(({ number }) => number)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})
