import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseClientIdUrl } from './client-id-url.ts'
import { judgeDocument, MAX_CLIENT_NAME_LENGTH, MAX_REDIRECT_URIS } from './client-metadata.ts'

const fixtures = new URL('../../../test/fixtures/client-documents/', import.meta.url)
const fixture = (name: string) => JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'))

const at = (clientId: string) => {
  const verdict = parseClientIdUrl(clientId, { allowLoopbackHttp: true })
  if (verdict?.ok !== true) throw new Error(`not the URL of a document: ${clientId}`)
  return verdict.url
}

const home = at('https://app.example.com/oauth/client.json')
const good = { client_id: home.href, redirect_uris: ['https://app.example.com/callback'] }
const judge = (changes: object) => judgeDocument(home, { ...good, ...changes })
const withRedirect = (...redirect_uris: unknown[]) => judge({ redirect_uris })

describe('documents as they are published', () => {
  test.each([
    ['claude.json', 'Claude', 'claude.ai', false],
    ['claude-code.json', 'Claude Code', 'claude.ai', true],
    ['chatgpt.json', 'ChatGPT', 'chatgpt.com', false],
    ['chatgpt-connector.json', 'ChatGPT', 'chatgpt.com', false],
    ['vscode.json', 'Visual Studio Code', 'vscode.dev', false],
    ['native-tool.json', 'tool.example', 'tool.example', true],
  ])('%s is a client', (file, name, host, loopbackOnly) => {
    const document = fixture(file)
    expect(judgeDocument(at(document.client_id), document)).toMatchObject({
      ok: true,
      document: {
        clientId: document.client_id,
        name,
        host,
        redirectUris: document.redirect_uris,
        loopbackOnly,
      },
    })
  })

  test('a document on this machine is a client of the demo world', () => {
    const url = at('http://127.0.0.1:4000/client.json')
    const document = { client_id: url.href, redirect_uris: ['http://127.0.0.1/callback'] }
    expect(judgeDocument(url, document)).toMatchObject({
      ok: true,
      document: { name: '127.0.0.1', host: '127.0.0.1', loopbackOnly: true },
    })
  })
})

describe('links of a document', () => {
  test('are shown if they are on its own host', () => {
    const links = { client_uri: 'https://app.example.com', policy_uri: 'https://app.example.com/p' }
    expect(judge(links)).toMatchObject({
      document: { websiteUrl: 'https://app.example.com/', privacyUrl: 'https://app.example.com/p' },
    })
  })

  test.each([
    'https://bank.example/',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https://user@app.example.com/',
    'http://app.example.com/',
    'javascript:alert(1)',
    'https://app.example.com/'.padEnd(501, 'x'),
    7,
  ])('that borrow a good name are left out, and the client stays: %j', (client_uri) => {
    const verdict = judge({ client_uri, policy_uri: client_uri })
    expect(verdict).toMatchObject({ ok: true })
    expect(JSON.stringify(verdict)).not.toMatch(/websiteUrl|privacyUrl/)
  })
})

