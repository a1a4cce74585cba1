import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bearerChallenge } from './challenge.ts'
import { OAuthError } from './errors.ts'
import { ScopeSet } from './scope-set.ts'

const origin = 'https://school.example'
const metadata = 'resource_metadata="https://school.example/.well-known/oauth-protected-resource"'

test('an invitation to sign in is bare (RFC 6750 §3.1)', () => {
  expect(bearerChallenge({ origin })).toBe(`Bearer ${metadata}`)
})

test('a resource with a name of its own has its own document (RFC 9728 §3.3)', () => {
  for (const resource of ['/mcp', '/mcp/member'] as const) {
    expect(bearerChallenge({ origin, resource })).toBe(
      `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource${resource}"`,
    )
  }
})

test('a bare challenge may name the scopes to ask for', () => {
  const scope = ScopeSet.parse('openid courses:read')
  expect(bearerChallenge({ origin, scope })).toBe(`Bearer ${metadata}, scope="courses:read openid"`)
})

test('a bad token is named with its reason', () => {
  const error = new OAuthError('invalid_token', 'The token has expired.')
  expect(bearerChallenge({ origin, error })).toBe(
    `Bearer ${metadata}, error="invalid_token", error_description="The token has expired."`,
  )
})

test('a missing scope is named with every scope the call needs', () => {
  const error = new OAuthError('insufficient_scope', 'Ask for more.', { scope: 'account:read' })
  const challenge = bearerChallenge({ origin, error })
  expect(challenge).toContain('error="insufficient_scope"')
  expect(challenge).toContain('scope="account:read"')
  const scope = ScopeSet.parse('account:write account:read')
  expect(bearerChallenge({ origin, error, scope })).toContain('scope="account:read account:write"')
})

test('an empty set of scopes adds no empty attribute', () => {
  expect(bearerChallenge({ origin, scope: ScopeSet.empty })).toBe(`Bearer ${metadata}`)
})

test('no text can leave its quotes, add an attribute or add a header', () => {
  const hostile = fc.string({ unit: fc.constantFrom(...'",\\\r\n=a \0', 'error', 'é', 'Bearer') })
  fc.assert(
    fc.property(hostile, hostile, (description, tail) => {
      const error = new OAuthError('invalid_token', description)
      const challenge = bearerChallenge({ origin: origin + tail, error })
      expect(challenge).toMatch(
        /^Bearer resource_metadata="[^"\\]+", error="invalid_token"(, error_description="[^"\\]+")?$/,
      )
      expect(challenge).toMatch(/^[\x20-\x7e]+$/)
    }),
  )
})
