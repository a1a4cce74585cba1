import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_CLIENT_ID_URL_LENGTH, parseClientIdUrl } from './client-id-url.ts'

describe('a client_id that is the URL of a document', () => {
  test.each([
    ['https://claude.ai/oauth/mcp-oauth-client-metadata', 'claude.ai'],
    ['https://vscode.dev/oauth/client-metadata.json', 'vscode.dev'],
    ['https://app.example.com/a', 'app.example.com'],
    ['https://app.example.com/a/', 'app.example.com'],
    ['https://app.example.com/~me/@client/x:y;z=1/...', 'app.example.com'],
    ['https://app.example.com/caf%C3%A9', 'app.example.com'],
    ['https://xn--bcher-kva.example/client.json', 'xn--bcher-kva.example'],
  ])('%s', (clientId, host) => {
    expect(parseClientIdUrl(clientId)).toEqual({ ok: true, url: { href: clientId, host } })
  })
})

describe('a client_id that is no URL', () => {
  test.each([
    '',
    'demo-public',
    'urn:x:y',
    'ftp://a.example/x',
    ' https://a.example/x',
    '0198-abc',
  ])('%j is left to the registered clients', (clientId) =>
    expect(parseClientIdUrl(clientId)).toBeUndefined(),
  )
})

describe('a URL that cannot be a client_id', () => {
  test.each([
    ['plain http', 'http://app.example.com/c', /https/],
    ['no host', 'https://', /not a valid/],
    ['no path', 'https://app.example.com', /needs a path/],
    ['the root path', 'https://app.example.com/', /needs a path/],
    ['slashes alone', 'https://app.example.com//', /needs a path/],
    ['a fragment', 'https://app.example.com/c#x', /fragment/],
    ['an empty fragment', 'https://app.example.com/c#', /fragment/],
    ['a user name', 'https://me@app.example.com/c', /user name/],
    ['an empty user name', 'https://@app.example.com/c', /Spell this/],
    ['a query', 'https://app.example.com/c?x=1', /query/],
    ['an empty query', 'https://app.example.com/c?', /query/],
    ['a dot segment', 'https://app.example.com/./c', /segments/],
    ['a double dot segment', 'https://app.example.com/a/../c', /segments/],
    ['an ending dot segment', 'https://app.example.com/a/..', /segments/],
    ['an encoded dot segment', 'https://app.example.com/a/%2e%2E/c', /segments/],
    ['a half encoded dot segment', 'https://app.example.com/a/.%2e/c', /segments/],
    ['a dot segment behind a backslash', 'https://app.example.com/a\\..\\c', /segments/],
    ['an encoded slash', 'https://app.example.com/a%2fb', /hide slashes/],
    ['an encoded slash and dots', 'https://app.example.com/a/..%2Fb', /hide slashes/],
    ['an encoded backslash', 'https://app.example.com/a%5Cb', /hide slashes/],
    ['an encoded null byte', 'https://app.example.com/a%00', /hide slashes/],
    ['an encoded line break', 'https://app.example.com/a%0d%0a', /hide slashes/],
    ['a broken % code', 'https://app.example.com/a%zz', /hide slashes/],
    ['an upper case host', 'https://App.Example.com/c', /Spell this/],
    ['an upper case scheme', 'HTTPS://app.example.com/c', /Spell this/],
    ['the default port spelled out', 'https://app.example.com:443/c', /Spell this/],
    ['an empty port', 'https://app.example.com:/c', /Spell this/],
    ['one slash', 'https:/app.example.com/c', /Spell this/],
    ['no slash', 'https:app.example.com/c', /Spell this/],
    ['a backslash', 'https://app.example.com\\c', /Spell this/],
    ['a space', 'https://app.example.com/a b', /Spell this/],
    ['a trailing line break', 'https://app.example.com/c\n', /Spell this/],
    ['a tab inside', 'https://app.example.com/c\td', /Spell this/],
    ['a host in Unicode', 'https://bücher.example/c', /xn--bcher-kva\.example\/c/],
    ['a look-alike host', 'https://clаude.ai/c', /Spell this client_id as https:\/\/xn--/],
    ['a full-width host', 'https://ａpp.example.com/c', /Spell this/],
    ['another port', 'https://app.example.com:8443/c', /port/],
    ['an IPv4 host', 'https://93.184.216.34/c', /name its host/],
    ['an IPv4 host in one number', 'https://2130706433/c', /name its host/],
    ['an IPv6 host', 'https://[::1]/c', /name its host/],
    ['a single label', 'https://intranet/c', /full domain name/],
    ['a last dot', 'https://app.example.com./c', /last dot/],
  ])('%s: %j', (_, clientId, words) => {
    expect(parseClientIdUrl(clientId)).toMatchObject({
      ok: false,
      description: expect.stringMatching(words),
    })
  })

  test('one that is too long', () => {
    const longest = 'https://app.example.com/'.padEnd(MAX_CLIENT_ID_URL_LENGTH, 'x')
    expect(parseClientIdUrl(longest)).toMatchObject({ ok: true })
    expect(parseClientIdUrl(`${longest}x`)).toMatchObject({ ok: false })
  })
})

describe('the demo world', () => {
  test.each(['http://127.0.0.1:4000/client.json', 'http://localhost:4000/c', 'http://[::1]/c'])(
    'permits %s, and nothing else does',
    (clientId) => {
      expect(parseClientIdUrl(clientId, { allowLoopbackHttp: true })).toMatchObject({ ok: true })
      expect(parseClientIdUrl(clientId)).toMatchObject({ ok: false })
    },
  )

  test('does not permit http elsewhere, nor other spellings of this machine', () => {
    for (const clientId of ['http://a.example/c', 'http://127.1/c', 'http://localhost:80/c']) {
      expect(parseClientIdUrl(clientId, { allowLoopbackHttp: true })).toMatchObject({ ok: false })
    }
  })
})

describe('any text', () => {
  const urlish = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: 'binary' }).map((rest) => `https://${rest}`),
    fc.string({ unit: 'binary' }).map((rest) => `https://app.example.com/${rest}`),
    fc.string({ unit: 'binary' }),
  )

  test('is judged without an exception, and accepted only in its canonical spelling', () => {
    fc.assert(
      fc.property(urlish, (clientId) => {
        const verdict = parseClientIdUrl(clientId)
        if (verdict?.ok !== true) return true
        const url = new URL(clientId)
        return (
          url.href === clientId &&
          url.protocol === 'https:' &&
          url.host === verdict.url.host &&
          /^[\x21-\x7e]+$/.test(clientId) &&
          !/[?#@\\]/.test(clientId.slice(0, 'https://'.length + url.host.length)) &&
          !/[?#]/.test(clientId)
        )
      }),
      { numRuns: 2000 },
    )
  })
})
