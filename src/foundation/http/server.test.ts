import { once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { aLatch, portOf, sendRaw } from '../../../test/support/raw-http.ts'
import { parseTrustProxy, trustNoProxy } from './client-address.ts'
import { createLogger } from './logging.ts'
import { createHttpServer, type HttpServerOptions } from './server.ts'

type Line = Record<string, unknown>

const open: FastifyInstance[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.close()
})

function aServer(options: Partial<HttpServerOptions> = {}): { app: FastifyInstance; log: Line[] } {
  const log: Line[] = []
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) }
  const logger = createLogger({ level: 'info', destination })
  const app = createHttpServer({ logger, trust: trustNoProxy, ...options })
  app.get('/ok', async () => ({ ok: true }))
  app.get('/things/:id', async () => ({ ok: true }))
  app.get('/broken', async () => {
    throw new Error('the cause, for the log alone')
  })
  open.push(app)
  return { app, log }
}

async function speak(app: FastifyInstance, text: string): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return sendRaw(portOf(app.server), text)
}

describe('request ids', () => {
  test('are our own; the X-Request-Id of an untrusted peer is ignored', async () => {
    const { app, log } = aServer()
    const response = await app.inject({ url: '/ok', headers: { 'x-request-id': 'forged' } })
    expect(response.headers['x-request-id']).toMatch(/^[\w-]{12}$/)
    expect(log.at(-1)?.requestId).toBe(response.headers['x-request-id'])
  })

  test('of a trusted proxy are kept if they are short and plain', async () => {
    const { app } = aServer({ trust: parseTrustProxy('loopback') })
    const idFor = async (id: string) =>
      (await app.inject({ url: '/ok', headers: { 'x-request-id': id } })).headers['x-request-id']
    expect(await idFor('edge-1.2_3')).toBe('edge-1.2_3')
    for (const bad of ['', 'a b', '"}{"', 'x'.repeat(65)]) expect(await idFor(bad)).not.toBe(bad)
  })
})

describe('errors that no surface answers', () => {
  test('our own error: 500 without detail, the cause in the log with the same request id', async () => {
    const { app, log } = aServer()
    const response = await app.inject('/broken')
    expect(response.statusCode).toBe(500)
    expect(response.json()).toMatchObject({ error: 'server_error' })
    expect(response.body).not.toContain('cause')
    expect(response.headers['cache-control']).toBe('no-store')
    const failure = log.find((line) => line.msg === 'request failed')
    expect(failure).toMatchObject({ requestId: response.json().request_id, level: 'error' })
    expect(JSON.stringify(failure)).toContain('the cause, for the log alone')
  })

  test('a dependency’s error with a statusCode is not blamed on the caller', async () => {
    const { app } = aServer()
    app.get('/dependency', async () => {
      throw Object.assign(new Error('inner'), { statusCode: 400, code: 'SOME_LIBRARY' })
    })
    app.get('/reset', async () => {
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    })
    expect((await app.inject('/dependency')).statusCode).toBe(500)
    expect((await app.inject('/reset')).statusCode).toBe(500)
  })

  test('no route: 404 that does not repeat the URL, and can be replaced', async () => {
    const { app } = aServer()
    const response = await app.inject('/nowhere?code=s3cret')
    expect(response.statusCode).toBe(404)
    expect(response.body).not.toContain('nowhere')
    const { app: other } = aServer({ notFound: (_request, reply) => reply.code(404).send('mine') })
    expect((await other.inject('/nowhere')).body).toBe('mine')
  })

  test('broken percent-encoding: 400 that does not repeat the URL, logged once', async () => {
    const { app, log } = aServer()
    const response = await app.inject('/things/%zz?code=s3cret')
    expect(response.statusCode).toBe(400)
    expect(response.body).not.toMatch(/things|%zz/)
    expect(log).toHaveLength(1)
    expect(log[0]).toMatchObject({ status: 400, outcome: 'failed', path: '/things/%zz', ms: 0 })
    expect(JSON.stringify(log)).not.toContain('s3cret')
  })

  test('long path parameters and long URLs: 414', async () => {
    const { app } = aServer()
    expect((await app.inject(`/things/${'x'.repeat(600)}`)).statusCode).toBe(414)
    expect((await app.inject(`/ok?state=${'x'.repeat(9000)}`)).statusCode).toBe(414)
    expect((await app.inject(`/ok?state=${'x'.repeat(7000)}`)).statusCode).toBe(200)
  })

  test('a body of any type: 415 until a surface accepts it', async () => {
    const { app } = aServer()
    app.post('/post', async () => ({}))
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type }
      const response = await app.inject({ method: 'POST', url: '/post', headers, body: 'x' })
      expect(response.statusCode, type).toBe(415)
    }
  })
})

describe('query strings', () => {
  test('are not parsed: repeated parameters reach the code that must refuse them', async () => {
    const { app } = aServer()
    app.get('/raw', async (request) => ({ url: request.raw.url, query: request.query }))
    const response = await app.inject('/raw?scope=a&scope=b&__proto__=x')
    expect(response.json()).toEqual({ url: '/raw?scope=a&scope=b&__proto__=x', query: {} })
  })
})

