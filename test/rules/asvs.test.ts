import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const text = readFileSync(new URL('docs/asvs.md', root), 'utf8')

/**
 * How many requirements each section of ASVS 5.0.0 has at levels 1 and 2; they come first in every
 * section.
 */
const SECTIONS: Record<string, number> = {
  ...{ 'V6.1': 3, 'V6.2': 12, 'V6.3': 4, 'V6.4': 4, 'V6.5': 5, 'V6.6': 3, 'V6.8': 4 },
  ...{ 'V7.1': 3, 'V7.2': 4, 'V7.3': 2, 'V7.4': 5, 'V7.5': 2, 'V7.6': 2 },
  ...{ 'V10.1': 2, 'V10.2': 2, 'V10.3': 4, 'V10.4': 11, 'V10.5': 5, 'V10.6': 2, 'V10.7': 3 },
}

const rows = text
  .split('\n')
  .filter((line) => /^\| V\d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, id = '', words = '', shown = '']) => ({ id, words, shown }))

const filesIn = (cell: string): string[] =>
  [...cell.matchAll(/`((?:test|src)\/[\w/.-]+)`/g)].map(([, path = '']) => path)

test('every requirement of levels 1 and 2 has one row, in the order of the standard', () => {
  const ids = Object.entries(SECTIONS).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, at) => `${section}.${at + 1}`),
  )
  expect(ids).toHaveLength(82)
  expect(rows.map(({ id }) => id)).toEqual(ids)
})

test('every row names a test, the page itself, or a reason', () => {
  const bare = rows.filter(
    ({ shown }) =>
      filesIn(shown).length === 0 && !/^(above|does not apply(?: to a server)?[:;] \S)/.test(shown),
  )
  expect(bare).toEqual([])
})

test('every test that is named exists', () => {
  const named = new Set(filesIn(text).filter((path) => path !== 'test/rules/asvs.test.ts'))
  expect(named.size).toBeGreaterThan(30)
  expect([...named].filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})
