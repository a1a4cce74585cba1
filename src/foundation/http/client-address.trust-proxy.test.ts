import { describe, expect, test } from 'vitest'
import { parseTrustProxy } from './client-address.ts'

describe('parseTrustProxy', () => {
  test('an empty list trusts no peer', () => {
    for (const text of ['', '  ', ', ,']) {
      expect(parseTrustProxy(text).trusts('127.0.0.1')).toBe(false)
    }
  })

  test('loopback covers all of 127.0.0.0/8, ::1 and the IPv4-mapped spelling', () => {
    const { trusts } = parseTrustProxy('loopback')
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      expect(trusts(address), address).toBe(true)
    }
    for (const address of ['10.0.0.1', '::2', '::ffff:10.0.0.1']) {
      expect(trusts(address), address).toBe(false)
    }
  })

  test('addresses and ranges of both families', () => {
    const { trusts } = parseTrustProxy('10.1.0.0/16 192.0.2.7,2001:db8::/32')
    expect(trusts('10.1.255.1')).toBe(true)
    expect(trusts('10.2.0.1')).toBe(false)
    expect(trusts('192.0.2.7')).toBe(true)
    expect(trusts('192.0.2.8')).toBe(false)
    expect(trusts('2001:db8:1::9')).toBe(true)
    expect(trusts('2001:db9::9')).toBe(false)
  })

  test('a socket without a valid address is not trusted', () => {
    const { trusts } = parseTrustProxy('loopback')
    expect(trusts(undefined)).toBe(false)
    expect(trusts('')).toBe(false)
    expect(trusts('127.0.0.1, 10.0.0.1')).toBe(false)
  })

  test('decides correctly after more peers than the cache holds', () => {
    const { trusts } = parseTrustProxy('10.0.0.0/8')
    for (let i = 0; i < 1000; i++) trusts(`192.0.2.${i % 256}`)
    expect(trusts('10.0.0.1')).toBe(true)
    expect(trusts('192.0.2.1')).toBe(false)
  })

  test.each(['1', 'true', '10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0.0/8/8', 'proxy.internal'])(
    'refuses %s and says what is accepted',
    (text) => {
      expect(() => parseTrustProxy(text)).toThrow(/loopback/)
    },
  )
})
