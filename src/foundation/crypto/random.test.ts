import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { randomId, randomSecret, uuidFromBytes, uuidToBytes, uuidv7 } from './random.ts'

describe('uuidv7', () => {
  test('carries the time, the version and the variant (RFC 9562 §5.7)', () => {
    const id = uuidv7(0x0199_0000_0001)
    expect(id).toMatch(/^01990000-0001-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('sorts in the order of making within one millisecond (RFC 9562 §6.2)', () => {
    const ids = Array.from({ length: 1000 }, () => uuidv7(0x0199_0000_0002))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('survives the way to bytes and back', () => {
    const id = uuidv7()
    expect(uuidFromBytes(uuidToBytes(id))).toBe(id)
  })
})

describe('randomId', () => {
  const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

  test.each([
    ['a clock that is wrong', 0],
    ['the time of the first ones', Date.UTC(2026, 10, 16)],
    ['years later', Date.UTC(2036, 5, 1)],
  ])('made at %s, it has the version of earlier ids and any time of theirs', (_when, now) => {
    vi.useFakeTimers({ toFake: ['Date'], now })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const [first, end] = [Date.UTC(2026, 10, 15), Date.UTC(2026, 11, 1)]
    const ids = Array.from({ length: 1000 }, () => randomId())
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => timeOf(id) >= first && timeOf(id) < end)).toBe(true)
    expect(ids.filter((id) => timeOf(id) < (first + end) / 2).length).toBeGreaterThan(300)
    expect(ids.filter((id) => timeOf(id) > (first + end) / 2).length).toBeGreaterThan(300)
    expect(ids.filter((id) => id.slice(14, 18) === '7000').length).toBeGreaterThan(300)
    expect(ids.filter((id) => id.slice(14, 18) !== '7000').length).toBeGreaterThan(300)
  })

  test('ids of rows that are made around it keep their order', () => {
    const early = uuidv7(0x0199_0000_0003)
    randomId()
    expect(uuidv7(0x0199_0000_0003) > early).toBe(true)
  })
})

describe('randomSecret', () => {
  test('never gives the same bytes twice, also where its supply runs out', () => {
    const secrets = Array.from({ length: 1000 }, (_, i) => randomSecret(20 + (i % 30)))
    const starts = secrets.map((secret) => secret.subarray(0, 16).toString('hex'))
    expect(new Set(starts).size).toBe(secrets.length)
    expect(secrets.every((secret, i) => secret.length === 20 + (i % 30))).toBe(true)
    expect(randomSecret(10_000).includes(Buffer.alloc(32))).toBe(false)
  })

  test('a secret stays what it was while others are made', () => {
    const secret = randomSecret()
    const before = secret.toString('hex')
    for (let i = 0; i < 500; i++) randomSecret()
    expect(secret.toString('hex')).toBe(before)
  })
})
