import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('every table says what stops its growth, in docs/limits.md', () => {
  const tables = [...read('migrations/schema.sql').matchAll(/^create table ([a-z_]+) \(/gm)].map(
    ([, table]) => table,
  )
  const [, chapter = ''] = read('docs/limits.md').split('## What can grow, and what stops it')
  const listed = [...chapter.matchAll(/^\| (`[a-z_`, ]+`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z_]+)`/g)].map(([, table]) => table),
  )
  expect(
    listed.toSorted(),
    'Say in “What can grow, and what stops it” who adds rows to a new table and what bounds them, and try to grow it in test/attack/flood/growth.slow.test.ts.',
  ).toEqual(tables.toSorted())
})
