import { describe, expect, test } from 'vitest'
import { parseMaxAge, parsePrompt } from './authorization-response.ts'

const invalidRequest = expect.objectContaining({ code: 'invalid_request' })

describe('prompt', () => {
  test.each([
    [undefined, []],
    ['none', ['none']],
    ['login', ['login']],
    ['consent', ['consent']],
    ['select_account', ['select_account']],
    ['login consent', ['login', 'consent']],
    ['consent login consent', ['consent', 'login']],
    [' login  select_account ', ['login', 'select_account']],
  ])('%s', (value, prompts) => {
    expect([...parsePrompt(value)]).toEqual(prompts)
  })

  test.each(['none login', 'consent none', 'none none select_account'])(
    'none must stand alone: %s',
    (value) => {
      expect(() => parsePrompt(value)).toThrow(invalidRequest)
    },
  )

  test.each(['create', 'Login', 'NONE', 'login,consent', 'login\tconsent', 'toString'])(
    'a value we could not act on is refused: %s',
    (value) => {
      expect(() => parsePrompt(value)).toThrow(invalidRequest)
    },
  )

  test('none twice is still none', () => {
    expect([...parsePrompt('none none')]).toEqual(['none'])
  })
})

describe('max_age', () => {
  test.each([
    [undefined, undefined],
    ['0', 0],
    ['1', 1],
    ['10000', 10000],
    ['007', 7],
    ['99999999999999999999', 2147483647],
    ['9'.repeat(1000), 2147483647],
  ])('%s', (value, seconds) => {
    expect(parseMaxAge(value)).toBe(seconds)
  })

  test.each(['-1', '1.5', '1e3', '0x10', 'abc', '', ' 1', '+1', '١', 'NaN', 'Infinity'])(
    'is no number of seconds: %s',
    (value) => {
      expect(() => parseMaxAge(value)).toThrow(invalidRequest)
    },
  )
})
