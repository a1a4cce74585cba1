import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OAuthError } from './errors.ts'
import { parseParameters, readParameters } from './parameters.ts'

function refusal(text: string): OAuthError {
  try {
    parseParameters(text)
  } catch (error) {
    if (error instanceof OAuthError) return error
    throw error
  }
  throw new Error(`expected a refusal of ${text}`)
}

describe('an ordinary form', () => {
  test('is read with its encoding undone', () => {
    const parameters = parseParameters(
      'grant_type=authorization_code&scope=openid+account%3Aread&name=Zo%C3%AB&a=b=c&%61b=1',
    )
    expect(parameters.get('grant_type')).toBe('authorization_code')
    expect(parameters.get('scope')).toBe('openid account:read')
    expect(parameters.get('name')).toBe('Zoë')
    expect(parameters.get('a')).toBe('b=c')
    expect(parameters.get('ab')).toBe('1')
    expect(parameters.names()).toEqual(['grant_type', 'scope', 'name', 'a', 'ab'])
    expect(parameters.fault).toBeUndefined()
  })

  test('may be empty', () => {
    expect(parseParameters('').names()).toEqual([])
    expect(parseParameters('&&&').names()).toEqual([])
  })

  test('a parameter without a value counts as left out (RFC 6749 §3.1)', () => {
    const parameters = parseParameters('state=&nonce&scope=&scope=openid')
    expect(parameters.has('state')).toBe(false)
    expect(parameters.get('state')).toBeUndefined()
    expect(parameters.getAll('nonce')).toEqual([])
    expect(parameters.get('scope')).toBe('openid')
  })

  test('only resource may come several times (RFC 8707 §2)', () => {
    const parameters = parseParameters('resource=https%3A%2F%2Fa&resource=https%3A%2F%2Fb')
    expect(parameters.getAll('resource')).toEqual(['https://a', 'https://b'])
  })

  test('names that JavaScript objects know are just absent', () => {
    const parameters = parseParameters('__proto__=x')
    expect(parameters.has('constructor')).toBe(false)
    expect(parameters.get('toString')).toBeUndefined()
    expect(parameters.get('__proto__')).toBe('x')
  })

  test('whatever a standard encoder writes is read back', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((value) => !/\p{Cc}/u.test(value))
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (pairs) => {
        const parameters = parseParameters(new URLSearchParams(pairs).toString())
        for (const [name, value] of pairs) expect(parameters.get(name)).toBe(value)
        expect(parameters.names()).toHaveLength(pairs.length)
      }),
    )
  })
})

describe('a form that is refused', () => {
  test.each([
    ['a repeated parameter', 'scope=a&scope=b', 'The parameter scope is repeated: send it once.'],
    ['a repeated one under another encoding', 'scope=a&sc%6fpe=b', 'scope is repeated'],
    ['the same value twice', 'scope=a&scope=a', 'scope is repeated'],
    ['a repeated parameter we do not know', 'x=1&x=2', 'The parameter x is repeated'],
    ['half a percent-encoding', 'code=%4', 'The parameter code is not valid'],
    ['no percent-encoding', 'code=100%', 'The parameter code is not valid'],
    ['bytes that are not UTF-8', 'state=%ff%fe', 'The parameter state is not valid'],
    ['an overlong UTF-8 form', 'state=%c0%af', 'The parameter state is not valid'],
    ['half a surrogate pair', 'state=%ed%a0%80', 'The parameter state is not valid'],
    ['letters that were not encoded', 'state=é', 'The parameter state is not valid'],
    ['a broken name', '%zz=1', 'A parameter is not valid'],
    ['an encoded null byte', 'client_id=a%00b', 'The parameter client_id holds control characters'],
    ['a raw null byte', 'client_id=a\0b', 'The parameter client_id is not valid'],
    ['a line break', 'state=a%0d%0aSet-Cookie:x', 'The parameter state holds control characters'],
    ['a C1 control', 'state=%c2%85', 'The parameter state holds control characters'],
    ['a control in a name', 'a%00b=1', 'A parameter holds control characters'],
    ['a value that is too long', `code=${'a'.repeat(8193)}`, 'The parameter code is too long'],
  ])('%s', (_, text, description) => {
    const error = refusal(text)
    expect(error.code).toBe('invalid_request')
    expect(error.description).toContain(description)
  })

  test('101 parameters, but not 100', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=1`).join('&')
    expect(parseParameters(many(100)).names()).toHaveLength(100)
    expect(refusal(many(101)).description).toBe('Send at most 100 parameters.')
    expect(() => readParameters(many(101))).toThrow(OAuthError)
  })

  test('a value of 8192 characters is not too long, however it is encoded', () => {
    expect(parseParameters(`state=${'%C3%A9'.repeat(8192)}`).get('state')).toHaveLength(8192)
  })

  test('a name from the outside is shown only if it is a plain word', () => {
    const error = refusal('Please+call+555-1234=%zz')
    expect(error.description).toBe(
      'A parameter is not valid: encode it as UTF-8 with percent-encoding.',
    )
  })
})

describe('reading first and refusing later', () => {
  test('the sound parameters can be read, the one at fault cannot', () => {
    const parameters = readParameters('client_id=app&scope=a&scope=b&state=xyz')
    expect(parameters.get('client_id')).toBe('app')
    expect(parameters.get('state')).toBe('xyz')
    expect(() => parameters.get('scope')).toThrow('scope is repeated')
    expect(() => parameters.getAll('scope')).toThrow('scope is repeated')
    expect(parameters.has('scope')).toBe(false)
    expect(parameters.fault?.description).toContain('scope is repeated')
  })

  test('a repeated client_id or redirect_uri never gives one of its values', () => {
    const parameters = readParameters('client_id=a&client_id=b&redirect_uri=%zz&redirect_uri=c')
    expect(() => parameters.get('client_id')).toThrow(OAuthError)
    expect(() => parameters.get('redirect_uri')).toThrow(OAuthError)
  })

  test('the fault is one that may travel to a proven redirect URI', () => {
    expect(readParameters('scope=a&scope=b').fault?.redirectable).toBe(true)
  })
})

test('any text is read or refused, and no value that is read holds a control character', () => {
  const pieces = fc.constantFrom(
    ...['&', '=', '+', '%', '%00', '%0a', '%C3', '%A9', '%c3%a9', 'a', 'scope', 'resource'],
    ...['client_id', '\0', '\n', 'é', '#', '?', ';', '%26', '%3D', '__proto__'],
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      try {
        const parameters = parseParameters(parts.join(''))
        for (const name of parameters.names()) {
          const all = parameters.getAll(name)
          expect(all.length === 1 || (name === 'resource' && all.length > 1)).toBe(true)
          expect(all.join('')).not.toMatch(/\p{Cc}/u)
        }
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_request', status: 400 })
      }
    }),
    { numRuns: 1000 },
  )
})