describe('bytes that are not valid HTTP', () => {
  test('garbage: a plain 400 without detail', async () => {
    const { app } = aServer()
    const answer = await speak(app, 'GET /s3cret HTTP/9.9\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer.endsWith('\r\n\r\nBad Request\n')).toBe(true)
    expect(answer).not.toContain('s3cret')
  })

  test('a header too large: 431', async () => {
    const { app } = aServer()
    const answer = await speak(
      app,
      `GET /ok HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  })

  test('no Host at all: 400', async () => {
    const { app } = aServer()
    const answer = await speak(app, 'GET /ok HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('both Content-Length and chunked, as request smugglers send: 400', async () => {
    const { app } = aServer()
    const answer = await speak(
      app,
      'POST /ok HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('headers that arrive too slowly: 408', async () => {
    const { app } = aServer({ limits: { headersTimeoutMs: 500, timeoutCheckMs: 50 } })
    const answer = await speak(app, 'GET /ok HTTP/1.1\r\nHost: a\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('garbage after a request in progress: no answer is written into its response', async () => {
    const { app } = aServer()
    app.get('/slow', () => new Promise(() => undefined))
    const answer = await speak(app, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n\x00garbage\r\n\r\n')
    expect(answer).toBe('')
  })

  test('garbage after an answered request: 400', async () => {
    const { app } = aServer()
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect(portOf(app.server), '127.0.0.1')
    socket.write('GET /ok HTTP/1.1\r\nHost: a\r\n\r\n')
    const [first] = await once(socket, 'data')
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 /)
    socket.write('\x00garbage\r\n\r\n')
    const [second] = await once(socket, 'data')
    expect(String(second)).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('the log line of a request', () => {
  test('has the route’s pattern, never the URL', async () => {
    const { app, log } = aServer()
    await app.inject('/things/ada@demo.test?token=s3cret')
    expect(log).toHaveLength(1)
    expect(log[0]).toMatchObject({
      msg: 'request',
      level: 'info',
      method: 'GET',
      route: '/things/:id',
      status: 200,
      outcome: 'ok',
    })
    expect(log[0]?.ms).toEqual(expect.any(Number))
    expect(JSON.stringify(log)).not.toMatch(/ada@|s3cret/)
  })

  test('has the outcome that the surface reports', async () => {
    const { app, log } = aServer()
    app.get('/told', async (request) => {
      Object.assign(request.outcome, {
        surface: 'oauth',
        school: 'demo',
        clientId: `https://client.test/${'x'.repeat(500)}`,
        personId: 'p1',
        result: 'invalid_grant',
      })
      return {}
    })
    await app.inject('/told')
    expect(log[0]).toMatchObject({
      surface: 'oauth',
      school: 'demo',
      personId: 'p1',
      outcome: 'invalid_grant',
    })
    expect(String(log[0]?.clientId).length).toBe(200)
  })

  test('has the path if there is no route, shortened, without query and tokens', async () => {
    const { app, log } = aServer()
    await app.inject(`/x/${'aB3'.repeat(20)}/${'y'.repeat(1000)}?code=s3cret`)
    const path = String(log[0]?.path)
    expect(path).toMatch(/^\/x\/\[hidden\]\/y+$/)
    expect(path.length).toBeLessThan(200)
  })

  test('is written once for a client that disconnects', async () => {
    const { app, log } = aServer()
    const reached = aLatch()
    app.get('/hang', async () => {
      reached.open()
      await new Promise(() => undefined)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect(portOf(app.server), '127.0.0.1')
    socket.write('GET /hang HTTP/1.1\r\nHost: a\r\n\r\n')
    await reached.passed
    socket.destroy()
    await expect.poll(() => log.filter((line) => line.msg === 'request').length).toBe(1)
    expect(log.at(-1)).toMatchObject({ route: '/hang', outcome: 'aborted' })
  })

  test('has no secret, even if the error of the request contains every kind of secret', async () => {
    const { app, log } = aServer()
    const secrets = ['tok-s3cret', 'code-s3cret', 'sec-s3cret', 'pw-s3cret', 'cookie-s3cret']
    const [token, code, secret, password, cookie] = secrets
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
      done(null, JSON.parse(String(body))),
    )
    app.post('/fail', async (request) => {
      request.log.info({ headers: request.headers, form: request.body }, 'careless')
      request.log.info({ url: request.url, req: request }, 'careless too')
      const cause = Object.assign(new Error(`at https://c.test/cb?code=${code}`), {
        detail: `Key (token)=(${token})`,
        parameters: [password, secret],
        request: { headers: request.headers, body: request.body },
      })
      request.log.error(cause)
      throw new Error('could not exchange', { cause })
    })
    const response = await app.inject({
      method: 'POST',
      url: `/fail?code=${code}&token=${token}`,
      headers: {
        authorization: `Bearer ${token}`,
        cookie: `schoolgate-3000=${cookie}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ code, password, client_secret: secret, refresh_token: token }),
    })
    expect(response.statusCode).toBe(500)
    expect(log.length).toBeGreaterThanOrEqual(4)
    const everything = JSON.stringify(log) + response.body
    for (const one of secrets) expect(everything).not.toContain(one)
    expect(everything).toContain('could not exchange')
  })
})

describe('closing', () => {
  test('answers a request that arrives on an open connection, then ends the connection', async () => {
    const { app } = aServer()
    const inside = aLatch()
    const leave = aLatch()
    app.get('/slow', async () => {
      inside.open()
      await leave.passed
      return { slow: 'done' }
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect(portOf(app.server), '127.0.0.1').setEncoding('utf8')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
    await inside.passed
    const closed = app.close()
    const seen = once(app.server, 'request')
    socket.write('GET /ok HTTP/1.1\r\nHost: a\r\n\r\n')
    await seen
    leave.open()
    await Promise.all([closed, once(socket, 'close')])
    const [, first, second] = received.split('HTTP/1.1 ')
    expect(first).toMatch(/^200 OK.*"slow":"done"/s)
    expect(second).toMatch(/^200 OK.*connection: close.*"ok":true/is)
  })
})
