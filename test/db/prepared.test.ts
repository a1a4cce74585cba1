import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { prepared } from '../../src/foundation/db/prepared.ts'
import { testDatabase } from '../support/database.ts'

const { db, statementsOf } = await testDatabase()

test('a prepared statement is written once and run with other values each time', async () => {
  let written = 0
  const add = prepared<{ a: number; b: number }, { sum: number }>(({ a, b }) => {
    written++
    return sql`select ${a}::int + ${b}::int + ${a}::int as sum`
  })
  const texts = await statementsOf(async () => {
    expect((await add.run(db, { a: 1, b: 10 })).rows).toEqual([{ sum: 12 }])
    expect((await add.run(db, { a: 2, b: 20 })).rows).toEqual([{ sum: 24 }])
  })
  expect(written).toBe(1)
  expect(texts).toEqual(Array(2).fill('select $1::int + $2::int + $1::int as sum'))
})

test('a value in the text of a prepared statement is refused, not kept for later requests', () => {
  const name = 'ada'
  const greet = prepared<{ word: string }, unknown>(
    ({ word }) => sql`select ${word}::text || ${name}`,
  )
  expect(() => greet.run(db, { word: 'hello' })).toThrow(/placeholders/)
})

test('an optional value that is null is written into the text, and only then', async () => {
  const find = prepared<{ a: number | null; b: number | null }, { found: number | null }>(
    ({ a, b }) => sql`select coalesce(${a}::int, ${b}::int, 0) as found`,
    { optional: ['a', 'b'] },
  )
  const texts = await statementsOf(async () => {
    for (const [a, b, found] of [
      [1, 2, 1],
      [null, 2, 2],
      [1, null, 1],
      [null, null, 0],
      [0, 3, 0],
    ] as const) {
      expect((await find.run(db, { a, b })).rows).toEqual([{ found }])
    }
  })
  expect(texts).toEqual([
    'select coalesce($1::int, $2::int, 0) as found',
    'select coalesce(null::int, $1::int, 0) as found',
    'select coalesce($1::int, null::int, 0) as found',
    'select coalesce(null::int, null::int, 0) as found',
    'select coalesce($1::int, $2::int, 0) as found',
  ])
})
