import { hash } from '@node-rs/argon2'
import { describe, expect, test } from 'vitest'
import { LimiterFull } from '../concurrency/limiter.ts'
import { hashPassword, MAX_PASSWORD_BYTES, verifyPassword } from './password.ts'

describe('passwords', () => {
  test('are kept as argon2id with 19 MiB and two passes', async () => {
    expect(await hashPassword('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('the right one fits, a wrong one does not', async () => {
    const stored = await hashPassword('correct horse')
    expect(await verifyPassword(stored, 'correct horse')).toBe(true)
    expect(await verifyPassword(stored, 'correct horsf')).toBe(false)
  })

  test('one password in two spellings of its characters is one password', async () => {
    const stored = await hashPassword('cafe\u0301 ole\u0301')
    expect(await verifyPassword(stored, 'caf\u00e9 ol\u00e9')).toBe(true)
    expect(await verifyPassword(stored, 'cafe\u0301 ole\u0301')).toBe(true)
  })

  test('one that was hashed as it was typed, before spellings were made one, still fits', async () => {
    const typed = 'cafe\u0301 ole\u0301'
    const stored = await hash(typed, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
    expect(await verifyPassword(stored, typed)).toBe(true)
    expect(await verifyPassword(stored, 'caf\u00e9 ol\u00e9')).toBe(false)
  })

  test('other work goes on while a password is hashed', async () => {
    let turns = 0
    let isDone = false
    const others = async () => {
      for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve))
    }
    const served = others()
    await hashPassword('correct horse')
    isDone = true
    await served
    expect(turns).toBeGreaterThan(20)
  })

  test('an account without a password, or no account, never fits', async () => {
    expect(await verifyPassword(undefined, 'anything')).toBe(false)
    expect(await verifyPassword(null, '')).toBe(false)
  })

  test('a password of more than a kibibyte is refused unhashed', async () => {
    const long = 'x'.repeat(MAX_PASSWORD_BYTES + 1)
    expect(await verifyPassword(await hashPassword(long), long)).toBe(false)
  })

  test('a stored hash that is none is an error, and the next one is checked as ever', async () => {
    await expect(verifyPassword('not a hash', 'anything')).rejects.toThrow('was not hashed')
    const stored = await hashPassword('correct horse')
    expect(await verifyPassword(stored, 'correct horse')).toBe(true)
  })

  test('a storm at one school is refused beyond a bound; a right password elsewhere signs in', async () => {
    const stored = await hashPassword('correct horse')
    const storm = Promise.allSettled(
      Array.from({ length: 200 }, () => verifyPassword(undefined, 'storm', 'stormy')),
    )
    expect(await verifyPassword(stored, 'correct horse', 'calm')).toBe(true)
    const all = await storm
    const refused = all.filter(
      (one) => one.status === 'rejected' && one.reason instanceof LimiterFull,
    )
    // 64 may wait, and one or two were being hashed.
    expect(200 - refused.length).toBeGreaterThanOrEqual(65)
    expect(200 - refused.length).toBeLessThanOrEqual(66)
    expect(await verifyPassword(undefined, 'afterwards')).toBe(false)
  })
})
