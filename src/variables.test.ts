import { expect, test } from 'vitest'
import { parseNamedValues } from './variables.ts'

test('reads names and percent-encoded values', () => {
  expect(parseNamedValues('api-key=a%20b, x=1')).toEqual({ 'api-key': 'a b', x: '1' })
  expect(parseNamedValues('authorization=Basic dXNlcjpwYXNz==')).toEqual({
    authorization: 'Basic dXNlcjpwYXNz==',
  })
  expect(parseNamedValues('')).toEqual({})
})

test('refuses what is no pair, and a line break that would add a header', () => {
  for (const text of ['key', '=value', 'a b=c', 'x=%0d%0aevil: 1', 'x=%zz', 'x=1,y']) {
    expect(parseNamedValues(text), text).toBeUndefined()
  }
})
