import { describe, expect, test } from 'vitest'
import { renewSetupCode, SETUP_CODE_TRIES } from '../../src/domain/setup/first-school.ts'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { verifies } from '../spec/verifies.ts'
import { type Answer, hiddenFields } from '../support/browser-like.ts'
import { aWorld, type World, type WorldOptions } from '../support/world.ts'

const ORIGIN = 'http://localhost:3000'
const PASSWORD = 'a quiet lighthouse keeper'

interface Sent {
  readonly remoteAddress?: string
  readonly headers?: Record<string, string>
}

/** A browser at the first-run page of an empty installation. */
class Newcomer {
  readonly world: World
  readonly origin: string
  readonly #sent: Sent
  #cookie = ''

  constructor(world: World, origin = ORIGIN, sent: Sent = {}) {
    this.world = world
    this.origin = origin
    this.#sent = sent
  }

  get(url: string, accept = 'text/html'): Promise<Answer> {
    return this.#send({ method: 'GET', url, headers: { accept } })
  }

  /** Opens the page and sends its form. */
  async make(
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const page = await this.get('/setup')
    const filled = { ...ready(this.origin), ...hiddenFields(page.body, '/setup'), ...fields }
    return await this.post(filled, headers)
  }

  post(
    fields: Record<string, string>,
    headers: Record<string, string> = {},
    url = '/setup',
  ): Promise<Answer> {
    return this.#send({
      method: 'POST',
      url,
      headers: {
        origin: this.origin,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'text/html',
        ...headers,
      },
      payload: new URLSearchParams(fields).toString(),
    })
  }

  async #send(request: {
    method: 'GET' | 'POST'
    url: string
    headers: Record<string, string>
    payload?: string
  }): Promise<Answer> {
    const { remoteAddress = '127.0.0.1', headers } = this.#sent
    const answer = await this.world.app.inject({
      ...request,
      remoteAddress,
      headers: {
        host: new URL(this.origin).host,
        ...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
        ...headers,
        ...request.headers,
      },
    })
    const [cookie] = answer.cookies
    if (cookie !== undefined) this.#cookie = `${cookie.name}=${cookie.value}`
    return answer
  }
}

const ready = (origin: string) => ({
  school_name: 'North School',
  origin,
  subdomain: 'north',
  name: 'Grace Keeper',
  email: 'grace@north.test',
  password: PASSWORD,
})

async function anEmptyInstallation(options: WorldOptions = {}) {
  const world = await aWorld(options)
  const code = await renewSetupCode(world.database.db)
  if (code === undefined) throw new Error('the installation is not empty')
  return { world, code }
}

async function countSchools({ database }: World): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>('select count(*)::int n from schools')
  return rows[0]?.n ?? -1
}

