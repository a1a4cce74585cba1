import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { authorizationResponseUrl } from './authorization-response.ts'
import { errorBody, OAuthError } from './errors.ts'
import { findRedirectUri, type ValidatedRedirectUri } from './redirect-uri.ts'

const iss = 'https://school.example'

function proven(uri: string): ValidatedRedirectUri {
  const found = findRedirectUri([uri], uri)
  if (found === undefined) throw new Error(`${uri} does not match itself`)
  return found
}

describe('an approval', () => {
  test('carries code, state and iss', () => {
    const url = authorizationResponseUrl(proven('https://app.example/cb'), {
      code: 'abc',
      state: 'xyz',
      iss,
    })
    expect(url).toBe('https://app.example/cb?code=abc&state=xyz&iss=https%3A%2F%2Fschool.example')
  })

  test('carries no state when the request had none', () => {
    const url = authorizationResponseUrl(proven('https://app.example/cb'), {
      code: 'abc',
      state: undefined,
      iss,
    })
    expect(new URL(url).searchParams.has('state')).toBe(false)
  })
})

test('a refusal carries error, its description, where it is explained, state and iss', () => {
  const error = new OAuthError('access_denied', 'The person said no.')
  const url = authorizationResponseUrl(proven('https://app.example/cb'), {
    ...errorBody(error, iss),
    state: 'xyz',
    iss,
  })
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'The person said no.',
    error_uri: `${iss}/docs/errors#access_denied`,
    state: 'xyz',
    iss,
  })
  expect(url).toContain('error_description=The%20person%20said%20no.')
})

describe('the redirect URI', () => {
  test.each([
    ['https://app.example/cb?b=%2f&a=+~', 'https://app.example/cb?b=%2f&a=+~&code='],
    ['https://app.example/cb?', 'https://app.example/cb?code='],
    ['https://app.example/cb?a=1&', 'https://app.example/cb?a=1&code='],
    ['https://app.example', 'https://app.example?code='],
    ['com.example.app:/cb', 'com.example.app:/cb?code='],
    ['cursor://anysphere.cursor-mcp/oauth/cb', 'cursor://anysphere.cursor-mcp/oauth/cb?code='],
    ['http://[::1]:49152/cb', 'http://[::1]:49152/cb?code='],
  ])('%s stays byte for byte in front of the answer', (uri, start) => {
    expect(authorizationResponseUrl(proven(uri), { code: 'c', iss }).startsWith(start)).toBe(true)
  })
})

test('any state comes back as it was sent and can neither add a parameter nor a fragment', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (state) => {
      const url = authorizationResponseUrl(proven('https://app.example/cb'), {
        code: 'c',
        state,
        iss,
      })
      expect(url).toMatch(/^[\x21-\x7e]+$/)
      expect(url).not.toContain('#')
      const { searchParams } = new URL(url)
      expect([...searchParams.keys()]).toEqual(['code', 'state', 'iss'])
      expect(searchParams.get('state')).toBe(state)
    }),
  )
})