describe('the shape', () => {
  test.each([null, undefined, true, 7, 'x', [], [good]])('%j is no document', (json) => {
    expect(judgeDocument(home, json)).toMatchObject({ ok: false, reason: 'malformed' })
  })

  test.each([
    ['client_id', { client_id: undefined }],
    ['client_id', { client_id: 7 }],
    ['redirect_uris', { redirect_uris: undefined }],
    ['redirect_uris', { redirect_uris: null }],
    ['redirect_uris', { redirect_uris: 'https://app.example.com/callback' }],
    ['redirect_uris', { redirect_uris: [] }],
    ['redirect_uris', { redirect_uris: [7] }],
    ['redirect_uris', { redirect_uris: { 0: 'https://app.example.com/callback' } }],
    ['redirect_uris', { redirect_uris: Array(MAX_REDIRECT_URIS + 1).fill('http://localhost/') }],
    ['client_name', { client_name: { en: 'x' } }],
    ['token_endpoint_auth_method', { token_endpoint_auth_method: ['none'] }],
    ['token_endpoint_auth_methods_supported', { token_endpoint_auth_methods_supported: 'none' }],
    ['grant_types', { grant_types: 'authorization_code' }],
    ['response_types', { response_types: 'code' }],
  ])('a wrong %s is named: %j', (member, changes) => {
    expect(judge(changes)).toMatchObject({
      ok: false,
      reason: 'malformed',
      description: expect.stringContaining(`"${member}"`),
    })
  })

  test('unknown members are ignored, whatever their value is', () => {
    const unknown = { logo_uri: 'http://10.0.0.1/', scope: 'account:write', contacts: 7, x: null }
    expect(judge(unknown)).toEqual(judgeDocument(home, good))
  })

  test('optional members that are null count as absent', () => {
    expect(
      judge({
        client_name: null,
        grant_types: null,
        response_types: null,
        token_endpoint_auth_method: null,
        token_endpoint_auth_methods_supported: null,
      }),
    ).toEqual(judgeDocument(home, good))
  })
})

describe('client_id', () => {
  test.each([
    'https://app.example.com/oauth/client.json/',
    'https://app.example.com:443/oauth/client.json',
    'https://APP.example.com/oauth/client.json',
    'https://app.example.com/oauth/client.json#',
    'https://app.example.com/oauth/%63lient.json',
    'https://evil.example/oauth/client.json',
    '',
  ])('%j is refused, because it is not the URL of the document', (client_id) => {
    expect(judge({ client_id })).toMatchObject({ ok: false, reason: 'client_id_mismatch' })
  })
})

describe('secrets', () => {
  const rsa = { kty: 'RSA', n: 'AQAB', e: 'AQAB' }

  test.each([
    { client_secret: 's3cret' },
    { client_secret: '' },
    { client_secret: null },
    { client_secret_expires_at: 0 },
    { jwks: { keys: [{ ...rsa, d: 'x' }] } },
    { jwks: { keys: [rsa, { ...rsa, p: 'x' }] } },
    { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'z' }] } },
    { jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'z' }] } },
    { jwks: { keys: [{ kty: 'oct', k: 'x' }] } },
    { jwks: { keys: [{ kty: 'AKP', alg: 'ML-DSA-44', pub: 'x', priv: 'y' }] } },
  ])('%j is refused', (changes) => {
    expect(judge(changes)).toMatchObject({ ok: false, reason: 'secret_inside' })
  })

  test.each([
    { jwks: { keys: [rsa, { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] } },
    { jwks: { keys: [] } },
    { jwks: { keys: [null, 7] } },
    { jwks: null },
    { jwks: 'x' },
    { jwks_uri: 'https://app.example.com/jwks.json' },
  ])('%j is not', (changes) => expect(judge(changes)).toMatchObject({ ok: true }))

  test('a refusal does not repeat the secret', () => {
    expect(JSON.stringify(judge({ client_secret: 'hunter2' }))).not.toContain('hunter2')
  })
})

describe('authentication at the token endpoint', () => {
  const method = (one: string | undefined, many?: string[]) =>
    judge({ token_endpoint_auth_method: one, token_endpoint_auth_methods_supported: many })

  test.each([
    [undefined, undefined],
    ['none', undefined],
    [undefined, ['none']],
    [undefined, ['private_key_jwt', 'none']],
    ['private_key_jwt', ['none', 'private_key_jwt']],
    ['none', ['private_key_jwt']],
  ])('%j of %j can be served', (one, many) => {
    expect(method(one, many)).toMatchObject({ ok: true })
  })

  test.each([
    ['private_key_jwt', undefined],
    ['private_key_jwt', ['private_key_jwt']],
    ['tls_client_auth', undefined],
    ['attest_jwt_client_auth', []],
    [undefined, ['private_key_jwt']],
    [undefined, []],
    ['NONE', undefined],
    ['', undefined],
  ])('%j of %j cannot, and the refusal says what to change', (one, many) => {
    expect(method(one, many)).toMatchObject({
      ok: false,
      reason: 'auth_method_unsupported',
      description: expect.stringContaining('"none"'),
    })
  })

  test.each(['client_secret_post', 'client_secret_basic', 'client_secret_jwt'])(
    '%s is refused even beside none: there is no secret to share',
    (one) => {
      expect(method(one, ['none', one])).toMatchObject({
        ok: false,
        reason: 'auth_method_unsupported',
        description: expect.stringContaining('shared secret'),
      })
    },
  )
})

