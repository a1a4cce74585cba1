import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disableClient } from '../../src/domain/clients/client-operations.ts'
import { findSchoolByOrigin } from '../../src/domain/schools/school.ts'
import { findSigner } from '../../src/domain/schools/signing.ts'
import { activateKey, publishKey } from '../../src/domain/schools/signing-key-operations.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { verifies } from '../spec/verifies.ts'
import { expectPage } from '../support/authorization.ts'
import { type Answer, authorizeAs, hiddenFields, Visitor } from '../support/browser-like.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { getFrom, isLive } from '../support/oauth-world.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { sharedWorld, type TestClient, type TestPerson, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const AFTER = 'https://app.example/signed-out'
const WITH_QUERY = 'https://app.example/bye?from=school'
const LOOPBACK = 'http://127.0.0.1:8400/signed-out'
const LOGOUT = '/oauth/logout'

interface Stage {
  readonly school: TestSchool
  readonly client: TestClient
  readonly person: TestPerson
  /** The browser, signed in as the person. */
  readonly visitor: Visitor
  readonly idToken: string
  readonly pair: Awaited<ReturnType<typeof aPair>>
}

const aClientOf = (school: TestSchool) =>
  world.aPublicClient(school, {
    name: 'Study Planner',
    postLogoutRedirectUris: [AFTER, WITH_QUERY, LOOPBACK],
  })

/** A person who signed in to a client with this browser. */
async function aStage(given?: TestSchool): Promise<Stage> {
  const school = given ?? (await world.aSchool())
  const client = await aClientOf(school)
  const person = await world.aMember(school)
  const visitor = new Visitor(world, school)
  const pair = await aPair(world, school, client, person, { visitor })
  return { school, client, person, visitor, pair, idToken: pair.id_token ?? '' }
}

const query = (parameters: Record<string, string>) => `${LOGOUT}?${new URLSearchParams(parameters)}`
const isSignedIn = async ({ visitor }: Stage) => (await visitor.get('/account')).statusCode === 200

async function expectRefusal(stage: Stage, answer: Answer, status = 400): Promise<string> {
  expectPage(answer, status)
  expect(answer.headers.location).toBeUndefined()
  expect(answer.body).toContain('We changed nothing')
  expect(answer.body).not.toContain('app.example')
  expect(await isSignedIn(stage)).toBe(true)
  return answer.body
}

/** The page that asks; nothing has happened yet. */
async function expectQuestion(stage: Stage, answer: Answer): Promise<Record<string, string>> {
  expectPage(answer, 200)
  expect(answer.body).toContain('Sign out?')
  expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(answer.headers['x-frame-options']).toBe('DENY')
  expect(await isSignedIn(stage)).toBe(true)
  return hiddenFields(answer.body, '/sign-out')
}

/** An ID token that the school signs with any claims. */
async function signedBy(school: TestSchool, claims: Record<string, unknown>): Promise<string> {
  const found = await findSchoolByOrigin(world.database.db, school.origin)
  const sign = found && findSigner(found, world.context.keyring)
  if (sign === undefined) throw new Error('the school signs nothing')
  return sign(claims)
}

const claimsOf = (idToken: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString())

describe('a client that sends the person’s own ID token', () => {
  verifies(
    ['logout.hint.signs-out', 'logout.redirect.registered', 'logout.state'],
    'signs the browser out and gets it back at its registered URI, with the state',
    async () => {
      const stage = await aStage()
      const { visitor, idToken } = stage
      const state = 'a state & more'
      const asked = { id_token_hint: idToken, post_logout_redirect_uri: AFTER, state }
      const answer = await visitor.get(query(asked))
      expect(answer.statusCode).toBe(303)
      expect(answer.headers.location).toBe(`${AFTER}?state=a%20state%20%26%20more`)
      expect(String(answer.headers['set-cookie'])).toContain('Max-Age=0')
      expect(await isSignedIn(stage)).toBe(false)
    },
  )

  verifies(
    'logout.tokens-stay',
    'ends this browser’s session at this school and nothing else',
    async () => {
      const stage = await aStage()
      const { school, client, person, visitor, idToken, pair } = stage
      const elsewhere = await world.aSchool()
      await world.aMember(elsewhere, ['student'], person)
      const other = new Visitor(world, elsewhere)
      await other.signIn(await other.get('/sign-in'), person)
      const phone = new Visitor(world, school)
      await phone.signIn(await phone.get('/sign-in'), person)
      await visitor.get(query({ id_token_hint: idToken }))
      expect(await isSignedIn(stage)).toBe(false)
      expect((await phone.get('/account')).statusCode).toBe(200)
      expect((await other.get('/account')).statusCode).toBe(200)
      expect(await isLive(world, pair)).toBe(true)
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(200)
    },
  )

  verifies(
    'logout.no-redirect.page',
    'without a redirect URI gets a page that says so, and the page of a second try',
    async () => {
      const stage = await aStage()
      const answer = await stage.visitor.get(query({ id_token_hint: stage.idToken, state: 'x' }))
      expectPage(answer, 200)
      expect(answer.body).toContain('You are signed out')
      expect(answer.body).not.toContain('app.example')
      expect(await isSignedIn(stage)).toBe(false)
      const again = await stage.visitor.get(query({ id_token_hint: stage.idToken }))
      expect(again.body).toContain('You are signed out')
    },
  )

  verifies(
    ['logout.post', 'logout.redirect.registered'],
    'may post it: a post from another site has no cookie and is sent on to a GET without the ID token',
    async () => {
      const stage = await aStage()
      const { school, visitor, idToken } = stage
      const fields = { id_token_hint: idToken, post_logout_redirect_uri: WITH_QUERY, state: 's' }
      const crossSite = new Visitor(world, school)
      const sent = await crossSite.post(LOGOUT, fields, { origin: 'https://app.example' })
      expect(sent.statusCode).toBe(303)
      const next = String(sent.headers.location)
      expect(next).toMatch(/^\/oauth\/logout\?logout=[\w-]+$/)
      expect(await isSignedIn(stage)).toBe(true)
      const answer = await visitor.get(next)
      expect(answer.headers.location).toBe(`${WITH_QUERY}&state=s`)
      expect(await isSignedIn(stage)).toBe(false)
    },
  )

  test('may post it with the cookie, as a site under the same domain does', async () => {
    const stage = await aStage()
    const fields = { id_token_hint: stage.idToken, post_logout_redirect_uri: AFTER }
    const answer = await stage.visitor.post(LOGOUT, fields)
    expect(answer.headers.location).toBe(AFTER)
    expect(await isSignedIn(stage)).toBe(false)
  })

  verifies(
    'logout.hint.expired',
    'may send it long after it expired, and after its key was retired',
    async () => {
      const stage = await aStage()
      const { school, visitor, idToken, client, person } = stage
      const old = await signedBy(school, { ...claimsOf(idToken), iat: 1000, exp: 1600 })
      const { keyring } = world.context
      const { kid } = outputOf(await performByCommandLine(school, publishKey(keyring), {}))
      const activate = { kid, force: true }
      outputOf(await performByCommandLine(school, activateKey(keyring), activate))
      await sql`update signing_keys set retired_at = now() - interval '1 year',
        activated_at = now() - interval '2 years', published_at = now() - interval '3 years'
        where school_id = ${school.id} and stage = 'retired'`.execute(world.database.db)
      world.context.directory.forget(school.id)
      for (const hint of [idToken, old]) {
        const page = await visitor.get('/sign-in')
        await visitor.signIn(page, person)
        const asked = { id_token_hint: hint, client_id: client.clientId }
        const answer = await visitor.get(query({ ...asked, post_logout_redirect_uri: AFTER }))
        expect(answer.headers.location).toBe(AFTER)
        expect(await isSignedIn(stage)).toBe(false)
      }
    },
  )

  test('is redirected at once if the browser is signed out already', async () => {
    const { school, idToken } = await aStage()
    const asked = { id_token_hint: idToken, post_logout_redirect_uri: AFTER, state: 's' }
    const answer = await new Visitor(world, school).get(query(asked))
    expect(answer.headers.location).toBe(`${AFTER}?state=s`)
  })
})

describe('without an ID token', () => {
  verifies(
    'logout.asks-first',
    'a page asks first, with the form token; then the person is signed out and redirected',
    async () => {
      const stage = await aStage()
      const { visitor, client } = stage
      const asked = { client_id: client.clientId, post_logout_redirect_uri: AFTER, state: 's' }
      const question = await visitor.get(query(asked))
      const fields = await expectQuestion(stage, question)
      expect(question.body).toContain('Study Planner')
      const forged = await visitor.post('/sign-out', { ...fields, form_token: 'x' })
      expectPage(forged, 403)
      const foreign = await visitor.post('/sign-out', fields, { origin: 'https://evil.example' })
      expectPage(foreign, 403)
      expect(await isSignedIn(stage)).toBe(true)
      const answer = await visitor.post('/sign-out', fields)
      expect(answer.headers.location).toBe(`${AFTER}?state=s`)
      expect(await isSignedIn(stage)).toBe(false)
    },
  )

  verifies(
    'logout.asks-first',
    'a link without any parameter asks too, and ends on a page of ours',
    async () => {
      const stage = await aStage()
      for (const path of [LOGOUT, `${LOGOUT}?state=x`, `${LOGOUT}?logout=forged`]) {
        await expectQuestion(stage, await stage.visitor.get(path))
      }
      const fields = await expectQuestion(stage, await stage.visitor.get(LOGOUT))
      const answer = await stage.visitor.post('/sign-out', fields)
      expectPage(answer, 200)
      expect(answer.body).toContain('You are signed out')
      expect(await isSignedIn(stage)).toBe(false)
    },
  )

  test('a browser that is signed out gets a page with a link, never a redirect', async () => {
    const { school, client } = await aStage()
    const asked = { client_id: client.clientId, post_logout_redirect_uri: AFTER, state: 's' }
    const answer = await new Visitor(world, school).get(query(asked))
    expectPage(answer, 200)
    expect(answer.body).toContain(`href="${AFTER}?state=s"`)
  })

  test('the redirect URI is checked again when the person confirms', async () => {
    const stage = await aStage()
    const { school, visitor, client } = stage
    const asked = { client_id: client.clientId, post_logout_redirect_uri: AFTER }
    const fields = await expectQuestion(stage, await visitor.get(query(asked)))
    await school.db
      .update('clients')
      .set({ post_logout_redirect_uris: [] })
      .where('client_id', '=', client.clientId)
      .execute()
    const answer = await visitor.post('/sign-out', fields)
    expect(answer.headers.location).toBeUndefined()
    expect(answer.body).toContain('You are signed out')
    expect(await isSignedIn(stage)).toBe(false)
  })

  test('a request that another school sealed is not taken from the form', async () => {
    const [stage, other] = [await aStage(), await aStage()]
    const asked = { client_id: other.client.clientId, post_logout_redirect_uri: AFTER }
    const foreign = await expectQuestion(other, await other.visitor.get(query(asked)))
    const own = await expectQuestion(stage, await stage.visitor.get(LOGOUT))
    const mixed = { ...own, logout: foreign.logout ?? '' }
    expect((await stage.visitor.post('/sign-out', mixed)).headers.location).toBe('/')
  })
})

describe('attacks on the sign-out', () => {
  verifies(
    'logout.redirect.exact',
    'a post_logout_redirect_uri that is almost right is refused on a page, and nothing changes',
    async () => {
      const stage = await aStage()
      const wrong = [
        `${AFTER}/`,
        `${AFTER}?`,
        `${AFTER}?x=1`,
        `${AFTER}#here`,
        'https://APP.example/signed-out',
        'https://app.example/Signed-Out',
        'https://app.example:443/signed-out',
        'http://app.example/signed-out',
        'https://app.example/%73igned-out',
        'https://app.example.evil.example/signed-out',
        'https://app.example@evil.example/signed-out',
        'https://app.example/bye',
        'http://127.0.0.1:8401/signed-out',
        'http://127.0.0.1/signed-out',
        'http://localhost:8400/signed-out',
        ` ${AFTER}`,
        `${AFTER} ${WITH_QUERY}`,
        'javascript:alert(1)',
        '//evil.example',
        '/account',
        stage.client.redirectUri,
      ]
      for (const uri of wrong) {
        for (const proof of [
          { id_token_hint: stage.idToken },
          { client_id: stage.client.clientId },
        ]) {
          const asked = { ...proof, post_logout_redirect_uri: uri }
          const answer = await stage.visitor.get(query(asked as Record<string, string>))
          const body = await expectRefusal(stage, answer)
          expect(body, uri).toContain('not registered')
        }
      }
    },
  )

  verifies(
    'logout.hint.refused',
    'an ID token of another school, of another client, forged, unsigned or changed is refused, and nothing changes',
    async () => {
      const stage = await aStage()
      const { school, client, visitor, idToken, person } = stage
      const [header = '', payload = '', signature = ''] = idToken.split('.')
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const claims = claimsOf(idToken)
      const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
      const elsewhere = await aStage()
      await world.aMember(elsewhere.school, ['student'], person)
      const foreign = await aPair(world, elsewhere.school, elsewhere.client, person)
      const unsigned = `${encode({ alg: 'none', kid })}.${payload}.`
      const forged: Record<string, string> = {
        'another school': foreign.id_token ?? '',
        'our claims, another school’s key': await signedBy(elsewhere.school, claims),
        'another issuer': await signedBy(school, { ...claims, iss: elsewhere.school.origin }),
        'no audience': await signedBy(school, { ...claims, aud: undefined }),
        'several audiences': await signedBy(school, { ...claims, aud: [client.clientId, 'x'] }),
        'no subject': await signedBy(school, { ...claims, sub: undefined }),
        'alg none': unsigned,
        'alg none with the signature': unsigned + signature,
        'alg HS256': `${encode({ alg: 'HS256', kid })}.${payload}.${signature}`,
        'no kid': `${encode({ alg: 'ES256' })}.${payload}.${signature}`,
        'kid with a NUL': `${encode({ alg: 'ES256', kid: `${kid}\0` })}.${payload}.${signature}`,
        'an unknown kid': `${encode({ alg: 'ES256', kid: 'other' })}.${payload}.${signature}`,
        'a crit header': `${encode({ alg: 'ES256', kid, crit: ['b64'] })}.${payload}.${signature}`,
        'a changed claim': `${header}.${encode({ ...claims, exp: 1 })}.${signature}`,
        'a changed signature': `${header}.${payload}.${'A'.repeat(86)}`,
        'a cut signature': `${header}.${payload}.${signature.slice(0, -1)}`,
        'a fourth part': `${idToken}.x`,
        'an access token': stage.pair.access_token,
        garbage: 'garbage',
      }
      for (const [what, hint] of Object.entries(forged)) {
        const asked = { id_token_hint: hint, post_logout_redirect_uri: AFTER }
        for (const more of [{}, { client_id: client.clientId }]) {
          const body = await expectRefusal(stage, await visitor.get(query({ ...asked, ...more })))
          expect(body, what).toContain('id_token_hint')
        }
      }
    },
  )

  verifies(
    'logout.hint.refused',
    'an ID token with the client_id of another client is refused',
    async () => {
      const stage = await aStage()
      const other = await aClientOf(stage.school)
      const asked = { id_token_hint: stage.idToken, client_id: other.clientId }
      const answer = await stage.visitor.get(query({ ...asked, post_logout_redirect_uri: AFTER }))
      expect(await expectRefusal(stage, answer)).toContain('client_id is not the aud')
    },
  )

  verifies(
    'logout.hint.other-person',
    'an ID token of another person does not sign this one out without a question',
    async () => {
      const stage = await aStage()
      const other = await aStage(stage.school)
      const asked = { id_token_hint: other.idToken, post_logout_redirect_uri: AFTER }
      const fields = await expectQuestion(stage, await stage.visitor.get(query(asked)))
      const crossSite = new Visitor(world, stage.school)
      const sent = await crossSite.post(LOGOUT, asked, { origin: 'https://evil.example' })
      await expectQuestion(stage, await stage.visitor.get(String(sent.headers.location)))
      expect((await stage.visitor.post('/sign-out', fields)).headers.location).toBe(AFTER)
      expect(await isSignedIn(stage)).toBe(false)
      expect(await isSignedIn(other)).toBe(true)
    },
  )

  test('a client that is unknown, of another school, deleted or switched off is refused', async () => {
    const stage = await aStage()
    const { school, visitor, client, idToken } = stage
    const elsewhere = await aStage()
    for (const client_id of ['unknown', elsewhere.client.clientId]) {
      const answer = await visitor.get(query({ client_id, post_logout_redirect_uri: AFTER }))
      expect(await expectRefusal(stage, answer)).toContain('No application')
    }
    const bare = await visitor.get(query({ post_logout_redirect_uri: AFTER }))
    expect(await expectRefusal(stage, bare)).toContain('id_token_hint')
    outputOf(await performByCommandLine(school, disableClient, { client_id: client.clientId }))
    const off = await visitor.get(query({ id_token_hint: idToken }))
    expect(await expectRefusal(stage, off)).toContain('No application')
  })

  test('a repeated, malformed or oversized parameter is refused', async () => {
    const stage = await aStage()
    const { visitor, idToken, client, school } = stage
    const hint = `id_token_hint=${idToken}`
    const uri = `post_logout_redirect_uri=${encodeURIComponent(AFTER)}`
    const wrong = [
      `${hint}&${hint}`,
      `${hint}&${uri}&post_logout_redirect_uri=${encodeURIComponent(WITH_QUERY)}`,
      `${hint}&${uri}&state=1&state=2`,
      `${hint}&state=%ff`,
      `${hint}&state=a%0d%0ab`,
      `client_id=${client.clientId}&client_id=x`,
    ]
    for (const text of wrong) {
      await expectRefusal(stage, await visitor.get(`${LOGOUT}?${text}`))
    }
    // Hashes, because the request is compressed before it is sealed.
    const hash = (n: number) => sha256(String(n)).toString('base64url')
    const state = Array.from({ length: 190 }, (_, n) => hash(n)).join('')
    const fields = { id_token_hint: idToken, post_logout_redirect_uri: AFTER, state }
    const long = await new Visitor(world, school).post(LOGOUT, fields)
    expectPage(long, 414)
    expect(await isSignedIn(stage)).toBe(true)
  })

  test('HEAD, and any method but GET and POST, ends no session', async () => {
    const stage = await aStage()
    const cookie = String((await stage.visitor.get('/account')).raw.req.headers.cookie)
    const path = query({ id_token_hint: stage.idToken })
    for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS'] as const) {
      await getFrom(world, stage.school, path, { cookie }, method)
      expect(await isSignedIn(stage), method).toBe(true)
    }
  })
})

