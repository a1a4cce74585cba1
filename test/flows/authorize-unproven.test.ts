import { describe, expect } from 'vitest'
import { redirectUriProblems } from '../../src/foundation/protocol/redirect-uri.ts'
import { verifies } from '../spec/verifies.ts'
import {
  aSetup,
  ask,
  expectErrorRedirect,
  expectPage,
  queryOf,
  writtenRows,
} from '../support/authorization.ts'
import { hiddenFields, Visitor } from '../support/browser-like.ts'
import { aTool } from '../support/tools.ts'
import { PASSWORD, sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const evil = 'https://evil.example/steal'

/** Attempts to make our server redirect people to `evil`. */
const attacks: Record<string, Record<string, string | undefined>> = {
  'no client': { client_id: undefined, redirect_uri: evil },
  'an empty client': { client_id: '', redirect_uri: evil },
  'an unknown client': { client_id: 'unknown', redirect_uri: evil },
  'a client named like an object member': { client_id: '__proto__', redirect_uri: evil },
  'a client_id that is a script': { client_id: 'javascript:alert(1)', redirect_uri: evil },
  'the document of a host that is not permitted': { client_id: `${evil}.json`, redirect_uri: evil },
  'an unregistered address': { redirect_uri: evil },
  'no address': { redirect_uri: undefined },
  'an empty address': { redirect_uri: '' },
  'a path on this origin': { redirect_uri: '/consent' },
  'a scheme-relative address': { redirect_uri: '//evil.example/' },
  'a script as address': { redirect_uri: 'javascript:alert(1)' },
  'an address with a null byte': { redirect_uri: 'http://127.0.0.1/callback\0' },
  'an address with a line break': { redirect_uri: 'http://127.0.0.1/callback\r\nSet-Cookie: a=b' },
}

/** Parameters that would otherwise lead to an error by redirect. */
const otherParameters: Record<string, Record<string, string | undefined>> = {
  'with all others right': {},
  'with prompt=none': { prompt: 'none' },
  'with an unsupported response_type': { response_type: 'token' },
  'with an unknown scope': { scope: 'nonsense' },
  'with a request object': { request: 'e30.e30.' },
  'with a request_uri': { request_uri: evil },
  'without a challenge': { code_challenge: undefined },
  'with response_mode=form_post': { response_mode: 'form_post' },
}

describe('no redirect happens before client and redirect URI are checked', async () => {
  const setup = await aSetup(world)
  for (const [attack, forged] of Object.entries(attacks)) {
    for (const [others, overrides] of Object.entries(otherParameters)) {
      verifies(
        ['authorize.unproven.error-page', 'rfc9700.no-open-redirector'],
        `${attack}, ${others}`,
        async () => {
          const before = await writtenRows(setup)
          expectPage(await ask(setup, { ...overrides, ...forged }), 400)
          expect(await writtenRows(setup)).toBe(before)
        },
      )
    }
  }

  for (const parameter of ['client_id', 'redirect_uri']) {
    verifies(
      ['authorize.unproven.error-page', 'authorize.repeated-parameter'],
      `${parameter} twice, the right one first`,
      async () => {
        const visitor = new Visitor(world, setup.school)
        const query = `${queryOf(setup)}&${parameter}=${encodeURIComponent(evil)}`
        expectPage(await visitor.get(`/oauth/authorize?${query}`), 400)
      },
    )
  }

  verifies(
    ['authorize.client-id.required', 'authorize.redirect-uri.required'],
    'the page names a missing client_id or redirect_uri',
    async () => {
      expect((await ask(setup, { client_id: undefined })).body).toContain('client_id is missing')
      expect((await ask(setup, { redirect_uri: undefined })).body).toContain(
        'redirect_uri is missing',
      )
    },
  )

  verifies(
    ['client.foreign-school.unknown', 'client.keyed-by-school'],
    'a client of another school is unknown here, also with its redirect URI',
    async () => {
      const other = await aSetup(world)
      expectPage(await ask({ ...setup, client: other.client }), 400)
      expect((await ask(other)).statusCode).toBe(303)
    },
  )

  verifies(
    'trouble.prompt-none-redirects',
    'prompt=none does not avoid the check of the redirect URI',
    async () => {
      expectPage(await ask(setup, { prompt: 'none', redirect_uri: evil }), 400)
    },
  )

  verifies(
    'authorize.unproven.error-page',
    'the page shows the sent redirect URI as text, never as a link',
    async () => {
      const page = await ask(setup, { redirect_uri: 'https://evil.example/"><script>x</script>' })
      expectPage(page, 400)
      expect(page.body).toContain('&lt;script')
      expect(page.body).not.toMatch(/href="[^"]*evil/)
    },
  )

  verifies(
    'authorize.unproven.error-page',
    'the sent redirect URI is in the open, and the page names who can register it for this kind of client',
    async () => {
      const tool = await aTool(world, setup.school)
      const { rows } = await world.database.pool.query<{ id: string }>(
        'select client_id as id from vendor_platforms limit 1',
      )
      for (const [clientId, who] of [
        [setup.client.clientId, 'can add the address to its application'],
        [tool.clientId, 'can add the address to it,'],
        [String(rows[0]?.id), 'The administrator of this server registered this app'],
      ] as const) {
        const page = await ask(setup, { client_id: clientId, redirect_uri: evil })
        expectPage(page, 400)
        const [open, folded] = page.body.split('<details')
        expect(open).toContain(evil)
        expect(open).toContain(who)
        expect(folded).toContain(clientId)
      }
    },
  )
})

