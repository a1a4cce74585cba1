import { describe, expect, test } from 'vitest'
import { Keyring, seal, unseal } from './seal.ts'

const ring = new Keyring('a secret of at least thirty-two characters')
const key = ring.key('test')

describe('sealed values', () => {
  test('open with the same key and context', () => {
    expect(unseal([key], seal(key, Buffer.from('hello'), 'demo'), 'demo')?.toString()).toBe('hello')
  })

  test('a value sealed for one school does not open for another', () => {
    expect(unseal([key], seal(key, Buffer.from('hello'), 'demo'), 'harbor')).toBeUndefined()
  })

  test('a key of another purpose does not open it', () => {
    expect(unseal(ring.keys('other'), seal(key, Buffer.from('x'), 'demo'), 'demo')).toBeUndefined()
  })

  test('one flipped bit anywhere is refused', () => {
    const sealed = seal(key, Buffer.from('hello'), 'demo')
    for (let i = 0; i < sealed.length; i++) {
      const forged = Buffer.from(sealed)
      forged[i] = (forged[i] ?? 0) ^ 1
      expect(unseal([key], forged, 'demo')).toBeUndefined()
    }
  })

  test('truncated and empty values are refused', () => {
    const sealed = seal(key, Buffer.from('hello'), 'demo')
    expect(unseal([key], Buffer.alloc(0), 'demo')).toBeUndefined()
    expect(unseal([key], sealed.subarray(0, 20), 'demo')).toBeUndefined()
  })
})

describe('a keyring with an old secret', () => {
  const old = new Keyring('the old secret of at least thirty-two characters')
  const both = new Keyring(
    'the new secret of at least thirty-two characters',
    'the old secret of at least thirty-two characters',
  )
  const sealedBy = (keyring: Keyring) => seal(keyring.key('test'), Buffer.from('hello'), 'demo')

  test('opens what the old one sealed', () => {
    expect(unseal(both.keys('test'), sealedBy(old), 'demo')?.toString()).toBe('hello')
  })

  test('seals with the new one, so a leaked old one opens nothing new', () => {
    expect(unseal(both.keys('test'), sealedBy(both), 'demo')?.toString()).toBe('hello')
    expect(unseal(old.keys('test'), sealedBy(both), 'demo')).toBeUndefined()
  })

  test('keeps contexts and purposes apart for both', () => {
    for (const sealed of [sealedBy(old), sealedBy(both)]) {
      expect(unseal(both.keys('test'), sealed, 'harbor')).toBeUndefined()
      expect(unseal(both.keys('other'), sealed, 'demo')).toBeUndefined()
    }
  })
})
