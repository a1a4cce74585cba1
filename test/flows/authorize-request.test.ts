import { randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../spec/verifies.ts'
import {
  aSetup,
  ask,
  expectErrorRedirect,
  expectPage,
  locationOf,
  queryOf,
  signedIn,
} from '../support/authorization.ts'
import { aPkce, authorizeAs, Visitor } from '../support/browser-like.ts'
import { aPair, exchange, postForm } from '../support/client-like.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const setup = await aSetup(world)
const { school, client, person } = setup
const isSignIn = /^\/sign-in\?request=[A-Za-z0-9_-]+$/
const isConsent = /^\/consent\?request=[A-Za-z0-9_-]+$/

/** Makes every session of the school older by this time. */
async function ageSessions(at: TestSchool, seconds: number): Promise<void> {
  await world.database.pool.query(
    `update browser_sessions set authenticated_at = authenticated_at - make_interval(secs => $2)
     where school_id = $1`,
    [at.id, seconds],
  )
}

describe('approval', () => {
  verifies(
    ['authorize.approval.redirect', 'authorize.state.echoed', 'rfc9700.iss', 'rfc9700.no-307'],
    'redirects by 303 to the redirect URI with code, state and iss, and nothing else',
    async () => {
      const { visitor, page } = await signedIn(setup)
      const location = locationOf(await visitor.decide(page, 'allow'))
      expect(location.startsWith(`${client.redirectUri}?`)).toBe(true)
      const params = new URL(location).searchParams
      expect([...params.keys()].sort()).toEqual(['code', 'iss', 'state'])
      expect(params.get('state')).toBe('a state')
      expect(params.get('iss')).toBe(school.origin)
    },
  )

  verifies(
    ['authorize.state.optional', 'authorize.nonce.optional'],
    'has no state if the request had none, and the ID token has no nonce',
    async () => {
      const pkce = aPkce()
      const parameters = { state: undefined, nonce: undefined }
      const params = await authorizeAs(world, school, client, person, { pkce, parameters })
      expect([...params.keys()].sort()).toEqual(['code', 'iss'])
      const code = params.get('code') ?? ''
      const answer = await exchange(world, school, client, code, pkce.verifier)
      expect(decodeJwt(answer.json().id_token)).not.toHaveProperty('nonce')
    },
  )

  verifies('authorize.nonce.echoed', 'puts the nonce into the ID token', async () => {
    const pair = await aPair(world, school, client, person, { parameters: { nonce: 'n-0 S6 ü' } })
    expect(decodeJwt(pair.id_token ?? '').nonce).toBe('n-0 S6 ü')
  })

  verifies('authorize.unknown-parameter', 'ignores unknown parameters', async () => {
    const parameters = { extra: '1', audience: 'x', constructor: 'y', __proto__x: 'z', code: 'c' }
    const params = await authorizeAs(world, school, client, person, { parameters })
    expect([...params.keys()].sort()).toEqual(['code', 'iss', 'state'])
  })

  verifies(
    ['authorize.resource.other-names', 'authorize.resource.as-advertised'],
    'accepts every resource identifier that the metadata names',
    async () => {
      const advertised: string[] = []
      for (const path of ['', '/mcp', '/mcp/member']) {
        const answer = await world.app.inject({
          url: `/.well-known/oauth-protected-resource${path}`,
          headers: { host: new URL(school.origin).host },
        })
        advertised.push(answer.json().resource)
      }
      const [origin, ...endpoints] = advertised
      expect(origin).toBe(school.origin)
      expect(endpoints).toEqual([`${school.origin}/mcp`, `${school.origin}/mcp/member`])
      const names = [...advertised, ...advertised.map((name) => `${name}/`)]
      for (const resource of names) {
        expect((await ask(setup, { resource })).headers.location).toMatch(isSignIn)
      }
    },
  )
})

describe('POST', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    postForm(world, school, '/oauth/authorize', body, headers)

  verifies(
    ['authorize.get-and-post', 'oidcc-ensure-post-request-succeeds'],
    'is redirected to the same request as a GET, so that the browser sends its cookies',
    async () => {
      const { visitor } = await signedIn(setup)
      const query = queryOf(setup)
      const location = locationOf(await post(query, { origin: 'https://app.example' }))
      expect(location).toBe(`/oauth/authorize?${query}`)
      expect(locationOf(await visitor.get(location))).toMatch(isConsent)
    },
  )

  verifies(
    ['authorize.bad-input', 'authorize.get-and-post'],
    'cannot smuggle a header or a fragment into the redirect',
    async () => {
      for (const [sent, encoded] of [
        ['a=b\r\nSet-Cookie: x=y', 'a=b%0D%0ASet-Cookie:%20x=y'],
        ['a=b#c&d=e', 'a=b%23c&d=e'],
        ['name=ü線', 'name=%C3%BC%E7%B7%9A'],
        ['a=\0', 'a=%00'],
        ['', ''],
      ] as const) {
        const answer = await post(sent)
        expect(locationOf(answer)).toBe(`/oauth/authorize?${encoded}`)
        expect(answer.headers['set-cookie']).toBeUndefined()
      }
    },
  )

  verifies('authorize.bad-input', 'a form too long for a URL is refused', async () => {
    expectPage(await post(`state=${'x'.repeat(8200)}`), 414)
    expectPage(await post(`state=${'x'.repeat(70_000)}`), 413)
  })

  verifies(
    ['authorize.bad-input', 'trouble.content-type-500'],
    'of another or a malformed content type is a page with 415',
    async () => {
      for (const type of ['application/json', 'text/plain', 'multipart/form-data', 'x', ';;;']) {
        expectPage(await post('{}', { 'content-type': type }), 415)
      }
    },
  )
})