describe('redirect URIs are compared as exact strings', async () => {
  const setup = await aSetup(world)
  const registered = 'https://app.example/cb?tenant=1'
  const client = await world.aPublicClient(setup.school, {
    redirectUris: [registered, 'http://127.0.0.1/callback', 'com.example.app:/cb'],
  })
  const other = [
    'https://app.example/cb',
    'https://app.example/cb?tenant=1&x=y',
    'https://app.example/cb?tenant=2',
    'https://app.example/CB?tenant=1',
    'https://APP.example/cb?tenant=1',
    'https://app.example:443/cb?tenant=1',
    'https://app.example/cb/?tenant=1',
    'https://app.example/x/../cb?tenant=1',
    'https://app.example/%63b?tenant=1',
    'https://user@app.example/cb?tenant=1',
    'https://app.example.evil.example/cb?tenant=1',
    'http://app.example/cb?tenant=1',
    `${registered}#`,
    `${registered}#fragment`,
    `${registered} `,
    'http://127.0.0.1/callback/',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://localhost/callback',
    'http://127.0.0.2/callback',
    'https://127.0.0.1/callback',
    'http://[::1]/callback',
    'com.example.app:/other',
    'com.example.app://cb',
  ]
  for (const redirectUri of other) {
    verifies(
      ['authorize.redirect-uri.exact', 'rfc9700.redirect-uri.exact'],
      `${redirectUri} is refused`,
      async () => expectPage(await ask({ ...setup, client }, { redirect_uri: redirectUri }), 400),
    )
  }

  for (const redirectUri of [registered, 'http://127.0.0.1/callback', 'com.example.app:/cb']) {
    verifies('authorize.redirect-uri.exact', `${redirectUri} is accepted`, async () => {
      const answer = await ask({ ...setup, client }, { redirect_uri: redirectUri, scope: 'no' })
      expect(answer.headers.location).toMatch(/[?&]error=invalid_scope&/)
      expect(String(answer.headers.location).startsWith(redirectUri)).toBe(true)
    })
  }

  verifies(
    ['authorize.redirect-uri.loopback-port', 'rfc9700.redirect-uri.exact'],
    'on loopback any port is allowed, and the answer goes to the requested port',
    async () => {
      const redirectUri = 'http://127.0.0.1:51004/callback'
      const answer = await ask({ ...setup, client }, { redirect_uri: redirectUri, scope: 'no' })
      expect(String(answer.headers.location).startsWith(`${redirectUri}?error=`)).toBe(true)
    },
  )
})

verifies(
  ['authorize.redirect-uri.schemes', 'rfc9700.redirect-uri.no-http'],
  'only https, loopback http, and private-use schemes of public clients can be registered',
  async () => {
    const problems = (uri: string, confidential = false) =>
      redirectUriProblems(uri, { confidential })
    for (const uri of ['https://app.example/cb', 'http://127.0.0.1/cb', 'http://localhost:1/cb']) {
      expect(problems(uri, true)).toEqual([])
    }
    expect(problems('com.example.app:/cb')).toEqual([])
    expect(problems('com.example.app:/cb', true)).not.toEqual([])
    for (const uri of ['http://app.example/cb', 'http://10.0.0.1/cb', 'javascript:alert(1)//x']) {
      expect(problems(uri)).not.toEqual([])
    }
    // The built-in vendor platforms meet the rule too.
    const { rows } = await world.database.pool.query<{ uri: string }>(
      'select unnest(redirect_uris) as uri from vendor_platforms',
    )
    for (const { uri } of rows)
      expect({ uri, problems: problems(uri) }).toEqual({ uri, problems: [] })
  },
)

verifies(
  'rfc9700.reverse-proxy',
  'forwarding headers from an untrusted address change neither the school nor the answer',
  async () => {
    const setup = await aSetup(world)
    const other = await world.aSchool()
    const visitor = new Visitor(world, setup.school)
    const forged = {
      'x-forwarded-host': new URL(other.origin).host,
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
      'x-forwarded-for': '203.0.113.7',
    }
    const query = queryOf(setup, { scope: 'nonsense' })
    const answer = await visitor.get(`/oauth/authorize?${query}`, forged)
    expectErrorRedirect(setup, answer, 'invalid_scope')
    const page = await visitor.get('/sign-in', forged)
    expect(page.body).toContain(`School ${setup.school.subdomain}`)
    for (let i = 0; i < 10; i++) await visitor.signIn(page, setup.person, 'wrong')
    // Otherwise every made-up address would get its own limit of attempts.
    const fields = { ...hiddenFields(page.body, '/sign-in'), email: setup.person.email }
    const late = { 'x-forwarded-for': '203.0.113.8' }
    const shut = await visitor.post('/sign-in', { ...fields, password: PASSWORD }, late)
    expectPage(shut, 429)
  },
)
