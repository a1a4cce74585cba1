import { describe, expect, test } from 'vitest'
import { Keyring, seal, unseal } from './seal.ts'

const ring = new Keyring('a secret of at least thirty-two characters')
const key = ring.key('test')

describe('sealed values', () => {
  test('open with the same key and context', () => {
    expect(unseal(key, seal(key, Buffer.from('hello'), 'demo'), 'demo')?.toString()).toBe('hello')
  })

  test('a value sealed for one school does not open for another', () => {
    expect(unseal(key, seal(key, Buffer.from('hello'), 'demo'), 'harbor')).toBeUndefined()
  })

  test('a key of another purpose does not open it', () => {
    expect(unseal(ring.key('other'), seal(key, Buffer.from('x'), 'demo'), 'demo')).toBeUndefined()
  })

  test('one flipped bit anywhere is refused', () => {
    const sealed = seal(key, Buffer.from('hello'), 'demo')
    for (let i = 0; i < sealed.length; i++) {
      const forged = Buffer.from(sealed)
      forged[i] = (forged[i] ?? 0) ^ 1
      expect(unseal(key, forged, 'demo')).toBeUndefined()
    }
  })

  test('truncated and empty values are refused', () => {
    const sealed = seal(key, Buffer.from('hello'), 'demo')
    expect(unseal(key, Buffer.alloc(0), 'demo')).toBeUndefined()
    expect(unseal(key, sealed.subarray(0, 20), 'demo')).toBeUndefined()
  })
})
