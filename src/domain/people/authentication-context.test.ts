import { describe, expect, test } from 'vitest'
import { contextOf, isContextMissing, readAcrValues } from './authentication-context.ts'

const SFA = 'https://refeds.org/profile/sfa'
const MFA = 'https://refeds.org/profile/mfa'

describe('acr and amr', () => {
  test.each([
    [['password'], SFA, ['pwd']],
    [['password', 'trusted_device'], SFA, ['pwd']],
    [['mail_link'], SFA, []],
    [['password', 'code'], MFA, ['pwd', 'otp', 'mfa']],
    [['password', 'recovery_code'], MFA, ['pwd', 'otp', 'mfa']],
    [['password', 'code', 'recovery_code'], MFA, ['pwd', 'otp', 'mfa']],
    [['passkey'], 'phr', ['swk', 'mfa']],
    [['unverified_passkey'], 'phr', ['swk']],
    [['unverified_passkey', 'code'], 'phr', ['swk', 'otp', 'mfa']],
    [['earlier_passkey', 'password'], MFA, ['swk', 'pwd', 'mfa']],
  ] as const)('after %j the strongest is %s', (methods, acr, amr) => {
    expect(contextOf(methods, [])).toEqual({ acr, amr })
  })

  test('the first value that was asked for and reached is sent, not a stronger one', () => {
    expect(contextOf(['passkey'], [MFA, 'phr']).acr).toBe(MFA)
    expect(contextOf(['password', 'code'], ['phr', SFA, MFA]).acr).toBe(SFA)
  })

  test('a value that was not reached is never sent', () => {
    expect(contextOf(['password'], ['phr', MFA]).acr).toBe(SFA)
  })

  test('it is missing only if none of the known values is reached', () => {
    expect(isContextMissing(['password'], undefined)).toBe(false)
    expect(isContextMissing(['password'], [])).toBe(false)
    expect(isContextMissing(['password'], [MFA, SFA])).toBe(false)
    expect(isContextMissing(['password'], [MFA])).toBe(true)
    expect(isContextMissing(['password', 'trusted_device'], [MFA])).toBe(true)
    expect(isContextMissing(['password', 'code'], ['phr'])).toBe(true)
    expect(isContextMissing(['unverified_passkey'], [MFA])).toBe(true)
  })
})

test('unknown and repeated values of a request are left out; none asked for is not the same as none known', () => {
  expect(readAcrValues(undefined)).toBeUndefined()
  expect(readAcrValues('1 2')).toEqual([])
  expect(readAcrValues(`x ${MFA}  phr ${MFA}`)).toEqual([MFA, 'phr'])
})
