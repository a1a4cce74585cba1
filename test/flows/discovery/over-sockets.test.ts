import { request as ask, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { createMetrics } from '../../../src/foundation/http/metrics.ts'
import { eventually } from '../../support/eventually.ts'
import { aListeningSchool } from '../../support/listening-school.ts'
import { portOf, sendRaw } from '../../support/raw-http.ts'
import { aWorld } from '../../support/world.ts'

const lines: Record<string, unknown>[] = []
const log = { write: (line: string) => void lines.push(JSON.parse(line)) }
const metrics = createMetrics({ version: '1.2.3' })
metrics.stop()
const world = await aWorld({ log, observers: [metrics.observer] })
const school = await aListeningSchool(world)
const { host } = new URL(school.origin)

const PATHS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-protected-resource/mcp/member',
  '/.well-known/jwks.json',
]

async function send(
  method: 'GET' | 'HEAD' | 'POST',
  path: string,
  headers: Record<string, string> = {},
) {
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

describe.each(PATHS)('%s', (path) => {
  test('HEAD has the headers of GET, and If-None-Match decides between 200 and 304', async () => {
    const whole = await send('GET', path)
    expect(whole.status).toBe(200)
    expect(whole.headers['x-request-id']).toMatch(/^[\w-]{10,64}$/)
    expect(whole.headers).toMatchObject({
      'content-length': String(Buffer.byteLength(whole.body)),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    })
    const { date: _date, 'x-request-id': _id, ...constant } = whole.headers
    const head = await send('HEAD', path)
    expect(head).toMatchObject({ status: 200, body: '', headers: constant })

    const etag = String(whole.headers.etag)
    for (const known of ['*', etag, `W/${etag}`]) {
      const unchanged = await send('GET', path, { 'if-none-match': known })
      expect(unchanged).toMatchObject({ status: 304, body: '' })
      expect(unchanged.headers).toMatchObject({
        etag,
        'cache-control': constant['cache-control'],
        'access-control-allow-origin': '*',
      })
      expect(unchanged.headers).not.toHaveProperty('content-type')
    }
    const other = await send('GET', path, { 'if-none-match': '"another"' })
    expect(other).toMatchObject({ status: 200, body: whole.body })
  })

  test('a query changes nothing; another method or an unknown host is a 404', async () => {
    expect((await send('GET', `${path}?a=b`)).status).toBe(200)
    expect((await send('POST', path)).status).toBe(404)
    expect((await send('GET', path, { host: 'unknown.test' })).status).toBe(404)
  })
})

test('a document is logged and counted like every other answer', async () => {
  for (const [path, surface] of [
    ['/.well-known/jwks.json', 'oauth'],
    ['/openapi.json', undefined],
  ]) {
    lines.length = 0
    await send('GET', String(path))
    await vi.waitFor(() => expect(lines).toHaveLength(1), eventually)
    expect(lines[0]).toMatchObject({
      method: 'GET',
      route: path,
      status: 200,
      ms: expect.any(Number),
      school: school.subdomain,
      outcome: 'ok',
    })
    expect(lines[0]?.surface).toBe(surface)
    expect(await metrics.registry.metrics()).toContain(
      `_requests_total{surface="${surface ?? 'none'}",route="${path}",method="GET",status="200"}`,
    )
  }
})

test('a school in a second Host header is never used', async () => {
  const answer = await sendRaw(
    portOf(world.app.server),
    `GET /.well-known/jwks.json HTTP/1.1\r\nHost: ${host}\r\nHost: other.test\r\nConnection: close\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
})

test('a school with a new origin is not found at its old origin', async () => {
  const [path = ''] = PATHS
  expect(JSON.parse((await send('GET', path)).body).issuer).toBe(school.origin)
  await world.database.db
    .updateTable('schools')
    .set({ origin: 'http://moved.test' })
    .where('id', '=', school.id)
    .execute()
  world.context.directory.forget(school.id)
  expect((await send('GET', path)).status).toBe(404)
  const moved = await send('GET', path, { host: 'moved.test' })
  expect(JSON.parse(moved.body).issuer).toBe('http://moved.test')
})
