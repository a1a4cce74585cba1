import { describe, expect, test } from 'vitest'
import { uuidFromBytes, uuidToBytes, uuidv7 } from './random.ts'

describe('uuidv7', () => {
  test('carries the time, the version and the variant (RFC 9562 §5.7)', () => {
    const id = uuidv7(0x0199_0000_0001)
    expect(id).toMatch(/^01990000-0001-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('survives the way to bytes and back', () => {
    const id = uuidv7()
    expect(uuidFromBytes(uuidToBytes(id))).toBe(id)
  })
})
