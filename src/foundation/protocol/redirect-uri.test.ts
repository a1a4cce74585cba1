import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findRedirectUri, isLoopback, matchesRedirectUri } from './redirect-uri.ts'

const WEB = 'https://app.example/callback'

describe('an ordinary redirect URI', () => {
  test('matches itself', () => {
    expect(matchesRedirectUri(WEB, WEB)).toBe(true)
    expect(matchesRedirectUri('com.example.app:/cb', 'com.example.app:/cb')).toBe(true)
  })

  test.each([
    ['another case of the scheme', 'HTTPS://app.example/callback'],
    ['another case of the host', 'https://App.example/callback'],
    ['another case of the path', 'https://app.example/Callback'],
    ['plain http', 'http://app.example/callback'],
    ['a trailing slash', `${WEB}/`],
    ['a missing path', 'https://app.example'],
    ['the default port', 'https://app.example:443/callback'],
    ['another port', 'https://app.example:8443/callback'],
    ['userinfo', 'https://app.example@evil.example/callback'],
    ['userinfo in front of the right host', 'https://evil@app.example/callback'],
    ['a subdomain', 'https://evil.app.example/callback'],
    ['a longer host', 'https://app.example.evil/callback'],
    ['an added query', `${WEB}?next=//evil.example`],
    ['an empty query', `${WEB}?`],
    ['an added fragment', `${WEB}#x`],
    ['an empty fragment', `${WEB}#`],
    ['dot segments that lead back', 'https://app.example/x/../callback'],
    ['an encoded letter', 'https://app.example/%63allback'],
    ['a deeper path', `${WEB}/deeper`],
    ['a backslash', 'https://app.example\\callback'],
    ['a trailing space', `${WEB} `],
    ['a leading line break', `\n${WEB}`],
    ['a null byte', `${WEB}\0`],
    ['a letter that looks the same', 'https://аpp.example/callback'],
  ])('does not match with %s', (_, presented) => {
    expect(matchesRedirectUri(WEB, presented)).toBe(false)
  })

  test('matches no mutation of itself', () => {
    const mutations = fc.record({
      at: fc.nat(WEB.length),
      drop: fc.nat(3),
      put: fc.string({ unit: fc.constantFrom(...'%./?#@:\\*aA0 ;&=\0\n', '%2e', '%2F', '..') }),
    })
    fc.assert(
      fc.property(mutations, ({ at, drop, put }) => {
        const mutated = WEB.slice(0, at) + put + WEB.slice(at + drop)
        expect(matchesRedirectUri(WEB, mutated)).toBe(mutated === WEB)
      }),
    )
  })
})

describe('a loopback redirect URI', () => {
  const hosts = fc.constantFrom('127.0.0.1', '[::1]', 'localhost')

  test('may differ in its port, and in nothing else', () => {
    fc.assert(
      fc.property(hosts, fc.integer({ min: 1, max: 65535 }), (host, port) => {
        const registered = `http://${host}/callback?app=1`
        const presented = `http://${host}:${port}/callback?app=1`
        expect(matchesRedirectUri(registered, presented)).toBe(true)
        expect(matchesRedirectUri(presented, registered)).toBe(true)
        for (const tail of ['/', '#x', '&x=1', '%20', '/../callback', ' ']) {
          expect(matchesRedirectUri(registered, presented + tail)).toBe(false)
        }
      }),
    )
  })

  test('may have no path', () => {
    expect(matchesRedirectUri('http://127.0.0.1', 'http://127.0.0.1:5000')).toBe(true)
    expect(matchesRedirectUri('http://127.0.0.1', 'http://127.0.0.1:5000/')).toBe(false)
  })

  test.each([
    ['another loopback name', 'http://localhost:5000/callback'],
    ['https', 'https://127.0.0.1:5000/callback'],
    ['port 0', 'http://127.0.0.1:0/callback'],
    ['a port beyond 65535', 'http://127.0.0.1:65536/callback'],
    ['a port with a leading zero', 'http://127.0.0.1:080/callback'],
    ['an empty port', 'http://127.0.0.1:/callback'],
    ['a port that is a host', 'http://127.0.0.1:5000@evil.example/callback'],
    ['userinfo', 'http://127.0.0.1@evil.example/callback'],
    ['a host that begins alike', 'http://127.0.0.1.evil.example/callback'],
    ['a short form of the address', 'http://127.1:5000/callback'],
    ['a number for the address', 'http://2130706433:5000/callback'],
    ['a backslash before another host', 'http://127.0.0.1:5000\\@evil.example/callback'],
    ['a line break in the path', 'http://127.0.0.1:5000/callback\n'],
    ['capital letters', 'HTTP://127.0.0.1:5000/callback'],
  ])('does not match with %s', (_, presented) => {
    expect(matchesRedirectUri('http://127.0.0.1/callback', presented)).toBe(false)
  })

  test('over https keeps its port', () => {
    expect(matchesRedirectUri('https://localhost/cb', 'https://localhost:8443/cb')).toBe(false)
  })

  test('is told from a host that only resembles it', () => {
    expect(isLoopback('http://127.0.0.1/callback')).toBe(true)
    expect(isLoopback('http://[::1]:49152/')).toBe(true)
    expect(isLoopback('https://localhost:8443/cb')).toBe(true)
    expect(isLoopback('http://localhost')).toBe(true)
    for (const uri of [
      'http://localhost.evil.example/',
      'http://evil.example/?http://localhost/',
      'http://localhost@evil.example/',
      'http://127.0.0.2/',
      'http://[::1].evil.example/',
      'localhost://127.0.0.1/',
      'http://0.0.0.0/',
    ]) {
      expect(isLoopback(uri)).toBe(false)
    }
  })
})

describe('finding the URI of a request', () => {
  const registered = [WEB, 'http://127.0.0.1/callback']

  test('gives back what was presented, port included', () => {
    expect(findRedirectUri(registered, WEB)).toBe(WEB)
    const presented = 'http://127.0.0.1:49152/callback'
    expect(findRedirectUri(registered, presented)).toBe(presented)
  })

  test('finds nothing with a fragment, though a row should hold one', () => {
    expect(findRedirectUri([`${WEB}#x`], `${WEB}#x`)).toBeUndefined()
  })

  test('finds nothing for a stranger, or for a client without URIs', () => {
    expect(findRedirectUri(registered, 'https://evil.example/callback')).toBeUndefined()
    expect(findRedirectUri([], WEB)).toBeUndefined()
  })
})
