import { expect, onTestFinished, vi } from 'vitest'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { listenForSchoolChanges } from '../../src/start/server.ts'
import { verifies } from '../spec/verifies.ts'
import { eventually } from '../support/eventually.ts'
import { aWorld, type TestSchool, type World } from '../support/world.ts'

const METADATA = '/.well-known/oauth-authorization-server'

async function issuerAt(
  world: World,
  headers: Record<string, string>,
): Promise<{ status: number; issuer: unknown }> {
  const answer = await world.app.inject({ method: 'GET', url: METADATA, headers })
  const body = answer.json() as { issuer?: unknown }
  return { status: answer.statusCode, issuer: body.issuer }
}

const hostOf = (school: TestSchool): string => new URL(school.origin).host

verifies(
  ['house.origin.per-school', 'house.origin.same-interface'],
  'every school answers at its own origin, with the same endpoints',
  async () => {
    const world = await aWorld()
    const schools = [await world.aSchool(), await world.aSchool({ variant: 'older' })]
    for (const school of schools) {
      expect((await issuerAt(world, { host: hostOf(school) })).issuer).toBe(school.origin)
      for (const url of ['/sign-in', METADATA, '/.well-known/oauth-protected-resource/mcp']) {
        const headers = { host: hostOf(school) }
        expect((await world.app.inject({ url, headers })).statusCode).toBe(200)
      }
    }
  },
)

verifies(
  'house.origin.unknown-host',
  'an unknown host gets 404 as JSON or as a page, on any path',
  async () => {
    const world = await aWorld()
    await world.aSchool()
    for (const url of ['/', METADATA, '/api/oauth/userinfo', '/mcp', '/member/graphql']) {
      const headers = { host: 'nobody.test', accept: 'application/json' }
      const method = url === '/mcp' || url === '/member/graphql' ? 'POST' : 'GET'
      const answer = await world.app.inject({ method, url, headers })
      expect(answer.statusCode).toBe(404)
      expect(answer.json().error).toBe('unknown_school')
    }
    const page = await world.app.inject({
      url: '/sign-in',
      headers: { host: 'nobody.test', accept: 'text/html' },
    })
    expect(page.statusCode).toBe(404)
    expect(page.body).toContain('There is no school here')
    const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.body) ?? []
    const style = await world.app.inject({ url: sheet, headers: { host: 'nobody.test' } })
    expect([style.statusCode, style.headers['content-type']]).toEqual([
      200,
      'text/css; charset=utf-8',
    ])
  },
)

verifies('house.origin.malformed-host', 'a malformed Host header is refused', async () => {
  const world = await aWorld()
  const school = await world.aSchool()
  for (const host of [`me@${hostOf(school)}`, `${hostOf(school)}:99999`, 'a b', '%00']) {
    expect((await issuerAt(world, { host })).status).toBe(400)
  }
  const spelled = `${hostOf(school).toUpperCase()}.:80`
  expect((await issuerAt(world, { host: spelled })).issuer).toBe(school.origin)
})

verifies(
  'house.origin.forwarded-headers',
  'a client cannot choose the school by X-Forwarded-Host, a trusted proxy can',
  async () => {
    const careful = await aWorld()
    const [first, second] = [await careful.aSchool(), await careful.aSchool()]
    const headers = { host: hostOf(first), 'x-forwarded-host': hostOf(second) }
    expect((await issuerAt(careful, headers)).issuer).toBe(first.origin)

    const behindProxy = await aWorld({ trust: parseTrustProxy('127.0.0.1') })
    const school = await behindProxy.aSchool()
    const forwarded = { host: 'internal:8080', 'x-forwarded-host': hostOf(school) }
    expect((await issuerAt(behindProxy, forwarded)).issuer).toBe(school.origin)
  },
)

verifies(
  'house.origin.changes-spread',
  'a school whose origin another process changes is served at its new origin at once',
  async () => {
    const world = await aWorld({ now: () => 0 })
    const { connection, pool } = world.database
    const listener = await listenForSchoolChanges(world.context.directory, {
      connection,
      pool,
      // On a busy machine a connection may not open in time; then it tries again.
      onError: () => undefined,
    })
    onTestFinished(() => listener.stop())
    const school = await world.aSchool()
    expect((await issuerAt(world, { host: hostOf(school) })).status).toBe(200)
    expect((await issuerAt(world, { host: 'moved.test' })).status).toBe(404)
    await pool.query('update schools set origin = $1 where id = $2', [
      'http://moved.test',
      school.id,
    ])
    // A late notification about the new school can remove the old origin from the cache earlier.
    await vi.waitFor(
      async () =>
        expect((await issuerAt(world, { host: 'moved.test' })).issuer).toBe('http://moved.test'),
      eventually,
    )
    expect((await issuerAt(world, { host: hostOf(school) })).status).toBe(404)
  },
)
