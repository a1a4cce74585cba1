import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import { createS3Store } from '../../src/foundation/storage/s3-store.ts'
import { loadTracing } from '../../src/start/load-tracing.ts'
import { plainServer } from '../net/test-server.ts'
import { anOperator } from '../support/admin-api.ts'
import { ask } from '../support/authorization.ts'
import { BUCKET_KEY } from '../support/bucket-server.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { aPair, postForm, userinfo } from '../support/client-like.ts'
import { aCollector, attributesOf, type ReceivedSpan } from '../support/collector.ts'
import { aWorld, CALLBACK, PASSWORD } from '../support/world.ts'
import { post, request } from './mcp/tool-endpoint.ts'

/**
 * The real application exports to a collector over HTTP. Its callers come from a trusted proxy
 * unless they say otherwise.
 */

const STRANGER = '203.0.113.9'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`

const SERVER = 2
const CLIENT = 3

const collector = await aCollector()
const incoming = await mkdtemp(join(tmpdir(), 'schoolgate-incoming-'))
whenFileIsDone(() => rm(incoming, { recursive: true, force: true }))
const log = createLogger({ level: 'silent' })

async function tracingWith(env: Record<string, string> = {}) {
  const config = readConfig({
    TRUST_PROXY: 'loopback',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20the%20collector',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    ...env,
  })
  const tracing = await loadTracing(config, log)
  if (tracing === undefined) throw new Error('no tracing')
  return tracing
}

const tracing = await tracingWith()
const world = await aWorld({ tracing, trust: parseTrustProxy('loopback'), loopbackDocuments: true })
const school = await world.aSchool({ documentHosts: ['127.0.0.1'] })
const host = new URL(school.origin).host
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)

async function received(): Promise<readonly ReceivedSpan[]> {
  await tracing.flush(60_000)
  return collector.spans
}

const below = (spans: readonly ReceivedSpan[], parent: ReceivedSpan | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId !== undefined && parentSpanId === parent?.spanId)

beforeEach(async () => {
  await tracing.flush(60_000)
  collector.exports.length = 0
})

describe('a request', () => {
  test('is exported as a span, with its statements below it', async () => {
    const answer = await world.app.inject({ url: '/sign-in', headers: { host } })
    const spans = await received()
    const [root] = spans.filter(({ kind }) => kind === SERVER)
    expect(root).toMatchObject({
      name: 'GET /sign-in',
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
    expect(root).not.toHaveProperty('parentSpanId')
    expect(root).not.toHaveProperty('links')
    expect(attributesOf(root)).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/sign-in',
      'http.response.status_code': 200,
      'schoolgate.request_id': answer.headers['x-request-id'],
      'schoolgate.school': school.subdomain,
      'schoolgate.surface': 'pages',
    })
    for (const span of spans) {
      expect(span.traceId).toBe(root?.traceId)
      expect(span.startTimeUnixNano).toMatch(/^\d{19}$/)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
    }
  })

  test('whose body was read first has its statements below it too', async () => {
    const { access_token, refresh_token } = await aPair(world, school, client, ada)
    await postForm(world, school, '/api/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: client.clientId,
    })
    await userinfo(world, school, access_token)
    const spans = await received()
    for (const name of ['POST /api/oauth/token', 'GET /api/oauth/userinfo']) {
      const root = spans.filter((span) => span.name === name).at(-1)
      const statements = below(spans, root)
      expect(statements.length, name).toBeGreaterThan(0)
      for (const statement of statements) {
        expect(statement.kind).toBe(CLIENT)
        expect(attributesOf(statement)).toEqual({
          'db.system.name': 'postgresql',
          'db.query.summary': statement.name,
        })
      }
    }
    expect(spans.map(({ name }) => name)).toContainEqual(expect.stringContaining('token_pairs'))
  })

  test('is sent to the collector as OTLP, with its headers and what the service is called', async () => {
    await world.app.inject({ url: '/sign-in', headers: { host } })
    await received()
    const [sent] = collector.exports
    expect(sent).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/json', 'x-key': 'of the collector' },
    })
    const { resource } = JSON.parse(sent?.text ?? '').resourceSpans[0]
    expect(attributesOf(resource)).toMatchObject({
      'service.name': 'schoolgate',
      'deployment.environment.name': 'test',
    })
  })

  test('leaves no secret, email or token in any span', async () => {
    const pair = await aPair(world, school, client, ada)
    await world.app.inject({ url: `/sign-in?email=${ada.email}`, headers: { host } })
    await userinfo(world, school, pair.access_token)
    await world.app.inject({ url: `/nowhere/${pair.access_token}`, headers: { host } })
    await received()
    const sent = collector.exports.map(({ text }) => text).join()
    for (const secret of [
      ada.email,
      ada.id,
      ada.name,
      PASSWORD,
      pair.access_token,
      pair.refresh_token,
    ]) {
      expect(sent).not.toContain(secret)
    }
    expect(sent).toContain('"GET"')
  })

  test('that fails says so', async () => {
    await postForm(world, school, '/api/oauth/token', { grant_type: 'refresh_token' })
    const [root] = (await received()).filter(({ kind }) => kind === SERVER)
    expect(attributesOf(root)).toMatchObject({ 'schoolgate.result': 'invalid_request' })
    expect(root).not.toHaveProperty('status')
  })
})

describe('the trace of a caller', () => {
  const visit = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    world.app.inject({ url: '/sign-in', headers: { host, ...headers }, remoteAddress })
  const rootOf = async () => (await received()).find(({ kind }) => kind === SERVER)

  test('goes on if a trusted proxy sends it', async () => {
    await visit({ traceparent: TRACEPARENT, tracestate: 'vendor=1' })
    expect(await rootOf()).toMatchObject({
      traceId: TRACE,
      parentSpanId: SPAN,
      traceState: 'vendor=1',
    })
  })

  test('that a trusted proxy does not sample is not exported', async () => {
    await visit({ traceparent: `00-${TRACE}-${SPAN}-00` })
    expect(await received()).toEqual([])
  })

  test('a stranger cannot add spans to a trace: theirs becomes a link', async () => {
    await visit({ traceparent: TRACEPARENT, tracestate: 'vendor=1' }, STRANGER)
    const root = await rootOf()
    expect(root?.traceId).not.toBe(TRACE)
    expect(root).not.toHaveProperty('parentSpanId')
    expect(root).not.toHaveProperty('traceState')
    expect(root?.links).toEqual([{ traceId: TRACE, spanId: SPAN }])
  })

  test('a stranger cannot have more requests sampled than configured', async () => {
    const none = await tracingWith({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
    const other = await aWorld({ tracing: none })
    for (const traceparent of [TRACEPARENT, `00-${'f'.repeat(32)}-${SPAN}-ff`]) {
      await other.app.inject({ url: '/healthz', headers: { traceparent }, remoteAddress: STRANGER })
    }
    await none.flush(60_000)
    expect(collector.exports).toEqual([])
  })

  test('a malformed traceparent begins a new trace', async () => {
    for (const traceparent of [
      'x',
      `${TRACEPARENT}, ${TRACEPARENT}`,
      `00-${'0'.repeat(32)}-${SPAN}-01`,
    ]) {
      await visit({ traceparent })
      const root = await rootOf()
      expect(root, traceparent).not.toHaveProperty('parentSpanId')
      expect(root, traceparent).not.toHaveProperty('links')
      collector.exports.length = 0
    }
  })
})

describe('a tool call', () => {
  const call = (name: string, _meta: unknown) =>
    post(world, school, request('tools/call', { name, arguments: {}, _meta }))

  test('is a span below its request, with a link to the trace in its _meta', async () => {
    await call('get_school', { traceparent: TRACEPARENT, tracestate: 'vendor=1' })
    const spans = await received()
    const root = spans.find(({ kind }) => kind === SERVER)
    const [tool] = below(spans, root).filter(({ name }) => name.startsWith('tools/call'))
    expect(root?.name).toBe('POST /mcp')
    expect(tool).toMatchObject({
      name: 'tools/call get_school',
      links: [{ traceId: TRACE, spanId: SPAN }],
    })
    expect(tool).not.toHaveProperty('status')
    expect(attributesOf(tool)).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'get_school',
    })
  })

  test('has its statements below it', async () => {
    await call('list_courses', undefined)
    const spans = await received()
    const tool = spans.find(({ name }) => name === 'tools/call list_courses')
    expect(below(spans, tool).map(({ name }) => name)).toContainEqual(
      expect.stringContaining('courses'),
    )
  })

  test('with a hostile _meta or name is answered as without', async () => {
    for (const meta of [
      { traceparent: 'x' },
      { traceparent: { toString: 1 } },
      { traceparent: [] },
    ]) {
      expect((await call('get_school', meta)).statusCode).toBe(200)
    }
    await call(`<script>${ada.email}`, { traceparent: TRACEPARENT })
    const spans = await received()
    expect(spans.some(({ name }) => name === 'tools/call')).toBe(true)
    expect(collector.exports.map(({ text }) => text).join()).not.toContain(ada.email)
  })
})

describe('a request that the server sends', () => {
  test('for a client metadata document is a span, and its host learns nothing of the trace', async () => {
    const seen: object[] = []
    const port = await plainServer(({ headers }, response) => {
      seen.push(headers)
      response.writeHead(404).end()
    })
    const clientId = `http://127.0.0.1:${port}/app.json`
    const owner = await world.aMember(school, ['owner'])
    const app = { clientId, secret: undefined, redirectUri: CALLBACK }
    await ask({ world, school, client: app, person: owner }, { scope: 'openid' })
    const spans = await received()
    const fetched = spans.find(({ name }) => name === 'GET')
    expect(attributesOf(fetched)).toEqual({
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
    })
    expect(fetched?.status).toEqual({ code: 2, message: 'wrong_status' })
    expect(spans.map(({ spanId }) => spanId)).toContain(fetched?.parentSpanId)
    expect(seen).toHaveLength(1)
    expect(seen[0]).not.toHaveProperty('traceparent')
  })

  test('to the store of uploads carries the trace on', async () => {
    const seen: Record<string, unknown>[] = []
    const port = await plainServer((asked, response) => {
      seen.push(asked.headers)
      asked.resume().on('end', () => response.writeHead(200).end())
    })
    const files = createS3Store({
      ...BUCKET_KEY,
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'uploads',
      incoming,
      observe: tracing.outgoing,
    })
    const other = await aWorld({ tracing, files, trust: parseTrustProxy('loopback') })
    const away = await other.aSchool()
    const { accessToken } = await anOperator(other, away, { scopes: 'storage:write' })
    const stored = await other.app.inject({
      method: 'POST',
      url: '/api/v1/files?name=a',
      headers: {
        host: new URL(away.origin).host,
        authorization: `Bearer ${accessToken}`,
        'content-type': 'text/plain',
        traceparent: TRACEPARENT,
        tracestate: 'vendor=1',
      },
      payload: 'hi',
    })
    expect(stored.statusCode).toBe(201)
    const put = (await received()).find(({ name }) => name === 'PUT')
    expect(seen).toMatchObject([
      { traceparent: `00-${TRACE}-${put?.spanId}-01`, tracestate: 'vendor=1' },
    ])
  })
})