verifies(
  ['authorize.get-and-post', 'authorize.bad-input'],
  'other methods are 405 and Allow names the two methods',
  async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      const answer = await world.app.inject({
        method,
        url: `/oauth/authorize?${queryOf(setup)}`,
        headers: { host: new URL(school.origin).host, origin: 'https://app.example' },
      })
      expectPage(answer, 405)
      expect(answer.headers.allow).toBe('GET, POST')
    }
  },
)

describe('long requests', () => {
  const long = (length: number) => randomBytes(length).toString('base64url').slice(0, length)
  const longUri = `https://app.example/${'path/'.repeat(300)}cb`

  verifies(
    [
      'authorize.state.echoed',
      'fapi2-security-profile-final-ensure-authorization-request-with-long-state',
      'fapi2-security-profile-final-ensure-authorization-request-with-long-nonce',
    ],
    'a state and a nonce of 2 KB and a redirect URI of 1.5 KB arrive complete after sign-in and consent',
    async () => {
      const roomy = await world.aPublicClient(school, { redirectUris: [longUri] })
      const [state, nonce, pkce] = [long(2048), long(2048), aPkce()]
      const parameters = { state, nonce }
      const params = await authorizeAs(world, school, roomy, person, { parameters, pkce })
      expect(params.get('state')).toBe(state)
      const answer = await exchange(world, school, roomy, params.get('code') ?? '', pkce.verifier)
      expect(decodeJwt(answer.json().id_token).nonce).toBe(nonce)
    },
  )

  test('all scopes and a state of 5 KB fit into the URL of the sign-in page', async () => {
    const operator = { ...setup, client: { ...client, clientId: 'claude' } }
    const scope = SCOPES_OF_AUDIENCE.operator.toString()
    const location = locationOf(await ask(operator, { scope, state: long(5000) }))
    expect(location).toMatch(isSignIn)
    expect(location.length).toBeLessThanOrEqual(8192)
    expectPage(await new Visitor(world, school).get(location), 200)
  })

  verifies(
    'authorize.proven.error-redirect',
    'no redirect to our own pages exceeds our URL limit: a longer request is invalid_request',
    async () => {
      let refused = 0
      for (let length = 7000; length < 7900; length += 45) {
        const state = long(length)
        const answer = await ask(setup, { state })
        if (answer.statusCode === 414) break
        const location = locationOf(answer)
        if (location.startsWith('/')) {
          expect(location.length).toBeLessThanOrEqual(8192)
        } else {
          refused += 1
          expectErrorRedirect(setup, answer, 'invalid_request', state)
        }
      }
      expect(refused).toBeGreaterThan(0)
    },
  )
})

