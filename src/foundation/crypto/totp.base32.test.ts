import { expect, test } from 'vitest'
import { base32 } from './totp.ts'

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('the vector %j of RFC 4648 §10, without padding', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded)
})