verifies(
  ['logout.where-signed', 'logout.discovery'],
  'the endpoint exists, and is in both documents, only where ID tokens are signed',
  async () => {
    const documents = [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
    ]
    const variants = ['newer', 'older'] as const
    for (const variant of variants) {
      const signs = await world.aSchool({ variant })
      for (const path of documents) {
        const listed = (await getFrom(world, signs, path)).json()
        expect(listed.end_session_endpoint).toBe(`${signs.origin}${LOGOUT}`)
      }
      expect((await getFrom(world, signs, LOGOUT)).statusCode).toBe(200)
      for (const signing of ['none', 'published'] as const) {
        const silent = await world.aSchool({ variant, signing })
        for (const path of documents) {
          expect((await getFrom(world, silent, path)).json()).not.toHaveProperty(
            'end_session_endpoint',
          )
        }
        for (const method of ['GET', 'POST'] as const) {
          const answer = await getFrom(world, silent, LOGOUT, {}, method)
          expect([answer.statusCode, answer.json().error]).toEqual([404, 'not_found'])
          const page = await getFrom(world, silent, LOGOUT, { accept: 'text/html' }, method)
          expect(page.statusCode).toBe(404)
          expect(page.headers['content-type']).toContain('text/html')
          expect(page.body).toContain('only at schools that sign ID tokens')
          expect(page.body).toContain('href="/sign-out"')
          expect(page.body).not.toContain('mistyped')
        }
      }
    }
  },
)

test('a code that was issued before the sign-out can still be exchanged', async () => {
  const stage = await aStage()
  const { school, client, person, visitor, idToken } = stage
  const callback = await authorizeAs(world, school, client, person, { visitor })
  await visitor.get(query({ id_token_hint: idToken }))
  const code = callback.get('code') ?? ''
  const answer = await exchange(world, school, client, code, callback.pkce?.verifier ?? '')
  expect(answer.statusCode).toBe(200)
})
