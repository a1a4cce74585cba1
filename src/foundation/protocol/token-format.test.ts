import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../crypto/digest.ts'
import { uuidv7 } from '../crypto/random.ts'
import { mintToken, parseToken, type TokenKind } from './token-format.ts'

const KINDS = ['access', 'refresh', 'code', 'session', 'clientSecret'] as const

function signed(text: string): string {
  return text + crc32(text).toString(16).padStart(8, '0')
}

describe('a minted token', () => {
  test.each(KINDS)('of kind %s names its row and hashes the same when it returns', (kind) => {
    const id = uuidv7()
    const { value, hash } = mintToken(kind, id)
    expect(parseToken(kind, value)).toEqual({ id, hash })
    expect(hash).toEqual(sha256(value))
  })

  test('has a shape that a scanner can find and a header can carry', () => {
    expect(mintToken('access', uuidv7()).value).toMatch(/^sg_at_[A-Za-z0-9_-]{64}[0-9a-f]{8}$/)
    expect(mintToken('refresh', uuidv7()).value).toMatch(/^sg_rt_/)
    expect(mintToken('code', uuidv7()).value).toMatch(/^sg_ac_/)
    expect(mintToken('session', uuidv7()).value).toMatch(/^sg_ss_/)
    expect(mintToken('clientSecret', uuidv7()).value).toMatch(/^sg_cs_/)
  })

  test('differs each time, for the same row too', () => {
    const id = uuidv7()
    const values = new Set(Array.from({ length: 100 }, () => mintToken('access', id).value))
    expect(values.size).toBe(100)
  })

  test('is not made for something that is no row', () => {
    expect(() => mintToken('access', '1')).toThrow('uuid')
    expect(() => mintToken('access', '')).toThrow('uuid')
  })
})

test('the format never changes: tokens outlive the release that minted them', () => {
  expect(parseToken('access', `sg_at_${'A'.repeat(64)}86fae4f2`)?.id).toBe(
    '00000000-0000-0000-0000-000000000000',
  )
  expect(parseToken('access', `sg_at_${'B'.repeat(64)}043afe59`)?.id).toBe(
    '04104104-1041-0410-4104-104104104104',
  )
})

describe('what is refused before the database is asked', () => {
  const { value } = mintToken('access', uuidv7())

  test('a token of another kind', () => {
    for (const minted of KINDS) {
      for (const asked of KINDS) {
        const found = parseToken(asked, mintToken(minted, uuidv7()).value)
        expect(found !== undefined).toBe(minted === asked)
      }
    }
  })

  test.each([
    ['nothing', ''],
    ['the prefix alone', 'sg_at_'],
    ['a token cut short', value.slice(0, -1)],
    ['a token with a tail', `${value}0`],
    ['a token with padding', `${value.slice(0, -1)}=`],
    ['a token with spaces around it', ` ${value.slice(0, -1)}`],
    ['the prefix in capitals', value.replace('sg_at_', 'SG_AT_')],
    ['the checksum in capitals', `sg_at_${'A'.repeat(64)}86FAE4F2`],
    ['the standard base64 alphabet', signed(`sg_at_${'+/'.repeat(32)}`)],
    ['a null byte', signed(`sg_at_${'\0'.repeat(64)}`)],
    ['another alphabet', signed(`sg_at_${'é'.repeat(64)}`)],
    ['a JSON Web Token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
  ])('%s', (_, hostile) => {
    expect(parseToken('access', hostile)).toBeUndefined()
  })

  test('any single mistyped character', () => {
    const typos = fc.record({
      at: fc.nat(value.length - 1),
      letter: fc.constantFrom(...'aZ0_-=+/ \n'),
    })
    fc.assert(
      fc.property(typos, ({ at, letter }) => {
        const typed = value.slice(0, at) + letter + value.slice(at + 1)
        expect(parseToken('access', typed) !== undefined).toBe(typed === value)
      }),
    )
  })

  test('any text at all, for every kind', () => {
    fc.assert(
      fc.property(fc.constantFrom<TokenKind>(...KINDS), fc.string(), (kind, text) => {
        expect(parseToken(kind, text)).toBeUndefined()
      }),
    )
  })
})

test('a forged body with a right checksum parses, but its hash is its own', () => {
  const { value, hash } = mintToken('access', uuidv7())
  const last = value[69] === 'A' ? 'B' : 'A'
  const forged = signed(value.slice(0, 69) + last)
  const found = parseToken('access', forged)
  expect(found?.id).toBe(parseToken('access', value)?.id)
  expect(found?.hash.equals(hash)).toBe(false)
})
