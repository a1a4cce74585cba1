import { type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { verifies } from '../spec/verifies.ts'
import { aPkce, authorizeParameters, hiddenFields } from '../support/browser-like.ts'
import { portOf } from '../support/raw-http.ts'
import { aPlainProxy, aTlsProxy, PROXY_CA } from '../support/tls-proxy.ts'
import { aWorld, PASSWORD, type TestSchool, type World } from '../support/world.ts'

/** The whole application behind a proxy that serves TLS, over real sockets. */

const world = await aWorld({ trust: parseTrustProxy('loopback') })
let school: TestSchool
let appPort: number
let tlsPort: number
let plainPort: number

beforeAll(async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  appPort = portOf(world.app.server)
  tlsPort = await aTlsProxy(appPort)
  plainPort = await aPlainProxy(appPort)
  school = await moved(world, await world.aSchool(), `https://localhost:${tlsPort}`)
})

async function moved(at: World, made: TestSchool, origin: string): Promise<TestSchool> {
  await at.database.pool.query('update schools set origin = $2 where id = $1', [made.id, origin])
  at.context.directory.forget()
  return { ...made, origin }
}

interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly cookies: readonly string[]
  readonly body: string
}

interface Sending {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly over?: { port: number; tls: boolean }
}

function send(path: string, sending: Sending = {}): Promise<Got> {
  const { method = 'GET', headers = {}, body, over = { port: tlsPort, tls: true } } = sending
  const options = { host: '127.0.0.1', port: over.port, method, path, agent: false, headers }
  return new Promise((resolve, reject) => {
    const sent = over.tls
      ? tlsRequest({ ...options, ca: PROXY_CA, servername: 'localhost' })
      : plainRequest(options)
    sent.on('error', reject)
    sent.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('error', reject).on('end', () => {
        const { statusCode: status = 0, headers: told } = answer
        resolve({ status, headers: told, cookies: told['set-cookie'] ?? [], body: text })
      })
    })
    sent.end(body)
  })
}

/** Keeps cookies as a browser does: only what the attributes of each one allow. */
class Jar {
  readonly #kept = new Map<string, string>()

  async visit(path: string, sending: Sending = {}): Promise<Got> {
    const cookie = [...this.#kept].map(([name, value]) => `${name}=${value}`).join('; ')
    const host = new URL(school.origin).host
    const headers = { host, accept: 'text/html', ...(cookie && { cookie }), ...sending.headers }
    const got = await send(path, { ...sending, headers })
    for (const line of got.cookies) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0(;|$)/.test(line)) this.#kept.delete(name)
      else this.#kept.set(name, value)
    }
    return got
  }

  post(path: string, fields: Record<string, string>): Promise<Got> {
    return this.visit(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: school.origin },
      body: new URLSearchParams(fields).toString(),
    })
  }
}

const HSTS = 'max-age=31536000'

