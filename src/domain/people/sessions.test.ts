import { expect, test } from 'vitest'
import { type ProofMethod, withProof } from './sessions.ts'

const CASES: readonly [string, readonly ProofMethod[], ProofMethod, readonly ProofMethod[]][] = [
  ['a password after a passkey', ['passkey'], 'password', ['earlier_passkey', 'password']],
  ['a code after a passkey', ['passkey'], 'code', ['earlier_passkey', 'code']],
  ['a passkey after that', ['earlier_passkey', 'password'], 'passkey', ['password', 'passkey']],
  ['a password again', ['password'], 'password', ['password']],
  [
    'one that is only at hand counts as the last proof alone',
    ['unverified_passkey'],
    'password',
    ['password'],
  ],
  ['a code in a trusted browser', ['password', 'trusted_device'], 'code', ['password', 'code']],
  ['a password there', ['password', 'trusted_device'], 'password', ['trusted_device', 'password']],
]

test.each(CASES)('what a session has proved: %s', (_name, before, method, after) => {
  expect(withProof(before, method)).toEqual(after)
})
