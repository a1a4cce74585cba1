import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBearer } from './challenge.ts'

describe('a bearer token', () => {
  test('is read as in RFC 6750 §2.1', () => {
    expect(parseBearer('Bearer mF_9.B5f-4.1JqM')).toBe('mF_9.B5f-4.1JqM')
  })

  test.each(['bearer abc', 'BEARER abc', 'bEaReR abc', 'Bearer   abc'])(
    'is read from %s',
    (header) => {
      expect(parseBearer(header)).toBe('abc')
    },
  )

  test('may use the whole alphabet, with padding at the end', () => {
    expect(parseBearer('Bearer aZ09-._~+/==')).toBe('aZ09-._~+/==')
  })

  test('may be as long as 4 KiB with its scheme, and no longer', () => {
    expect(parseBearer(`Bearer ${'a'.repeat(4089)}`)).toHaveLength(4089)
    expect(() => parseBearer(`Bearer ${'a'.repeat(4090)}`)).toThrow('invalid_token')
  })
})

test('no header is no token', () => {
  expect(parseBearer(undefined)).toBeUndefined()
})

describe('credentials that are no bearer token are never taken for anonymous', () => {
  test.each([
    ['an empty header', ''],
    ['a scheme alone', 'Bearer'],
    ['a scheme and a space', 'Bearer '],
    ['a tab instead of a space', 'Bearer\tabc'],
    ['two tokens', 'Bearer abc def'],
    ['two credentials joined by a proxy', 'Bearer abc, Bearer def'],
    ['a quoted token', 'Bearer "abc"'],
    ['padding in the middle', 'Bearer a=b'],
    ['padding alone', 'Bearer =='],
    ['a line break', 'Bearer abc\n'],
    ['a null byte', 'Bearer a\0b'],
    ['another alphabet', 'Bearer äbc'],
    ['no space', 'Bearerabc'],
    ['a leading space', ' Bearer abc'],
    ['Basic', 'Basic dXNlcjpwdw=='],
    ['DPoP', 'DPoP abc'],
    ['a token without a scheme', 'sg_at_abc'],
  ])('%s', (_, header) => {
    expect(() => parseBearer(header)).toThrow(
      expect.objectContaining({ code: 'invalid_token', status: 401 }),
    )
  })

  test('any header gives a token in the right alphabet or 401', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        for (const header of [text, `Bearer ${text}`]) {
          try {
            expect(parseBearer(header)).toMatch(/^[A-Za-z0-9\-._~+/]+=*$/)
          } catch (error) {
            expect(error).toMatchObject({ code: 'invalid_token', status: 401 })
          }
        }
      }),
    )
  })

  test('the refusal does not repeat what was sent', () => {
    expect(() => parseBearer('Bearer hunter2 hunter2')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })
})
