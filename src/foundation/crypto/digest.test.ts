import { expect, test } from 'vitest'
import { constantTimeEqual, sha256 } from './digest.ts'

test('sha256 of text and of bytes (FIPS 180-2, appendix B.1)', () => {
  const known = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect(sha256('abc').toString('hex')).toBe(known)
  expect(sha256(Buffer.from('abc')).toString('hex')).toBe(known)
})

test('constantTimeEqual: bytes, texts, and values of different lengths', () => {
  const hash = sha256('token')
  expect(constantTimeEqual(hash, Buffer.from(hash))).toBe(true)
  expect(constantTimeEqual(hash, sha256('other'))).toBe(false)
  expect(constantTimeEqual(hash, hash.subarray(1))).toBe(false)
  expect(constantTimeEqual('secret', 'secret')).toBe(true)
  expect(constantTimeEqual('secret', Buffer.from('secret'))).toBe(true)
  expect(constantTimeEqual('secret', 'secrets')).toBe(false)
})
