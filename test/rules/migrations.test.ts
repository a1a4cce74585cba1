import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import {
  FIRST_SET_SIZE,
  loadMigrations,
  OLD_MIGRATIONS,
} from '../../src/foundation/db/migration/migrations.ts'

const RELEASED = new URL('../fixtures/released/migrations.json', import.meta.url)

const migrations = await loadMigrations()
const released: Record<string, string> = JSON.parse(await readFile(RELEASED, 'utf8'))

test('migrations are numbered without gaps', () => {
  const numbers = migrations.map(({ number }) => number)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})

test('a released migration is never edited, renamed or removed', () => {
  const digests = new Map(migrations.map(({ name, digest }) => [name, digest]))
  const changed = Object.keys(released).filter((name) => digests.get(name) !== released[name])
  expect(
    changed,
    'Installed databases have applied these files, and a server refuses to start with a changed one. Restore them, and put the change into a new file with the next number.',
  ).toEqual([])
})

test('the first set is released, and no file equals the one of 0.1.0 with the same number', () => {
  const firstSet = migrations.slice(0, FIRST_SET_SIZE)
  expect(firstSet.filter(({ name }) => !(name in released))).toEqual([])
  const old = firstSet.filter(({ number, digest }) => OLD_MIGRATIONS[number - 1]?.[1] === digest)
  expect(old).toEqual([])
})