describe('grants', () => {
  test.each([
    { grant_types: [] },
    { grant_types: ['client_credentials'] },
    { grant_types: ['implicit', 'refresh_token'] },
    { response_types: ['token'] },
    { response_types: ['code id_token'] },
  ])('a client that does not use the code flow is not given it: %j', (changes) => {
    expect(judge(changes)).toMatchObject({ ok: false, reason: 'grant_unsupported' })
  })

  test('others beside it are ignored', () => {
    const changes = {
      grant_types: ['authorization_code', 'implicit', 'urn:x'],
      response_types: ['code', 'token'],
    }
    expect(judge(changes)).toMatchObject({ ok: true })
  })
})

describe('the name', () => {
  test.each([
    ['Notes', 'Notes'],
    ['  Notes ', 'Notes'],
    ['', 'app.example.com'],
    ['   ', 'app.example.com'],
    [undefined, 'app.example.com'],
    ['線上學校 📚', '線上學校 📚'],
    ['نکته‌ها', 'نکته‌ها'],
    ['👩‍🏫 Teacher', '👩‍🏫 Teacher'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('%j is shown as %j', (client_name, name) => {
    expect(judge({ client_name })).toMatchObject({ ok: true, document: { name } })
  })

  test.each([
    ['a null byte', 'No\u0000tes'],
    ['a line break', 'Notes\nby your school'],
    ['an escape sequence', '\u001b[31mNotes'],
    ['a C1 control', 'No\u0085tes'],
    ['a right-to-left override', 'Notes\u202egpj.exe'],
    ['an isolate', '\u2066Notes\u2069'],
    ['a zero-width space', 'Not\u200bes'],
    ['a soft hyphen', 'No\u00adtes'],
    ['a byte order mark', '\ufeffNotes'],
    ['a line separator', 'Notes\u2028'],
    ['an invisible tag', 'Notes\u{e0041}'],
    ['half a surrogate pair', 'Notes\ud83d'],
  ])('%s is refused', (_, client_name) => {
    expect(judge({ client_name })).toMatchObject({ ok: false, reason: 'name_refused' })
  })

  test('may have a hundred characters and no more', () => {
    const longest = 'x'.repeat(MAX_CLIENT_NAME_LENGTH)
    expect(judge({ client_name: longest })).toMatchObject({ ok: true })
    expect(judge({ client_name: `${longest}x` })).toMatchObject({ reason: 'name_refused' })
  })
})

describe('redirect URIs', () => {
  test.each([
    'https://app.example.com/callback',
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com:8443/callback',
    'https://app.example.com/cb?tenant=1&x=%20',
    'https://app.example.com/@me/cb',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:33418/',
    'http://localhost',
    'http://localhost:3000/callback?x=y',
    'http://[::1]:8080/callback',
    'https://localhost:3000/callback',
  ])('%s is accepted', (uri) => {
    expect(withRedirect(uri)).toMatchObject({ ok: true, document: { redirectUris: [uri] } })
  })

  test.each([
    'https://evil.example/callback',
    'https://sub.app.example.com/callback',
    'https://example.com/callback',
    'https://app.example.com.evil.example/callback',
    'https://app.example.com@evil.example/callback',
    'https://app.example.com:443@evil.example/callback',
    'https://evil.example/app.example.com',
    'https://evil.example\\@app.example.com/',
    'https://@app.example.com/callback',
    'https://user:pw@app.example.com/callback',
    'https://app.example.com/callback#',
    'https://app.example.com/callback#x',
    'https://app.example.com./callback',
    'https:app.example.com/callback',
    'https:/app.example.com/callback',
    'https:///app.example.com/callback',
    'http://app.example.com/callback',
    'http://127.0.0.2/callback',
    'http://0.0.0.0/callback',
    'http://10.0.0.1/callback',
    'http://[::ffff:127.0.0.1]/callback',
    'http://app.localhost/callback',
    'http://localhost.evil.example/callback',
    'http://localhost@evil.example/callback',
    'http://127.0.0.1:*/callback',
    'http://localhost:99999/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/callback',
    'com.example.app://localhost/callback',
    'javascript:alert(1)',
    'javascript://localhost/%0aalert(1)',
    'data:text/html,x',
    'urn:ietf:wg:oauth:2.0:oob',
    '/callback',
    '//app.example.com/callback',
    '*',
    '',
    ' https://app.example.com/callback',
    'https://app.example.com/call back',
    'https://app.example.com/callback\r\nSet-Cookie: x=y',
    'https://app.example.com/callb\u0000ack',
    'https://app.example.com/café',
    'https://аpp.example.com/callback',
  ])('%j makes the document invalid', (uri) => {
    expect(withRedirect('https://app.example.com/callback', uri)).toMatchObject({
      ok: false,
      reason: 'redirect_uri_refused',
      description: expect.stringContaining('entry 2'),
    })
  })

  test('one that is too long makes the document invalid', () => {
    expect(withRedirect(`https://app.example.com/${'x'.repeat(2000)}`)).toMatchObject({
      reason: 'redirect_uri_refused',
    })
  })

  test('one that already has a parameter of the answer makes the document invalid', () => {
    expect(withRedirect('https://app.example.com/cb?code=1')).toMatchObject({
      reason: 'redirect_uri_refused',
    })
  })

  test('repeated ones are kept once', () => {
    const uri = 'http://localhost/callback'
    expect(withRedirect(uri, uri)).toMatchObject({ ok: true, document: { redirectUris: [uri] } })
  })

  test('a document with only loopback URIs is marked, so that consent can warn', () => {
    const loopback = ['http://localhost/cb', 'https://127.0.0.1/cb', 'http://[::1]/cb']
    expect(withRedirect(...loopback)).toMatchObject({ ok: true, document: { loopbackOnly: true } })
    expect(withRedirect(...loopback, 'https://app.example.com/cb')).toMatchObject({
      ok: true,
      document: { loopbackOnly: false },
    })
  })

  test('every accepted URI leads a browser to the host of the document or to this machine', () => {
    const anyUri = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc
        .tuple(
          fc.constantFrom('https://', 'http://', 'https:', 'HTTPS://'),
          fc.string({ unit: fc.constantFrom(...'app.example.com@:/\\?#[]%01*evil ') }),
          fc.constantFrom('app.example.com', 'localhost', 'evil.example', '127.0.0.1'),
          fc.string({ unit: fc.constantFrom(...'.@:/\\?#[]%0129*evil ') }),
        )
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(anyUri, (uri) => {
        if (!withRedirect(uri).ok) return true
        const { protocol, hostname, username, hash } = new URL(uri)
        const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
        return (
          username === '' &&
          hash === '' &&
          (local || (protocol === 'https:' && hostname === 'app.example.com'))
        )
      }),
      { numRuns: 5000 },
    )
  })
})

test('no JSON makes judging throw', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (json, jwks, name) => {
      judgeDocument(home, json)
      judge({ jwks, client_name: name, grant_types: json })
    }),
  )
})

test('a refusal never contains text of the document', () => {
  const marker = 'https-evil-marker'
  const bad = [
    { client_id: marker },
    { redirect_uris: [marker] },
    { client_name: `${marker}\u202e` },
    { token_endpoint_auth_method: marker },
    { grant_types: [marker] },
    { jwks: { keys: [{ d: marker }] } },
  ]
  for (const changes of bad) {
    const verdict = judge(changes)
    expect(verdict.ok).toBe(false)
    expect(JSON.stringify(verdict)).not.toContain(marker)
  }
})
