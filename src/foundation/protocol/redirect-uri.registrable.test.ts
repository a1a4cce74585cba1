import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redirectUriProblems } from './redirect-uri.ts'

const forPublic = (uri: string) => redirectUriProblems(uri, { confidential: false })
const forConfidential = (uri: string) => redirectUriProblems(uri, { confidential: true })

describe('what may be registered', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example',
    'https://app.example:8443/cb?tenant=1&next=%2Fhome',
    'https://claude.ai/api/mcp/auth_callback',
    'https://chatgpt.com/connector_platform_oauth_redirect',
    'https://xn--bcher-kva.example/cb',
    'https://[2001:db8::1]/cb',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:49152/callback',
    'http://[::1]/callback',
    'http://localhost/callback',
    'https://localhost:8443/callback',
  ])('%s, by any client', (uri) => {
    expect(forPublic(uri)).toEqual([])
    expect(forConfidential(uri)).toEqual([])
  })

  test.each([
    'com.example.app:/oauth/callback',
    'com.example.app://oauth/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscode-insiders://publisher.extension/callback',
  ])('%s, by public clients alone', (uri) => {
    expect(forPublic(uri)).toEqual([])
    expect(forConfidential(uri)).toEqual([expect.stringContaining('cannot keep a secret')])
  })
})

describe('what may never be registered', () => {
  test.each([
    ['script', 'javascript:alert(1)'],
    ['script behind a host', 'javascript://app.example/%0aalert(1)'],
    ['script in capitals', 'JavaScript:alert(1)'],
    ['data', 'data:text/html,hello'],
    ['a file', 'file:///etc/passwd'],
    ['a blob', 'blob:https://app.example/1'],
    ['about', 'about:blank'],
    ['vbscript', 'vbscript:msgbox'],
    ['view-source', 'view-source:https://app.example/'],
    ['an Android intent', 'intent://scan/#Intent;end'],
    ['a system handler', 'ms-msdt:/id'],
    ['ftp', 'ftp://app.example/cb'],
    ['an extension page', 'chrome-extension://abc/cb'],
    ['the out-of-band name', 'urn:ietf:wg:oauth:2.0:oob'],
    ['a scheme anyone could claim', 'myapp://callback'],
    ['http on the network', 'http://app.example/callback'],
    ['http on a host that begins like loopback', 'http://localhost.evil.example/'],
    ['http on another loopback address', 'http://127.0.0.2/'],
    ['a fragment', 'https://app.example/callback#x'],
    ['an empty fragment', 'https://app.example/callback#'],
    ['a user name', 'https://user@app.example/callback'],
    ['a user name and a password', 'https://user:pw@app.example/callback'],
    ['a user name before loopback', 'http://user@127.0.0.1/callback'],
    ['a user name in a private scheme', 'com.example.app://user@host/cb'],
    ['a broken port in a private scheme', 'com.example.app://host:port:/cb'],
    ['a wildcard host', 'https://*.app.example/callback'],
    ['a wildcard path', 'https://app.example/*'],
    ['a space', 'https://app.example/call back'],
    ['a line break', 'https://app.example/callback\n'],
    ['a tab in the scheme', 'java\tscript:alert(1)'],
    ['a null byte', 'https://app.example/\0'],
    ['a backslash', 'https://app.example\\@evil.example/'],
    ['a letter of another alphabet', 'https://аpp.example/'],
    ['dot segments', 'https://app.example/a/../callback'],
    ['a dot segment at the end', 'https://app.example/a/..'],
    ['encoded dot segments', 'https://app.example/a/%2e%2E/callback'],
    ['an encoded slash', 'https://app.example/a%2fb'],
    ['an encoded backslash', 'https://app.example/a%5Cb'],
    ['an encoded line break', 'https://app.example/?a=%0d%0aLocation:'],
    ['an encoded null byte', 'https://app.example/%00'],
    ['broken percent-encoding', 'https://app.example/%zz'],
    ['an encoded host', 'https://%61pp.example/'],
    ['capitals in the host', 'https://App.example/'],
    ['capitals in the scheme', 'HTTPS://app.example/'],
    ['an address in disguise', 'https://0x7f.1/'],
    ['a number for an address', 'https://2130706433/'],
    ['an address written long', 'https://[0:0:0:0:0:0:0:1]/'],
    ['no host', 'https:///callback'],
    ['no slashes', 'https:app.example/callback'],
    ['a host that ends in a dot', 'https://app.example./'],
    ['a port beyond 65535', 'https://app.example:70000/'],
    ['port 0', 'http://127.0.0.1:0/'],
    ['an empty port', 'https://app.example:/'],
    ['no scheme', '//app.example/callback'],
    ['a path alone', '/callback'],
    ['nothing', ''],
    ['a private scheme without a slash', 'com.example.app:callback'],
    ['a private scheme without anything', 'com.example.app:'],
    ['a code of its own', 'https://app.example/cb?code=chosen'],
    ['a state of its own', 'https://app.example/cb?x=1&st%61te=chosen'],
    ['2001 characters', `https://app.example/${'a'.repeat(1981)}`],
  ])('%s', (_, uri) => {
    expect(forPublic(uri)).not.toEqual([])
    expect(forConfidential(uri)).not.toEqual([])
  })

  test('every problem is told at once, in a sentence', () => {
    expect(forPublic('http://user@app.example/../cb?code=1#x')).toEqual([
      expect.stringMatching(/^Use https\./),
      expect.stringMatching(/^Remove the user name/),
      expect.stringMatching(/^Remove the \. and \.\./),
      expect.stringMatching(/^Remove code /),
      expect.stringMatching(/^Remove the #/),
    ])
  })
})

test('whatever passes reads the same to a browser, and is https, loopback or an app', () => {
  const starts = fc.constantFrom('https://', 'http://', 'com.example.app:/', 'cursor://', '')
  const pieces = fc.constantFrom(
    ...['https:', 'javascript:', '//', '/', '\\', '@', '#'],
    ...['?', '.', '..', '%2e', '%', ':', ':80', 'a', 'B', '*', '127.0.0.1', 'localhost', '[::1]'],
    ...['app.example', '\t', '\n', ' ', '=', '&', 'code', '0x7f.1', ';', '%0a'],
  )
  fc.assert(
    fc.property(starts, fc.array(pieces, { maxLength: 7 }), (start, parts) => {
      const uri = start + parts.join('')
      if (forPublic(uri).length > 0) return
      const url = new URL(uri)
      expect(url.username + url.password + url.hash).toBe('')
      expect(url.protocol).toMatch(/^(https?|cursor|.+\..+):$/)
      if (url.protocol === 'http:') {
        expect(['127.0.0.1', 'localhost', '[::1]']).toContain(url.hostname)
      }
      if (url.protocol.startsWith('http')) {
        expect(uri.startsWith(`${url.protocol}//${url.hostname}`)).toBe(true)
      }
    }),
    { numRuns: 2000 },
  )
})