describe('https behind a proxy', () => {
  verifies(
    ['house.origin.https-proxy', 'pages.session.cookie-https'],
    'the code flow runs over TLS with __Host- cookies and HSTS on every page and redirect',
    async () => {
      const [client, person] = [await world.aPublicClient(school), await world.aMember(school)]
      const pkce = aPkce()
      const jar = new Jar()
      const seen: Got[] = []
      const visit = async (path: string) => {
        const got = await jar.visit(path)
        seen.push(got)
        return got
      }
      const asked = await visit(`/oauth/authorize?${authorizeParameters(school, client, pkce)}`)
      const page = await visit(String(asked.headers.location))
      const signedIn = await jar.post('/sign-in', {
        ...hiddenFields(page.body, '/sign-in'),
        email: person.email,
        password: PASSWORD,
      })
      const consent = await visit(String(signedIn.headers.location))
      const allowed = await jar.post('/consent', {
        ...hiddenFields(consent.body, '/consent'),
        decision: 'allow',
      })
      seen.push(signedIn, allowed)
      for (const got of seen) expect(got.headers['strict-transport-security']).toBe(HSTS)
      const cookies = seen.flatMap((got) => got.cookies)
      expect(cookies.length).toBeGreaterThan(1)
      for (const cookie of cookies) {
        expect(cookie).toMatch(/^__Host-schoolgate[a-z-]*=/)
        expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure/)
        expect(cookie).not.toMatch(/domain/i)
      }
      const callback = new URL(String(allowed.headers.location)).searchParams
      expect(callback.get('iss')).toBe(school.origin)
      const exchanged = await send('/api/oauth/token', {
        method: 'POST',
        headers: {
          host: new URL(school.origin).host,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: client.clientId,
          code: callback.get('code') ?? '',
          code_verifier: pkce.verifier,
          redirect_uri: client.redirectUri,
          resource: school.origin,
        }).toString(),
      })
      expect(exchanged.status).toBe(200)
      const { id_token: idToken, access_token: token } = JSON.parse(exchanged.body)
      expect(decodeJwt(idToken).iss).toBe(school.origin)
      const userinfo = await send('/api/oauth/userinfo', {
        headers: { host: new URL(school.origin).host, authorization: `Bearer ${token}` },
      })
      expect(JSON.parse(userinfo.body).sub).toBe(person.id)
    },
  )

  test('every URL in the metadata is https', async () => {
    const { host } = new URL(school.origin)
    const got = await send('/.well-known/openid-configuration', { headers: { host } })
    // The values of acr are names that only look like addresses.
    const { acr_values_supported: _names, ...metadata } = JSON.parse(got.body)
    const urls = JSON.stringify(metadata).match(/"https?:\/\/[^"]*"/g) ?? []
    expect(urls.length).toBeGreaterThan(5)
    expect(urls.filter((url) => !url.startsWith(`"${school.origin}`))).toEqual([])
  })

  verifies(
    'house.origin.https-proxy',
    'the same host without TLS is another origin: no page, no cookie, no token',
    async () => {
      const { host } = new URL(school.origin)
      for (const path of ['/sign-in', '/oauth/authorize', '/.well-known/openid-configuration']) {
        const got = await send(path, { headers: { host }, over: { port: plainPort, tls: false } })
        expect(got.status, path).toBe(404)
        expect(got.cookies).toEqual([])
      }
    },
  )

  verifies(
    'house.origin.forwarded-headers',
    'a caller that sends forwarded headers itself changes nothing, through the proxy or beside it',
    async () => {
      const other = await world.aSchool()
      const forged = {
        'x-forwarded-host': new URL(other.origin).host,
        'x-forwarded-proto': 'http',
        'x-forwarded-for': '203.0.113.9',
        forwarded: `host=${new URL(other.origin).host};proto=http`,
      }
      const { host } = new URL(school.origin)
      const path = '/.well-known/oauth-authorization-server'
      const through = await send(path, { headers: { host, ...forged } })
      expect(JSON.parse(through.body).issuer).toBe(school.origin)
      const untrusting = await aWorld({ connection: world.database.connection })
      await untrusting.app.listen({ port: 0, host: '127.0.0.1' })
      const beside = await send(path, {
        headers: { host, 'x-forwarded-host': host, 'x-forwarded-proto': 'https' },
        over: { port: portOf(untrusting.app.server), tls: false },
      })
      expect(beside.status).toBe(404)
    },
  )

  test('two proxies in a row that agree are believed; lists that disagree are refused', async () => {
    const { host } = new URL(school.origin)
    const path = '/.well-known/oauth-authorization-server'
    const direct = (headers: Record<string, string>) =>
      send(path, { headers: { host, ...headers }, over: { port: appPort, tls: false } })
    const agreeing = { 'x-forwarded-host': `${host}, ${host}`, 'x-forwarded-proto': 'https, https' }
    expect((await direct(agreeing)).status).toBe(200)
    const disagreeing = [
      { 'x-forwarded-host': `evil.test, ${host}`, 'x-forwarded-proto': 'https' },
      { 'x-forwarded-host': host, 'x-forwarded-proto': 'http, https' },
    ]
    for (const headers of disagreeing) expect((await direct(headers)).status).toBe(400)
  })
})