describe('which people must sign in', () => {
  verifies(
    'authorize.prompt.login',
    'prompt=login and select_account ask for the password although a session exists',
    async () => {
      for (const prompt of ['login', 'select_account', 'login consent']) {
        const { visitor } = await signedIn(setup)
        await ageSessions(school, 100)
        expect(locationOf(await ask(setup, {}, visitor))).toMatch(isConsent)
        const location = locationOf(await ask(setup, { prompt }, visitor))
        expect(location).toMatch(isSignIn)
        // The sealed request demands it: opening the consent page directly leads back to sign-in.
        const shortcut = await visitor.get(location.replace('/sign-in', '/consent'))
        expect(locationOf(shortcut)).toBe(location)
        const page = await visitor.get(location)
        const consent = await visitor.follow(await visitor.signIn(page, person))
        expect(locationOf(await visitor.decide(consent, 'allow'))).toContain('code=')
      }
    },
  )

  verifies(
    'authorize.prompt.login',
    'a consent form that was opened before the required sign-in gives no code',
    async () => {
      const { visitor, page } = await signedIn(setup)
      const location = locationOf(await ask(setup, { prompt: 'login' }, visitor))
      const request = new URL(location, school.origin).searchParams.get('request') ?? ''
      const { form_token = '' } = hiddenOf(page.body)
      const answer = await visitor.post('/consent', { form_token, request, decision: 'allow' })
      expect(locationOf(answer)).toBe(location)
    },
  )

  verifies(
    ['authorize.prompt.login', 'authorize.max-age'],
    'prompt=login or max_age, asked before any sign-in, is not met by an older sign-in of another tab',
    async () => {
      for (const asked of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }]) {
        const own = await aSetup(world)
        const visitor = new Visitor(world, own.school)
        const location = locationOf(await ask(own, asked, visitor))
        expect(location).toMatch(isSignIn)
        // Another tab signs in. Its time is moved to before the request, which is where it belongs.
        await visitor.signIn(await visitor.get('/sign-in'), own.person)
        await ageSessions(own.school, 60)
        expect((await visitor.get(location)).body).toContain('name="password"')
        const shortcut = await visitor.get(location.replace('/sign-in', '/consent'))
        expect(locationOf(shortcut)).toBe(location)
        const page = await visitor.follow(
          await visitor.signIn(await visitor.get(location), own.person),
        )
        expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
      }
    },
  )

  verifies(
    'authorize.max-age',
    'max_age asked before any sign-in counts back from the request',
    async () => {
      const own = await aSetup(world)
      const visitor = new Visitor(world, own.school)
      const location = locationOf(await ask(own, { max_age: '300' }, visitor))
      await visitor.signIn(await visitor.get('/sign-in'), own.person)
      await ageSessions(own.school, 200)
      expect(locationOf(await visitor.get(location))).toMatch(isConsent)
      await ageSessions(own.school, 200)
      expect((await visitor.get(location)).body).toContain('name="password"')
    },
  )

  verifies(
    'authorize.max-age',
    'max_age asks for sign-in with an older session, and not with a newer one',
    async () => {
      const own = await aSetup(world)
      const { visitor } = await signedIn(own)
      await ageSessions(own.school, 60)
      for (const maxAge of ['0', '1', '59']) {
        expect(locationOf(await ask(own, { max_age: maxAge }, visitor))).toMatch(isSignIn)
      }
      for (const maxAge of ['61', '10000', '99999999999999999999']) {
        expect(locationOf(await ask(own, { max_age: maxAge }, visitor))).toMatch(isConsent)
      }
      const location = locationOf(await ask(own, { max_age: '59' }, visitor))
      const shortcut = await visitor.get(location.replace('/sign-in', '/consent'))
      expect(locationOf(shortcut)).toBe(location)
    },
  )

  verifies(
    'authorize.login-hint',
    'login_hint fills the email field, and any markup in it is escaped',
    async () => {
      const visitor = new Visitor(world, school)
      const hint = async (login_hint: string) =>
        (await visitor.follow(await ask(setup, { login_hint }, visitor))).body
      expect(await hint(person.email)).toContain(`value="${person.email}"`)
      expect(await hint('"><script>alert(1)</script>')).not.toContain('<script>')
      expect(await hint('x'.repeat(3000))).toContain('name="email"')
    },
  )
})

function hiddenOf(html: string): Record<string, string> {
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}
