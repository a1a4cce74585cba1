import { describe, expect, test } from 'vitest'
import {
  hashPassword,
  MAX_PASSWORD_BYTES,
  PasswordHashingBusy,
  verifyPassword,
} from './password.ts'

describe('passwords', () => {
  test('are kept as argon2id with 19 MiB and two passes', async () => {
    expect(await hashPassword('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('the right one fits, a wrong one does not', async () => {
    const stored = await hashPassword('correct horse')
    expect(await verifyPassword(stored, 'correct horse')).toBe(true)
    expect(await verifyPassword(stored, 'correct horsf')).toBe(false)
  })

  test('an account without a password, or no account, never fits', async () => {
    expect(await verifyPassword(undefined, 'anything')).toBe(false)
    expect(await verifyPassword(null, '')).toBe(false)
  })

  test('a password of more than a kibibyte is refused unhashed', async () => {
    const long = 'x'.repeat(MAX_PASSWORD_BYTES + 1)
    expect(await verifyPassword(await hashPassword(long), long)).toBe(false)
  })

  test('a storm of sign-ins is refused instead of queueing without end', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 100 }, () => verifyPassword(undefined, 'storm')),
    )
    const refused = all.filter(
      (one) => one.status === 'rejected' && one.reason instanceof PasswordHashingBusy,
    )
    expect(refused.length).toBe(100 - 66)
    expect(await verifyPassword(undefined, 'afterwards')).toBe(false)
  })
})
