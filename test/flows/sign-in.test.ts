import { describe, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { verifies } from '../spec/verifies.ts'
import {
  aSetup,
  ask,
  expectPage,
  expectPageHeaders,
  locationOf,
  signedIn,
} from '../support/authorization.ts'
import { type Answer, hiddenFields, Visitor } from '../support/browser-like.ts'
import { aWorld, PASSWORD, type TestSchool, World } from '../support/world.ts'

const world = await aWorld({ realHashes: true })
const setup = await aSetup(world)
const { school, person } = setup

/** Removes what differs each time the same page is shown. */
const withoutNonces = (body: string, ...typed: string[]): string =>
  typed
    .reduce((text, word) => text.replaceAll(word, 'TYPED'), body)
    .replace(/name="(form_token|passkey_challenge)" value="[^"]*"/g, 'name="$1"')
    .replace(/&quot;challenge&quot;:&quot;[\w-]{43}&quot;/, 'CHALLENGE')

const sessionsOf = async (at: TestSchool) =>
  await at.db.from('browser_sessions').select(['id', 'user_id', 'device']).execute()

/** The same application, configured to trust a proxy on this machine. */
function behindProxy(): World {
  const { context, database } = world
  const logger = createLogger({ level: 'silent' })
  const app = buildApp({
    context,
    logger,
    trust: parseTrustProxy('loopback'),
    readiness: async () => [],
  })
  onTestFinished(() => app.close())
  return new World(app, database, context)
}

function sessionCookieOf(answer: Answer) {
  return answer.cookies.find(({ name }) => !name.includes('form'))
}

describe('the form', () => {
  verifies(
    ['pages.sign-in.form', 'pages.security.headers', 'pages.security.303', 'rfc9700.no-307'],
    'asks for email and password, and continues by 303 to the pending authorization',
    async () => {
      const visitor = new Visitor(world, school)
      const page = await visitor.follow(await ask(setup, {}, visitor))
      expectPage(page, 200)
      expect(page.body.match(/<form\b/g)).toHaveLength(1)
      expect(page.body.match(/<input [^>]*name="(email|password)"/g)).toHaveLength(2)
      const answer = await visitor.signIn(page, person)
      expect(locationOf(answer)).toMatch(/^\/consent\?request=[A-Za-z0-9_-]+$/)
    },
  )

  test('without an authorization leads members to their home, and owners and admins to the admin area', async () => {
    const homes = [
      [['student'], '/account'],
      [['lecturer'], '/account'],
      [['owner'], '/admin'],
      [['student', 'admin'], '/admin'],
    ] as const
    for (const [roles, home] of homes) {
      const visitor = new Visitor(world, school)
      const member = await world.aMember(school, [...roles])
      const answer = await visitor.signIn(await visitor.get('/sign-in'), member)
      expect(locationOf(answer)).toBe(home)
      const asked = await visitor.signIn(await visitor.get('/sign-in?return_to=%2Faccount'), member)
      expect(locationOf(asked)).toBe('/account')
    }
  })

  test('an owner of another school has no admin area here', async () => {
    const stranger = await world.aMember(await world.aSchool(), ['owner'])
    const visitor = new Visitor(world, school)
    const answer = await visitor.signIn(await visitor.get('/sign-in'), stranger)
    expect(locationOf(answer)).toBe('/account')
  })

  test('empty fields are reported, and nothing is counted or looked up', async () => {
    const visitor = new Visitor(world, school)
    const fields = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
    const statements = await world.database.statementsOf(async () => {
      expectPage(await visitor.post('/sign-in', { ...fields, email: '', password: 'x' }), 400)
      expectPage(await visitor.post('/sign-in', { ...fields, email: 'a@b.test' }), 400)
    })
    expect(statements).toEqual([])
  })

  test('case and outer spaces of the email are ignored', async () => {
    const visitor = new Visitor(world, school)
    const email = `  ${person.email.toUpperCase()} `
    const answer = await visitor.signIn(await visitor.get('/sign-in'), { ...person, email })
    expect(answer.statusCode).toBe(303)
  })

  test('an email with a look-alike Unicode character is another email', async () => {
    const visitor = new Visitor(world, school)
    const email = person.email.replace('p', 'ｐ')
    const answer = await visitor.signIn(await visitor.get('/sign-in'), { ...person, email })
    expectPage(answer, 401)
  })
})

describe('bad input', () => {
  const tryWith = async (email: string, password: string) => {
    const visitor = new Visitor(world, school)
    return await visitor.signIn(await visitor.get('/sign-in'), { ...person, email }, password)
  }
  const cases: Record<string, [string, string]> = {
    'a password of 2 KB': [person.email, 'x'.repeat(2048)],
    'the right password and 2 KB of spaces': [person.email, PASSWORD + ' '.repeat(2048)],
    'null bytes in the email': ['a\0b@people.test', PASSWORD],
    'a null byte after the right email': [`${person.email}\0`, PASSWORD],
    'a null byte after the right password': [person.email, `${PASSWORD}\0`],
    'an email of 20 KB': [`${'x'.repeat(20_000)}@people.test`, PASSWORD],
    'an email that is SQL': ["' or 1=1 --", PASSWORD],
    'a pattern for an email': ['%@%', PASSWORD],
  }
  for (const [what, [email, password]] of Object.entries(cases)) {
    verifies('pages.sign-in.no-oracle', `${what} is refused like any other`, async () => {
      const before = await sessionsOf(school)
      const answer = await tryWith(email, password)
      expectPage(answer, 401)
      expect(answer.body).toContain('do not match')
      expect(sessionCookieOf(answer)).toBeUndefined()
      expect(await sessionsOf(school)).toEqual(before)
    })
  }

  test('a form beyond 64 KB is 413, one of another type 415, none at all 400', async () => {
    const visitor = new Visitor(world, school)
    const fields = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
    const huge = { ...fields, email: 'x'.repeat(70_000), password: 'x' }
    expectPage(await visitor.post('/sign-in', huge), 413)
    expectPage(await visitor.post('/sign-in', fields, { 'content-type': 'text/plain' }), 415)
    const none = await world.app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { host: new URL(school.origin).host },
    })
    expectPage(none, 400)
  })
})

