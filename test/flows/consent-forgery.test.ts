import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { alter } from '../support/alter.ts'
import { aSetup, expectPage, locationOf, signedIn, writtenRows } from '../support/authorization.ts'
import { hiddenFields, Visitor } from '../support/browser-like.ts'
import { PASSWORD, sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const setup = await aSetup(world)

describe('a consent that the person did not give', async () => {
  const { visitor, page } = await signedIn(setup)
  const genuine: Record<string, string> = {
    ...hiddenFields(page.body, '/consent'),
    decision: 'allow',
  }
  const { form_token: token = '', ...tokenless } = genuine
  const stranger = await signedIn(await aSetup(world))
  const neighbour = await signedIn({ ...setup, person: await world.aMember(setup.school) })
  const anonymous = await new Visitor(world, setup.school).get('/sign-in')

  const fields: Record<string, Record<string, string>> = {
    'without a form token': tokenless,
    'with an empty form token': { ...tokenless, form_token: '' },
    'with a made-up form token': { ...tokenless, form_token: 'A'.repeat(65) },
    'with a changed form token': { ...tokenless, form_token: alter(token) },
    'with the token of another person’s session': {
      ...tokenless,
      form_token: hiddenFields(neighbour.page.body, '/consent').form_token ?? '',
    },
    'with the token of a session at another school': {
      ...tokenless,
      form_token: hiddenFields(stranger.page.body, '/consent').form_token ?? '',
    },
    'with the token of a browser that is not signed in': {
      ...tokenless,
      form_token: hiddenFields(anonymous.body, '/sign-in').form_token ?? '',
    },
  }
  for (const [how, forged] of Object.entries(fields)) {
    verifies(
      ['pages.security.form-token', 'rfc9700.csrf'],
      `${how} is refused and writes nothing`,
      async () => {
        const before = await writtenRows(setup)
        expectPage(await visitor.post('/consent', forged), 403)
        expect(await writtenRows(setup)).toBe(before)
      },
    )
  }

  const headers: Record<string, Record<string, string>> = {
    'from another origin': { origin: 'https://evil.example' },
    'from another scheme of this host': { origin: setup.school.origin.replace('http', 'https') },
    'from another port of this host': { origin: `${setup.school.origin}:8080` },
    'from a subdomain': { origin: setup.school.origin.replace('//', '//x.') },
    'from a sandboxed frame': { origin: 'null' },
    'that the browser calls cross-site': { 'sec-fetch-site': 'cross-site' },
    'that the browser calls same-site': { 'sec-fetch-site': 'same-site' },
  }
  for (const [how, sent] of Object.entries(headers)) {
    verifies(
      ['pages.security.form-token', 'rfc9700.csrf'],
      `${how} is refused even with the right token`,
      async () => {
        const before = await writtenRows(setup)
        expectPage(await visitor.post('/consent', genuine, sent), 403)
        expect(await writtenRows(setup)).toBe(before)
      },
    )
  }

  test('differs from the genuine one: the same form from this browser is accepted', async () => {
    const sent = { 'sec-fetch-site': 'same-origin' }
    expect(locationOf(await visitor.post('/consent', genuine, sent))).toContain('code=')
  })

  verifies(
    ['pages.security.form-token', 'rfc9700.csrf'],
    'without a session leads to sign-in, not to a code, and from another site it is refused',
    async () => {
      const before = await writtenRows(setup)
      const signedOut = new Visitor(world, setup.school)
      const answer = await signedOut.post('/consent', genuine)
      expect(locationOf(answer)).toBe(`/sign-in?request=${genuine.request}`)
      const forged = await signedOut.post('/consent', genuine, { origin: 'https://evil.example' })
      expectPage(forged, 403)
      expect(await writtenRows(setup)).toBe(before)
    },
  )

  test('after the session ended, sign-in leads back to the consent page', async () => {
    const late = await signedIn(setup)
    const signOut = hiddenFields(late.page.body, '/sign-out')
    const other = { form_token: signOut.form_token ?? '' }
    expect(locationOf(await late.visitor.post('/sign-out', other))).toBe('/')
    const turned = await late.visitor.follow(await late.visitor.decide(late.page, 'allow'))
    expectPage(turned, 200)
    const again = await late.visitor.follow(await late.visitor.signIn(turned, setup.person))
    expect(locationOf(await late.visitor.decide(again, 'allow'))).toContain('code=')
  })
})

describe('a sign-in that the person did not start', () => {
  const login = { email: setup.person.email, password: PASSWORD }

  verifies(
    ['pages.security.form-token', 'rfc9700.csrf'],
    'with credentials of the attacker, posted by another site, creates no session',
    async () => {
      const visitor = new Visitor(world, setup.school)
      const fields = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
      const attackers = hiddenFields(
        (await new Visitor(world, setup.school).get('/sign-in')).body,
        '/sign-in',
      )
      const forged = [
        await visitor.post('/sign-in', login),
        await visitor.post('/sign-in', { ...attackers, ...login }),
        await visitor.post('/sign-in', { ...fields, ...login }, { origin: 'https://evil.example' }),
        await visitor.post('/sign-in', { ...fields, ...login }, { origin: 'null' }),
        await visitor.post('/sign-in', { ...fields, ...login }, { 'sec-fetch-site': 'cross-site' }),
        await new Visitor(world, setup.school).post('/sign-in', { ...fields, ...login }),
      ]
      for (const answer of forged) {
        expectPage(answer, 403)
        expect(answer.headers['set-cookie']).toBeUndefined()
      }
      expect((await visitor.post('/sign-in', { ...fields, ...login })).statusCode).toBe(303)
    },
  )
})

verifies(
  'rfc9700.clickjacking',
  'sign-in, consent and their error pages cannot be framed',
  async () => {
    const { visitor, page } = await signedIn(setup)
    const pages = [page, await visitor.get('/sign-in'), await visitor.get('/consent')]
    for (const { headers } of pages) {
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    }
  },
)

verifies(
  ['rfc9700.referrer', 'rfc9700.history'],
  'pages send no referrer to other sites, load nothing from them and are not cached',
  async () => {
    const { visitor, page } = await signedIn(setup)
    for (const { headers, body } of [page, await visitor.get('/sign-in')]) {
      expect(headers['referrer-policy']).toBe('same-origin')
      expect(headers['cache-control']).toBe('no-store')
      const loaded = [...body.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, to]) => to)
      expect(loaded.length).toBeGreaterThan(2)
      for (const address of loaded) expect(address).toMatch(/^[/#](?!\/)/)
    }
    const answer = await visitor.decide(page, 'allow')
    expect(answer.headers).toMatchObject({
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    })
  },
)

verifies(
  ['rfc9700.cors', 'rfc9700.post-message'],
  'scripts of other sites cannot read the authorization endpoint or the pages, in any response mode',
  async () => {
    const headers = {
      host: new URL(setup.school.origin).host,
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
    }
    for (const url of ['/oauth/authorize', '/sign-in', '/consent']) {
      for (const method of ['GET', 'OPTIONS', 'POST'] as const) {
        const answer = await world.app.inject({ method, url, headers })
        const names = Object.keys(answer.headers).filter((name) =>
          name.startsWith('access-control'),
        )
        expect(names).toEqual([])
      }
    }
    const discovery = await world.app.inject({
      url: '/.well-known/openid-configuration',
      headers: { host: headers.host },
    })
    expect(discovery.json().response_modes_supported ?? ['query']).toEqual(['query'])
  },
)
