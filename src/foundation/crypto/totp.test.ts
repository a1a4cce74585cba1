import { describe, expect, test } from 'vitest'
import { matchingStep, otpauthUrl, totpCode, totpStep } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('the vector of RFC 6238 Appendix B at %d seconds', (seconds, code) => {
  expect(totpCode(secret, totpStep(seconds), 8)).toBe(code)
  expect(totpCode(secret, totpStep(seconds))).toBe(code.slice(2))
})

describe('a typed code', () => {
  const now = 1111111111
  const step = totpStep(now)
  const at = (other: number) => matchingStep(secret, totpCode(secret, other), now, 0)

  test('counts for its step, the one before and the one after', () => {
    expect([step - 2, step - 1, step, step + 1, step + 2].map(at)).toEqual([
      undefined,
      step - 1,
      step,
      step + 1,
      undefined,
    ])
  })

  test('does not count again, and neither does an older one', () => {
    expect(matchingStep(secret, totpCode(secret, step), now, step)).toBeUndefined()
    expect(matchingStep(secret, totpCode(secret, step - 1), now, step)).toBeUndefined()
    expect(matchingStep(secret, totpCode(secret, step + 1), now, step)).toBe(step + 1)
  })

  test.each(['', '1', '0000000', 'abcdef'])('%j is none', (typed) => {
    expect(matchingStep(secret, typed, now, 0)).toBeUndefined()
  })
})

test('a long name of a school is cut between characters, so that the QR code stays readable', () => {
  const url = new URL(otpauthUrl('MZXW6', `${'🎓'.repeat(29)} of music`, 'ada@x.test'))
  expect(url.searchParams.get('issuer')).toBe('🎓'.repeat(29))
  expect(decodeURIComponent(url.pathname)).toContain(`${'🎓'.repeat(29)}:ada@x.test`)
})

test('a name cannot add a field to the address that apps read', () => {
  const url = new URL(otpauthUrl('MZXW6', 'A:b&secret=X?é', 'ada@x.test&digits=1'))
  expect(url.searchParams.get('secret')).toBe('MZXW6')
  expect(url.searchParams.get('digits')).toBe('6')
  expect(url.searchParams.get('issuer')).toBe('A b&secret=X?é')
  expect(url.pathname.match(/:/g)).toHaveLength(1)
})