describe('an installation without a school', () => {
  verifies(
    'setup.page',
    'leads every browser to its first-run page, and tells programs where it is',
    async () => {
      const { world } = await anEmptyInstallation()
      const visitor = new Newcomer(world)
      for (const url of ['/', '/admin', '/sign-in?x=1']) {
        const answer = await visitor.get(url)
        expect([answer.statusCode, answer.headers.location]).toEqual([303, '/setup'])
      }
      const told = await visitor.get('/api/v1/courses', 'application/json')
      expect(told.statusCode).toBe(404)
      expect(told.json().error_description).toContain('/setup')
      const page = await visitor.get('/setup')
      expect(page.statusCode).toBe(200)
      expect(page.body).toContain(`value="${ORIGIN}"`)
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      const stylesheet = /href="(\/assets\/[^"]*\.css)"/.exec(page.body)?.[1] ?? ''
      expect((await visitor.get(stylesheet)).statusCode).toBe(200)
    },
  )

  verifies(
    'setup.first-school',
    'the code from the log makes the first school and its owner, who signs in to the admin area',
    async () => {
      const { world, code } = await anEmptyInstallation()
      const visitor = new Newcomer(world)
      const made = await visitor.make({ code: code.toLowerCase().replaceAll('-', ' ') })
      expect([made.statusCode, made.headers.location]).toEqual([
        303,
        '/sign-in?new_school&return_to=%2Fadmin',
      ])
      const page = await visitor.get('/sign-in?new_school&return_to=%2Fadmin')
      expect(page.body).toContain('The school is ready')
      expect(page.body).toContain('Under Signing keys make a key')
      const hidden = hiddenFields(page.body, '/sign-in')
      const credentials = { email: 'grace@north.test', password: PASSWORD }
      const signedIn = await visitor.post({ ...hidden, ...credentials }, {}, '/sign-in')
      expect([signedIn.statusCode, signedIn.headers.location]).toEqual([303, '/admin'])
      const { rows } = await world.database.pool.query(
        "select action, detail->>'via' as via from audit_entries where action = 'school.created'",
      )
      expect(rows).toEqual([{ action: 'school.created', via: 'setup' }])
    },
  )

  test('a school at another address gets a page with a link there', async () => {
    const { world, code } = await anEmptyInstallation()
    const made = await new Newcomer(world).make({ code, origin: 'https://North.example/' })
    expect(made.statusCode).toBe(200)
    expect(made.body).toContain('https://north.example/sign-in?return_to=%2Fadmin')
    expect(made.body).toContain('Under Signing keys make a key')
  })

  test('a mistyped field costs no try, and neither code nor password is repeated', async () => {
    const { world, code } = await anEmptyInstallation()
    const visitor = new Newcomer(world)
    const wrong: [string, string][] = [
      ['school_name', ''],
      ['school_name', '\u202e'],
      ['origin', 'http://north.example'],
      ['origin', 'nonsense'],
      ['subdomain', 'North!'],
      ['name', ''],
      ['email', 'grace'],
      ['password', 'short'],
      ['code', ''],
    ]
    for (const [field, value] of wrong) {
      const answer = await visitor.make({ code, [field]: value })
      expect(answer.statusCode, field).toBe(400)
      expect(answer.body).toContain(`id="${field}-error"`)
      expect(answer.body).not.toContain(code)
      expect(answer.body).not.toContain(PASSWORD)
    }
    expect((await visitor.make({ code })).statusCode).toBe(303)
  })
})