verifies(
  'pages.sign-in.no-oracle',
  'a wrong password, an unknown account and one without a password get the same answer at the same cost',
  async () => {
    const visitor = new Visitor(world, school)
    const passwordless = await world.aPerson()
    await world.database.pool.query('update users set password_hash = null where id = $1', [
      passwordless.id,
    ])
    const known = await world.aPerson()
    const unknown = { ...known, email: 'unknown@people.test' }
    const tries = []
    for (const who of [known, unknown, passwordless]) {
      const page = await visitor.get('/sign-in')
      let answer: Answer | undefined
      const statements = await world.database.statementsOf(async () => {
        answer = await visitor.signIn(page, who, 'not the password')
      })
      const { statusCode, body = '', headers } = answer ?? {}
      tries.push({
        statusCode,
        body: withoutNonces(body, who.email),
        names: Object.keys(headers ?? {}).filter((name) => name !== 'content-length'),
        statements,
      })
    }
    expect(tries[0]?.statusCode).toBe(401)
    expect(tries[1]).toEqual(tries[0])
    expect(tries[2]).toEqual(tries[0])
  },
)

verifies('pages.sign-in.argon2id', 'passwords are stored as argon2id hashes', async () => {
  const { rows } = await world.database.pool.query<{ password_hash: string }>(
    'select password_hash from users where id = $1',
    [person.id],
  )
  expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

describe('sessions', () => {
  verifies(
    'pages.session.rotated',
    'a session cookie that an attacker planted before sign-in is useless afterwards, also its form token',
    async () => {
      const own = await aSetup(world)
      const attacker = await signedIn(own)
      const victim = await own.world.aMember(own.school)
      // The browser of the victim has the cookie of the attacker when the victim signs in.
      const [planted] = await sessionsOf(own.school)
      const page = await attacker.visitor.get('/sign-in')
      const answer = await attacker.visitor.signIn(page, victim)
      const sessions = await sessionsOf(own.school)
      expect(sessions.map(({ user_id }) => user_id)).toEqual([victim.id])
      expect(sessions[0]?.id).not.toBe(planted?.id)
      expect(sessionCookieOf(answer)?.value).toBeDefined()
      // The consent form of the earlier session is refused.
      expectPage(await attacker.visitor.decide(attacker.page, 'allow'), 403)
    },
  )

  test('a made-up cookie, one of an ended session and one of another school are not accepted', async () => {
    const { visitor } = await signedIn(setup)
    const answer = await visitor.signIn(await visitor.get('/sign-in'), person)
    const { name = '', value = '' } = sessionCookieOf(answer) ?? {}
    const other = await world.aSchool()
    const asks = async (at: TestSchool, cookie: string) =>
      await world.app.inject({
        url: `/oauth/authorize?${await silentQuery(at)}`,
        headers: { host: new URL(at.origin).host, cookie },
      })
    const silentQuery = async (at: TestSchool) => {
      const client = await world.aPublicClient(at)
      return new URLSearchParams({
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        scope: 'openid',
        resource: at.origin,
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
        prompt: 'none',
      })
    }
    const errorAt = async (at: TestSchool, cookie: string) =>
      new URL(String((await asks(at, cookie)).headers.location)).searchParams.get('error')
    expect(await errorAt(school, `${name}=${value}`)).toBe('consent_required')
    expect(await errorAt(school, `${name}=${value.slice(0, -4)}AAAA`)).toBe('login_required')
    expect(await errorAt(school, `${name}=${value}; ${name}=planted`)).toBe('login_required')
    expect(await errorAt(school, `${name}=`)).toBe('login_required')
    expect(await errorAt(other, `${name}=${value}`)).toBe('login_required')
    await world.database.pool.query(
      "update browser_sessions set expires_at = now() - interval '1 minute'",
    )
    expect(await errorAt(school, `${name}=${value}`)).toBe('login_required')
  })

  verifies(
    'pages.session.cookie-http',
    'on http the cookie is HttpOnly, Lax, without a domain, and named with the port',
    async () => {
      const visitor = new Visitor(world, school)
      const answer = await visitor.signIn(await visitor.get('/sign-in'), person)
      expect(answer.headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^schoolgate-80=[A-Za-z0-9_-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
        ),
        expect.stringMatching(
          /^schoolgate-device-80=[A-Za-z0-9_.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
        ),
      ])
    },
  )

  verifies(
    'pages.session.cookie-https',
    'on https all cookies have the __Host- prefix and are Secure, and HSTS is sent',
    async () => {
      const secure = await world.aSchool()
      const origin = secure.origin.replace('http:', 'https:')
      await world.database.pool.query('update schools set origin = $2 where id = $1', [
        secure.id,
        origin,
      ])
      world.context.directory.forget()
      const proxied = behindProxy()
      const visitor = new Visitor(proxied, { ...secure, origin })
      const headers = { 'x-forwarded-proto': 'https' }
      const page = await visitor.get('/sign-in', headers)
      expect(String(page.headers['set-cookie'])).toMatch(
        /^__Host-schoolgate-form=[A-Za-z0-9_-]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      )
      const fields = { ...hiddenFields(page.body, '/sign-in'), email: person.email }
      const answer = await visitor.post('/sign-in', { ...fields, password: PASSWORD }, headers)
      expect(answer.headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-schoolgate=[A-Za-z0-9_-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/,
        ),
        expect.stringMatching(
          /^__Host-schoolgate-device=[A-Za-z0-9_.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/,
        ),
      ])
      expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d+$/)
    },
  )

  test('the device is stored as a short name, never as the sent header', async () => {
    const own = await aSetup(world)
    const visitor = new Visitor(world, own.school)
    const page = await visitor.get('/sign-in')
    const fields = { ...hiddenFields(page.body, '/sign-in'), email: own.person.email }
    const agent = 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 <script>'
    await visitor.post('/sign-in', { ...fields, password: PASSWORD }, { 'user-agent': agent })
    expect((await sessionsOf(own.school))[0]?.device).toBe('Chrome on Windows')
  })
})

describe('two apps connected at once', () => {
  test('the second tab can sign in after the first did', async () => {
    const own = await aSetup(world)
    const visitor = new Visitor(world, own.school)
    const tabs = [
      await visitor.follow(await ask(own, { state: 'one' }, visitor)),
      await visitor.follow(await ask(own, { state: 'two' }, visitor)),
    ]
    for (const [index, tab] of tabs.entries()) {
      const consent = await visitor.follow(await visitor.signIn(tab, own.person))
      const location = locationOf(await visitor.decide(consent, 'allow'))
      expect(new URL(location).searchParams.get('state')).toBe(['one', 'two'][index])
    }
    expect(await sessionsOf(own.school)).toHaveLength(1)
  })

  test('a signed-in person who opens the sign-in page again continues to consent', async () => {
    const { visitor } = await signedIn(setup)
    const first = locationOf(await ask(setup, {}))
    expect(locationOf(await visitor.get(first))).toBe(first.replace('/sign-in', '/consent'))
    const again = locationOf(await ask(setup, { prompt: 'login' }, visitor))
    expectPage(await visitor.get(again), 200)
  })
})

describe('signing out', () => {
  test('ends the session, and leads back to sign in as another person', async () => {
    const own = await aSetup(world)
    const { visitor, page } = await signedIn(own)
    const answer = await visitor.post('/sign-out', hiddenFields(page.body, '/sign-out'))
    expect(locationOf(answer)).toMatch(/^\/sign-in\?request=/)
    expect(String(answer.headers['set-cookie'])).toContain('Max-Age=0')
    expect(await sessionsOf(own.school)).toEqual([])
    const anotherPerson = await world.aMember(own.school)
    const signIn = await visitor.follow(answer)
    const consent = await visitor.follow(await visitor.signIn(signIn, anotherPerson))
    expect(consent.body).toContain(anotherPerson.email)
    expect(locationOf(await visitor.decide(consent, 'allow'))).toContain('code=')
  })

  test('cannot redirect to another site', async () => {
    for (const request of ['//evil.example', 'x&y=z', 'a\r\nb: c', '\ud800', 'x'.repeat(9000)]) {
      const { visitor, page } = await signedIn(setup)
      const { form_token = '' } = hiddenFields(page.body, '/sign-out')
      const answer = await visitor.post('/sign-out', { form_token, request })
      expect(locationOf(answer)).toBe('/')
    }
  })

  test('twice, in two tabs, is not an error', async () => {
    const { visitor, page } = await signedIn(setup)
    const { form_token = '' } = hiddenFields(page.body, '/sign-out')
    expect(locationOf(await visitor.post('/sign-out', { form_token }))).toBe('/')
    expect(locationOf(await visitor.post('/sign-out', { form_token }))).toBe('/')
  })

  test('by a post without a cookie does not clear the cookie of the browser', async () => {
    const { visitor, page } = await signedIn(setup)
    const stranger = new Visitor(world, setup.school)
    const forged = await stranger.post('/sign-out', {}, { origin: setup.school.origin })
    expect(forged.headers['set-cookie']).toBeUndefined()
    expectPage(await stranger.post('/sign-out', {}, { origin: 'https://evil.example' }), 403)
    expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
  })

  test('by another site does nothing', async () => {
    const { visitor, page } = await signedIn(setup)
    const fields = hiddenFields(page.body, '/sign-out')
    const forged = await visitor.post('/sign-out', fields, { origin: 'https://evil.example' })
    expectPageHeaders(forged)
    expectPage(forged, 403)
    expectPage(await visitor.post('/sign-out', {}), 403)
    expect(locationOf(await visitor.decide(page, 'allow'))).toContain('code=')
  })
})
