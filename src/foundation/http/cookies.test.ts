import { describe, expect, test } from 'vitest'
import {
  anonymousCookieName,
  findCookie,
  serializeCookie,
  serializeExpiredCookie,
  sessionCookieName,
} from './cookies.ts'

describe('cookie names', () => {
  test('follow the scheme, and on http the port', () => {
    expect(sessionCookieName('https://a.test')).toBe('__Host-schoolgate')
    expect(sessionCookieName('http://localhost:3000')).toBe('schoolgate-3000')
    expect(sessionCookieName('http://a.test')).toBe('schoolgate-80')
    expect(anonymousCookieName('https://a.test:8443')).toBe('__Host-schoolgate-form')
    expect(anonymousCookieName('http://[::1]:3000')).toBe('schoolgate-form-3000')
  })
})

describe('serializeCookie', () => {
  test('https', () => {
    expect(serializeCookie('https://a.test', '__Host-schoolgate', 'v', 3600.9)).toBe(
      '__Host-schoolgate=v; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=3600',
    )
  })

  test('http, without a lifetime', () => {
    expect(serializeCookie('http://localhost:3000', 'schoolgate-3000', 'v')).toBe(
      'schoolgate-3000=v; Path=/; HttpOnly; SameSite=Lax',
    )
  })

  test('deleting a cookie', () => {
    expect(serializeExpiredCookie('https://a.test', '__Host-schoolgate')).toBe(
      '__Host-schoolgate=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
    )
  })

  test.each(['a;b', 'a b', 'a\r\nSet-Cookie: x', 'a"', 'ä', ''])(
    'refuses the value %j',
    (value) => {
      expect(() => serializeCookie('https://a.test', 'n', value)).toThrow(RangeError)
    },
  )
})

describe('findCookie', () => {
  test('finds by exact name among others', () => {
    expect(findCookie('a=1; n=v; xn=2;nn=3', 'n')).toBe('v')
    expect(findCookie('n=v=w', 'n')).toBe('v=w')
    expect(findCookie('N=v', 'n')).toBeUndefined()
    expect(findCookie(undefined, 'n')).toBeUndefined()
    expect(findCookie('', 'n')).toBeUndefined()
    expect(findCookie(';;=;n', 'n')).toBeUndefined()
  })

  test('ignores both of two different values; the same value twice is accepted', () => {
    expect(findCookie('n=planted; n=real', 'n')).toBeUndefined()
    expect(findCookie('n=real; x=1; n=real', 'n')).toBe('real')
  })

  test.each([
    ['a no-break space', '\u00a0__Host-n=planted'],
    ['an ideographic space', '\u3000__Host-n=planted'],
    ['a byte order mark', '\ufeff__Host-n=planted'],
    ['a form feed', '\f__Host-n=planted'],
    ['a name after an empty name', '=__Host-n=planted'],
    ['another case', '__HOST-n=planted'],
    ['quotes', '"__Host-n"=planted'],
    ['percent-encoding', '%5f_Host-n=planted'],
    ['the old attributes', '$Version=1; $Path=/; __Host-m=x'],
  ])('a sibling subdomain cannot pass for the prefix by %s', (_, header) => {
    expect(findCookie(header, '__Host-n')).toBeUndefined()
    expect(findCookie(`${header}; __Host-n=real`, '__Host-n')).toBe('real')
  })

  test('blanks around a name and a value are no part of them', () => {
    expect(findCookie('a=1;\t n \t= v ', 'n')).toBe('v')
  })

  test.each(['n=', 'n="quoted"', 'n=a b', 'n=\u0000', 'n=ä', `n=${'x'.repeat(4097)}`])(
    'ignores %j',
    (header) => {
      expect(findCookie(header, 'n')).toBeUndefined()
    },
  )

  test('ignores a header that is too long', () => {
    expect(findCookie(`${'a=1;'.repeat(10_000)}n=v`, 'n')).toBeUndefined()
  })
})