describe('attacks on the first-run page', () => {
  verifies(
    'setup.tries',
    'guesses: five in all, also at once, then even the right code is refused until there is a new one',
    async () => {
      const { world, code } = await anEmptyInstallation()
      const visitor = new Newcomer(world)
      const page = await visitor.get('/setup')
      const fields = { ...ready(ORIGIN), ...hiddenFields(page.body, '/setup') }
      const guesses = Array.from({ length: 12 }, (_, i) =>
        visitor.post({ ...fields, code: `AAAA-AAAA-${2000 + i}` }),
      )
      const answers = await Promise.all(guesses)
      expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 403))
      const told = answers.filter(({ body }) => body.includes('This is not the setup code'))
      expect(told).toHaveLength(SETUP_CODE_TRIES - 1)
      const late = await visitor.make({ code })
      expect(late.statusCode).toBe(403)
      expect(late.body).toContain('npx schoolgate setup-code')
      expect(await countSchools(world)).toBe(0)
      const fresh = (await renewSetupCode(world.database.db)) ?? ''
      expect((await visitor.make({ code })).statusCode).toBe(403)
      expect((await visitor.make({ code: fresh })).statusCode).toBe(303)
    },
  )

  verifies('setup.expires', 'an old log: the code ends after thirty minutes', async () => {
    const { world, code } = await anEmptyInstallation()
    const age = (minutes: number) =>
      world.database.pool.query(
        'update setup_codes set made_at = now() - make_interval(mins => $1)',
        [minutes],
      )
    await age(31)
    expect((await new Newcomer(world).make({ code })).statusCode).toBe(403)
    await age(29)
    expect((await new Newcomer(world).make({ code })).statusCode).toBe(303)
  })

  verifies(
    'setup.one-school',
    'a race: of twenty posts with the right code one makes a school, and afterwards the page is gone',
    async () => {
      const { world, code } = await anEmptyInstallation()
      const visitor = new Newcomer(world)
      const page = await visitor.get('/setup')
      const hidden = hiddenFields(page.body, '/setup')
      const posts = Array.from({ length: 20 }, (_, i) =>
        visitor.post({
          ...ready(ORIGIN),
          ...hidden,
          code,
          subdomain: `s${i}`,
          email: `a${i}@x.test`,
        }),
      )
      const statuses = (await Promise.all(posts)).map(({ statusCode }) => statusCode)
      expect(statuses.filter((status) => status === 303)).toHaveLength(1)
      // The other four tries lose the race; the rest come too late for a try.
      expect(
        statuses.filter((status) => status !== 303 && status !== 403 && status !== 404),
      ).toEqual([])
      expect(await countSchools(world)).toBe(1)
      const { rows } = await world.database.pool.query('select from users')
      expect(rows).toHaveLength(1)
      for (const origin of [ORIGIN, 'http://other.localhost:3000']) {
        const later = new Newcomer(world, origin)
        expect((await later.get('/setup')).statusCode).toBe(404)
        expect((await later.post({ ...ready(ORIGIN), ...hidden, code })).statusCode).toBe(404)
        expect((await later.post({}, { 'content-type': 'text/plain' })).statusCode).toBe(404)
      }
    },
  )

  verifies(
    'setup.https',
    'a listener on the network: without https the page is only for browsers on this machine',
    async () => {
      const trust = parseTrustProxy('10.0.0.1')
      const { world, code } = await anEmptyInstallation({ trust })
      const remote = '192.0.2.7'
      const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': remote }
      const refused = [
        new Newcomer(world, 'http://north.example'),
        new Newcomer(world, 'http://north.test', { remoteAddress: remote }),
        // Only the name is local: a caller on the network can send any Host.
        new Newcomer(world, ORIGIN, { remoteAddress: remote }),
        // A caller that says so itself is no trusted proxy.
        new Newcomer(world, 'http://north.example', { remoteAddress: remote, headers: forwarded }),
        // The proxy is trusted, and says that the browser is elsewhere.
        new Newcomer(world, ORIGIN, {
          remoteAddress: '10.0.0.1',
          headers: { 'x-forwarded-for': remote, 'x-forwarded-proto': 'http' },
        }),
      ]
      for (const visitor of refused) {
        const page = await visitor.get('/setup')
        expect(page.statusCode).toBe(403)
        expect(page.body).toContain('TRUST_PROXY')
        const answer = await visitor.post({ ...ready(visitor.origin), code })
        expect(answer.statusCode).toBe(403)
      }
      expect(await countSchools(world)).toBe(0)
      const proxied = new Newcomer(world, 'https://north.example', {
        remoteAddress: '10.0.0.1',
        headers: forwarded,
      })
      expect((await proxied.make({ code })).statusCode).toBe(303)
    },
  )

  test('another site posts the form, or a page that this browser never opened: refused', async () => {
    const { world, code } = await anEmptyInstallation()
    const visitor = new Newcomer(world)
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of foreign) {
      expect((await visitor.make({ code }, headers)).statusCode).toBe(403)
    }
    const blind = new Newcomer(world)
    expect((await blind.post({ ...ready(ORIGIN), code })).statusCode).toBe(403)
    const { rows } = await world.database.pool.query('select tries from setup_codes')
    expect(rows).toEqual([{ tries: 0 }])
    expect(await countSchools(world)).toBe(0)
  })

  test('a reader of pages or of the access log does not find the code', async () => {
    const lines: string[] = []
    const { world, code } = await anEmptyInstallation({
      log: { write: (line) => void lines.push(line) },
    })
    const visitor = new Newcomer(world)
    const pages = [
      await visitor.get('/setup'),
      await visitor.make({ code: `${code}X` }),
      await visitor.make({ code, email: '' }),
      await visitor.make({ code }),
    ]
    expect(pages.map(({ statusCode }) => statusCode)).toEqual([200, 403, 400, 303])
    for (const { body } of pages) expect(body).not.toContain(code)
    const log = lines.join('')
    expect(log).toContain('/setup')
    for (const secret of [code, PASSWORD, 'grace@north.test']) expect(log).not.toContain(secret)
  })

  verifies(
    'setup.shared',
    'several processes on one database share the code, its tries and the end of the page',
    async () => {
      const { world, code } = await anEmptyInstallation()
      const other = await aWorld({ connection: world.database.connection })
      expect((await new Newcomer(other).make({ code: 'AAAA-AAAA-AAAA' })).body).toContain('4 tries')
      expect((await new Newcomer(world).make({ code: 'AAAA-AAAA-AAAA' })).body).toContain('3 tries')
      expect((await new Newcomer(other).make({ code })).statusCode).toBe(303)
      expect((await new Newcomer(world).get('/setup')).statusCode).toBe(404)
      expect(await renewSetupCode(world.database.db)).toBeUndefined()
    },
  )
})
