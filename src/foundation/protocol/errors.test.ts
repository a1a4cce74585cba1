import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorBody, OAuthError, wireText } from './errors.ts'

/** Control characters, ASCII and beyond; some that take two code units. */
const letters = fc
  .oneof(fc.nat(0x17f), fc.integer({ min: 0x1f600, max: 0x1f64f }))
  .map((point) => String.fromCodePoint(point))

describe('the status of a refusal', () => {
  test.each([
    ['invalid_request', 400],
    ['invalid_client', 401],
    ['invalid_grant', 400],
    ['invalid_scope', 400],
    ['unauthorized_client', 400],
    ['unsupported_grant_type', 400],
    ['invalid_target', 400],
    ['invalid_client_metadata', 400],
    ['invalid_token', 401],
    ['insufficient_scope', 403],
    ['server_error', 500],
    ['temporarily_unavailable', 503],
  ] as const)('%s is %i unless the endpoint says otherwise', (code, status) => {
    expect(new OAuthError(code, 'Why.').status).toBe(status)
  })

  test('an endpoint may answer a code with a status of its own', () => {
    const error = new OAuthError('unauthorized_client', 'Send client_secret.', { status: 403 })
    expect(error.status).toBe(403)
  })
})

describe('redirectability', () => {
  test.each([
    'invalid_request',
    'access_denied',
    'login_required',
    'consent_required',
    'invalid_scope',
    'invalid_target',
    'request_not_supported',
    'server_error',
  ] as const)('%s may travel to a proven redirect URI', (code) => {
    expect(new OAuthError(code, 'Why.').redirectable).toBe(true)
  })

  test.each([
    'invalid_client',
    'invalid_redirect_uri',
    'invalid_client_metadata',
    'invalid_grant',
    'invalid_token',
  ] as const)('%s stays on our own pages, even when a caller asks otherwise', (code) => {
    expect(new OAuthError(code, 'Why.').redirectable).toBe(false)
    expect(new OAuthError(code, 'Why.', { redirectable: true }).redirectable).toBe(false)
  })

  test('a redirectable code can be kept back', () => {
    const error = new OAuthError('invalid_request', 'Why.', { redirectable: false })
    expect(error.redirectable).toBe(false)
  })
})

describe('what the wire sees', () => {
  test('the body has the code and the description, and never the cause', () => {
    const cause = new Error('the database password is hunter2')
    const error = new OAuthError('invalid_grant', 'The code has expired.', { cause })
    expect(errorBody(error)).toEqual({
      error: 'invalid_grant',
      error_description: 'The code has expired.',
      error_uri: '/docs/errors#invalid_grant',
    })
    expect(errorBody(error, 'https://school.example').error_uri).toBe(
      'https://school.example/docs/errors#invalid_grant',
    )
    expect(error.cause).toBe(cause)
    expect(error.message).toBe('invalid_grant: The code has expired.')
  })

  test('quotes, backslashes, line breaks and other alphabets are replaced', () => {
    expect(wireText('a "b"\\c\r\nSet-Cookie: d\té👋')).toBe("a 'b'?c Set-Cookie: d ??")
  })

  test('any text becomes one that RFC 6749 §5.2 allows', () => {
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 700 }), (text) => {
        const { description } = new OAuthError('invalid_request', text)
        expect(description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/)
        expect(description.length).toBeLessThanOrEqual(500)
      }),
    )
  })
})

test('a refusal remembers when to try again and which scopes would do', () => {
  const busy = new OAuthError('temporarily_unavailable', 'Try again.', { retryAfter: 2 })
  const poor = new OAuthError('insufficient_scope', 'Ask for more.', { scope: 'account:read' })
  expect(busy.retryAfter).toBe(2)
  expect(poor.scope).toBe('account:read')
  expect(poor).toBeInstanceOf(Error)
})
