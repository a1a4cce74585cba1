import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../crypto/digest.ts'
import { OAuthError } from './errors.ts'
import { challengeOf, checkChallenge, wrongVerifier } from './pkce.ts'

// RFC 7636 Appendix B
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

function refusal(run: () => void): OAuthError {
  try {
    run()
  } catch (error) {
    if (error instanceof OAuthError) return error
    throw error
  }
  throw new Error('expected a refusal')
}

describe('the authorization request', () => {
  test('takes the challenge of RFC 7636 Appendix B', () => {
    expect(() => checkChallenge(CHALLENGE, 'S256')).not.toThrow()
  })

  test.each([
    ['no challenge', undefined, 'S256'],
    ['neither challenge nor method', undefined, undefined],
    ['no method, which means plain', CHALLENGE, undefined],
    ['plain', VERIFIER, 'plain'],
    ['a method in another case', CHALLENGE, 's256'],
    ['an unknown method', CHALLENGE, 'S512'],
    ['a padded challenge', `${CHALLENGE}=`, 'S256'],
    ['a challenge in the standard base64 alphabet', CHALLENGE.replace('-', '+'), 'S256'],
    ['a challenge that is too short', CHALLENGE.slice(1), 'S256'],
    ['a hexadecimal digest', sha256(VERIFIER).toString('hex'), 'S256'],
    ['a last character that no 32 bytes can end in', `${CHALLENGE.slice(0, -1)}N`, 'S256'],
    ['a line break at the end', `${CHALLENGE}\n`, 'S256'],
  ])('refuses %s as invalid_request', (_, challenge, method) => {
    expect(refusal(() => checkChallenge(challenge, method)).code).toBe('invalid_request')
  })
})

describe('the code exchange', () => {
  test('takes the verifier of RFC 7636 Appendix B', () => {
    expect(challengeOf(VERIFIER)).toBe(CHALLENGE)
  })

  test('takes every verifier of the right shape against its own challenge, and no other', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~']
    const verifiers = fc.string({
      unit: fc.constantFrom(...letters),
      minLength: 43,
      maxLength: 128,
    })
    fc.assert(
      fc.property(verifiers, verifiers, (verifier, other) => {
        const challenge = sha256(verifier).toString('base64url')
        checkChallenge(challenge, 'S256')
        expect(challengeOf(verifier)).toBe(challenge)
        if (other !== verifier) expect(challengeOf(other)).not.toBe(challenge)
      }),
    )
  })

  const short = 'a'.repeat(42)
  const long = 'a'.repeat(129)
  test.each([
    ['no verifier', undefined, CHALLENGE],
    ['an empty verifier', '', CHALLENGE],
    ['another verifier', VERIFIER.replace('d', 'e'), CHALLENGE],
    ['the challenge itself, as plain would', CHALLENGE, CHALLENGE],
    ['a guessable short verifier', short, sha256(short).toString('base64url')],
    ['a verifier that is too long', long, sha256(long).toString('base64url')],
    ['a verifier with a space', `${VERIFIER} `, sha256(`${VERIFIER} `).toString('base64url')],
  ])('refuses %s with one and the same answer', (_, verifier, challenge) => {
    expect(challengeOf(verifier ?? '')).not.toBe(challenge)
    const error = wrongVerifier(verifier)
    expect(error.code).toBe('invalid_grant')
    expect(error.description).toBe(
      'code_verifier does not match the code_challenge of the authorization request.',
    )
    expect(error.cause).toBeInstanceOf(Error)
  })
})
