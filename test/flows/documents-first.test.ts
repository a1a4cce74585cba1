import { request as ask, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { portOf, speakRaw } from '../support/raw-http.ts'
import { aWorld } from '../support/world.ts'

const lines: Record<string, unknown>[] = []
const log = { write: (line: string) => void lines.push(JSON.parse(line)) }
const world = await aWorld({ log })
const school = await aListeningSchool(world)
const { host } = new URL(school.origin)

const PATHS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/jwks.json',
]

type Method = 'GET' | 'HEAD' | 'POST'

/** By the socket, where documents are sent before any route is looked at. */
async function bySocket(method: Method, path: string, headers: Record<string, string> = {}) {
  const sent = ask({
    port: portOf(world.app.server),
    method,
    path,
    headers: { host, ...headers },
    agent: false,
  })
  sent.end()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject)
  })
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** Straight to the routes. */
async function byRoute(method: Method, path: string, headers: Record<string, string> = {}) {
  const response = await world.app.inject({ method, url: path, headers: { host, ...headers } })
  return { status: response.statusCode, headers: response.headers, body: response.body }
}

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** What differs between any two answers, or between a socket and none. */
function comparable({ status, headers, body }: Answer) {
  const { date: _date, connection: _connection, 'keep-alive': _alive, ...rest } = headers
  expect(rest['x-request-id']).toMatch(/^[\w-]{10,64}$/)
  return { status, body, headers: { ...rest, 'x-request-id': 'any' } }
}

describe.each(PATHS)('%s, sent before any route is looked at', (path) => {
  test.each([
    ['GET', {}],
    ['HEAD', {}],
    ['GET', { 'if-none-match': '*' }],
    ['GET', { 'if-none-match': '"another"' }],
  ] as const)('%s %j is answered as its route answers', async (method, headers) => {
    const first = await bySocket('GET', path)
    expect(first.status).toBe(200)
    const socket = comparable(await bySocket(method, path, headers))
    expect(socket).toEqual(comparable(await byRoute(method, path, headers)))
    expect(
      comparable(await bySocket('GET', path, { 'if-none-match': String(first.headers.etag) })),
    ).toMatchObject({ status: 304, body: '' })
  })

  test('what only a route can judge is left to it', async () => {
    expect((await bySocket('POST', path)).status).toBe((await byRoute('POST', path)).status)
    expect((await bySocket('GET', `${path}?a=b`)).status).toBe(200)
    expect((await bySocket('GET', path, { host: 'nobody.test' })).status).toBe(404)
  })
})

test('the log tells the same of it as of one that its route sent', async () => {
  const path = '/.well-known/jwks.json'
  await bySocket('GET', path)
  const told = async (send: () => Promise<unknown>) => {
    lines.length = 0
    await send()
    await vi.waitFor(() => expect(lines).toHaveLength(1), eventually)
    return { ...lines[0], time: 'any', ms: typeof lines[0]?.ms, requestId: 'any' }
  }
  const bySocketTold = await told(() => bySocket('GET', path))
  expect(bySocketTold).toMatchObject({ method: 'GET', route: path, status: 200, ms: 'number' })
  expect(bySocketTold).toEqual(await told(() => byRoute('GET', path)))
})

test('a change of the school is in the next document', async () => {
  const names = async () =>
    JSON.parse((await bySocket('GET', '/.well-known/oauth-authorization-server')).body).issuer
  expect(await names()).toBe(school.origin)
  await world.database.db
    .updateTable('schools')
    .set({ origin: 'http://moved.test' })
    .where('id', '=', school.id)
    .execute()
  world.context.directory.forget(school.id)
  expect((await bySocket('GET', '/.well-known/oauth-authorization-server')).status).toBe(404)
})

test('a school that an attacker names in a second Host header is never shown', async () => {
  const answer = await speakRaw(
    portOf(world.app.server),
    `GET /.well-known/jwks.json HTTP/1.1\r\nHost: ${host}\r\nHost: other.test\r\nConnection: close\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
})
