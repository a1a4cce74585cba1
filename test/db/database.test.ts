import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase()

async function readValue(expression: string): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`select ${sql.raw(expression)} as value`.execute(db)
  return rows[0]?.value
}

describe('how PostgreSQL types are read', () => {
  test.each([
    ['0::bigint', 0],
    ['9007199254740991::bigint', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991::bigint', Number.MIN_SAFE_INTEGER],
    ["'2026-02-28'::date", '2026-02-28'],
    ["'2026-02-28T10:00:00.123Z'::timestamptz(3)", new Date('2026-02-28T10:00:00.123Z')],
    ["array['a', 'b']", ['a', 'b']],
    ["'\\x0102'::bytea", Buffer.from([1, 2])],
  ])('%s', async (expression, expected) => {
    expect(await readValue(expression)).toEqual(expected)
  })

  test.each(['9007199254740992::bigint', "'-9223372036854775808'::bigint"])(
    'a number that JavaScript would round is an error: %s',
    async (expression) => {
      await expect(readValue(expression)).rejects.toThrow(RangeError)
      expect(await readValue('1::bigint')).toBe(1)
    },
  )
})

describe('how a session is set up', () => {
  test.each([
    ['default_transaction_isolation', 'read committed'],
    ['TimeZone', 'UTC'],
    ['statement_timeout', '30s'],
    ['idle_in_transaction_session_timeout', '1min'],
  ])('%s is %s, with any default of the server', async (setting, value) => {
    expect(await readValue(`current_setting('${setting}')`)).toBe(value)
  })

  test('every connection has a name of its own, by which another one finds what it runs', async () => {
    expect(await readValue("current_setting('application_name')")).toMatch(
      /^schoolgate [0-9a-f]{16}$/,
    )
  })
})
