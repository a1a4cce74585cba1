import { EventEmitter, once } from 'node:events'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_TIMEOUT_MS,
  type FetchOptions,
  fetchPublicJson,
} from '../../src/foundation/net/fetch-document.ts'
import { verifies } from '../spec/verifies.ts'
import { plainServer, rawServer, testCa, tlsServer } from './test-server.ts'

const here = async () => [{ address: '127.0.0.1', family: 4 }]
const answers =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const json =
  (body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  }

/** Fetches from a server on this machine as if it were on the public internet. */
function fetchAsPublic(port: number, options: FetchOptions = {}, host = 'client.example') {
  return fetchPublicJson(`https://${host}:${port}/client.json`, {
    ca: testCa,
    lookup: here,
    isAllowedAddress: () => true,
    allowedPorts: [port],
    ...options,
  })
}

async function fetchFromRaw(answer: string) {
  const port = await rawServer((socket) => socket.end(answer))
  return fetchPublicJson(`http://127.0.0.1:${port}/client.json`, { allowLoopbackHttp: true })
}

describe('a document on a public host', () => {
  test('is fetched over TLS by its host name, without cookies, credentials or other data of ours', async () => {
    const seen = vi.fn()
    const port = await tlsServer((request, response) => {
      seen(request.method, request.url, request.headers, 'servername' in request.socket)
      json({ hello: 'world' }, { 'cache-control': 'max-age=600' })(request, response)
    })
    const result = await fetchAsPublic(port)
    expect(result).toEqual({ ok: true, json: { hello: 'world' }, maxAgeSeconds: 600 })
    expect(seen).toHaveBeenCalledExactlyOnceWith(
      'GET',
      '/client.json',
      {
        host: `client.example:${port}`,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'schoolgate',
        connection: 'close',
      },
      true,
    )
  })

  test('is requested with its TLS server name, although the connection goes to an address', async () => {
    const names: unknown[] = []
    const port = await tlsServer((request, response) => {
      names.push('servername' in request.socket && request.socket.servername)
      json({})(request, response)
    })
    await fetchAsPublic(port)
    expect(names).toEqual(['client.example'])
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/client-metadata+json',
    'application/vnd.example.v1+json ; profile=x',
  ])('may be served as %s', async (type) => {
    const port = await tlsServer(json({}, { 'content-type': type }))
    expect(await fetchAsPublic(port)).toMatchObject({ ok: true })
  })

  test('may be exactly as large as the limit, and may begin with a byte order mark', async () => {
    const body = `\uFEFF"${'x'.repeat(5120 - 5)}"`
    expect(Buffer.byteLength(body)).toBe(5120)
    const port = await tlsServer(json(body))
    expect(await fetchAsPublic(port)).toMatchObject({ ok: true })
  })

  test('is fetched from the second address if the first does not answer', async () => {
    const port = await tlsServer(json({ found: true }))
    const lookup = answers('::1', '127.0.0.1')
    expect(await fetchAsPublic(port, { lookup })).toMatchObject({ ok: true })
  })
})

describe('a public name that leads to a private address', () => {
  const privateAnswers: readonly (readonly [string, readonly string[]])[] = [
    ["a cloud's metadata service", ['169.254.169.254']],
    ['loopback', ['127.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['a private network', ['10.1.2.3']],
    ['IPv4 mapped into IPv6', ['::ffff:169.254.169.254']],
    ['IPv4 mapped into IPv6, in hex', ['::ffff:7f00:1']],
    ['NAT64', ['64:ff9b::a00:1']],
    ['one private address after public ones', ['93.184.216.34', '2606:4700::1', '192.168.0.1']],
    ['one private address before a public one', ['fd00::1', '93.184.216.34']],
    ['an invalid address', ['93.184.216.34', '0x7f.1']],
  ]
  for (const [what, addresses] of privateAnswers) {
    verifies(
      ['cimd.fetch.public-addresses', 'trouble.document-fetch-ssrf'],
      `${what} is refused before any connection`,
      async () => {
        const lookup = answers(...addresses)
        expect(await fetchPublicJson('https://client.example/x', { lookup })).toMatchObject({
          ok: false,
          reason: 'address_refused',
        })
      },
    )
  }

  verifies(
    ['cimd.fetch.pinned', 'trouble.dns-rebinding'],
    'a name is resolved once, and the connection goes to the checked address (DNS rebinding)',
    async () => {
      const port = await tlsServer(json({ from: 'the checked address' }))
      const lookup = vi
        .fn<typeof here>()
        .mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }])
        .mockResolvedValue([{ address: '169.254.169.254', family: 4 }])
      const checked: string[] = []
      const result = await fetchAsPublic(port, {
        lookup,
        isAllowedAddress: (ip) => checked.push(ip) > 0,
      })
      expect(result).toMatchObject({ ok: true, json: { from: 'the checked address' } })
      expect(lookup).toHaveBeenCalledExactlyOnceWith('client.example')
      expect(checked).toEqual(['127.0.0.1'])
    },
  )

  test('a missing name and a private one give the same error, so that private names cannot be found out', async () => {
    const ask = (lookup: NonNullable<FetchOptions['lookup']>) =>
      fetchPublicJson('https://vault.corp.example/x', { lookup })
    const missing = await ask(() => Promise.reject(new Error('ENOTFOUND vault.corp.example')))
    const privateName = await ask(answers('10.0.0.5'))
    expect(missing).toMatchObject({ ok: false, reason: 'name_not_resolved' })
    expect(privateName).toMatchObject({ ok: false, reason: 'address_refused' })
    expect({ ...missing, reason: '' }).toEqual({ ...privateName, reason: '' })
  })

  test('a name without any address is a failure', async () => {
    expect(await fetchPublicJson('https://client.example/x', { lookup: answers() })).toMatchObject({
      ok: false,
      reason: 'name_not_resolved',
    })
  })
})

describe('URLs that are refused without a lookup', () => {
  test.each([
    'not a url',
    'http://client.example/x',
    'ftp://client.example/x',
    'file:///etc/passwd',
    'data:application/json,{}',
    'javascript:alert(1)',
    'https://user@client.example/x',
    'https://user:secret@client.example/x',
    'https://client.example/x#y',
    'https://client.example/x#',
    'https://client.example:8443/x',
    'https://client.example:22/x',
    'https://93.184.216.34/x',
    'https://[2606:4700:4700::1111]/x',
    'https://0x7f.1/x',
    'https://2130706433/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://localhost/x',
    'http://localhost/x',
    'https://intranet/x',
    'https://client.example./x',
  ])('%s', async (url) => {
    const lookup = vi.fn(here)
    expect(await fetchPublicJson(url, { lookup })).toMatchObject({
      ok: false,
      reason: 'url_refused',
    })
    expect(lookup).not.toHaveBeenCalled()
  })
})

describe('TLS', () => {
  test('a certificate for another name is refused', async () => {
    const port = await tlsServer(json({}))
    expect(await fetchAsPublic(port, {}, 'other.example')).toMatchObject({
      ok: false,
      reason: 'tls_failed',
    })
  })

  test('a certificate from an unknown authority is refused, also with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const port = await tlsServer(json({}))
    const result = await fetchAsPublic(port, { ca: undefined })
    expect(result).toMatchObject({ ok: false, reason: 'tls_failed' })
  })

  test('a server that does not speak TLS is refused', async () => {
    const port = await plainServer(json({}))
    expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'tls_failed' })
  })
})

describe('responses that are refused', () => {
  for (const status of [300, 301, 302, 303, 304, 307, 308]) {
    verifies('cimd.fetch.no-redirects', `a redirect (${status}) is never followed`, async () => {
      const paths: unknown[] = []
      const port = await tlsServer((request, response) => {
        paths.push(request.url)
        response.writeHead(status, { location: '/elsewhere', 'content-type': 'application/json' })
        response.end()
      })
      expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'redirected' })
      expect(paths).toEqual(['/client.json'])
    })
  }

  test.each([201, 204, 206, 400, 401, 403, 404, 410, 429, 500, 503])(
    'status %i',
    async (status) => {
      const port = await tlsServer((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end()
      })
      expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'wrong_status' })
    },
  )

  test.each(['text/html', 'text/plain', 'text/json', 'application/jsonp', 'application/xjson', ''])(
    'content type %j',
    async (type) => {
      const port = await tlsServer(json({}, { 'content-type': type }))
      expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'wrong_content_type' })
    },
  )

  test('a missing content type', async () => {
    const port = await tlsServer((_request, response) => response.end('{}'))
    expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'wrong_content_type' })
  })

  test('a compressed body is never decompressed (gzip bomb)', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000, ' '))
    expect(bomb.length).toBeLessThan(5120)
    const port = await tlsServer(json(bomb, { 'content-encoding': 'gzip' }))
    expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'encoded_body' })
  })

  test.each(['br', 'deflate', 'gzip, identity', 'x'])('content encoding %s', async (encoding) => {
    const port = await tlsServer(json({}, { 'content-encoding': encoding }))
    expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'encoded_body' })
  })

  verifies(
    'cimd.fetch.size',
    'a Content-Length above the limit is refused without reading the body',
    async () => {
      const port = await tlsServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5121' })
        response.flushHeaders()
      })
      expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'too_large' })
    },
  )

  verifies('cimd.fetch.size', 'an endless body is cut off at the limit', async () => {
    const port = await tlsServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const pour = () => {
        while (!response.destroyed && response.write(' '.repeat(1000)));
      }
      response.on('drain', pour)
      pour()
    })
    expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'too_large' })
  })

  test.each(['', '{', '<!doctype html>', "{'a': 1}", '{"a": 1} trailing', 'undefined'])(
    'a body that is not JSON: %j',
    async (body) => {
      const port = await tlsServer(json(body))
      expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'not_json' })
    },
  )

  test('a body that is not UTF-8', async () => {
    const port = await tlsServer(json(Buffer.from([0x22, 0xff, 0xfe, 0x22])))
    expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'not_json' })
  })

  test('a refused response leaves no open connection', async () => {
    const connection = new EventEmitter()
    const closed = once(connection, 'closed')
    const port = await tlsServer((_request, response) => {
      response.on('close', () => connection.emit('closed'))
      response.writeHead(404, { 'content-type': 'application/json' })
      response.write('{')
    })
    expect(await fetchAsPublic(port)).toMatchObject({ ok: false, reason: 'wrong_status' })
    await closed
  })

  test('no error message quotes the response', async () => {
    const port = await tlsServer((_request, response) => {
      response.writeHead(404, 'INNER-SECRET', { 'content-type': 'text/INNER-SECRET' })
      response.end('INNER-SECRET')
    })
    expect(JSON.stringify(await fetchAsPublic(port))).not.toContain('INNER-SECRET')
  })
})

describe('servers that stall or close the connection', () => {
  const stalling: readonly (readonly [string, RequestListener])[] = [
    ['says nothing', () => undefined],
    [
      'stops after the headers',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.flushHeaders()
      },
    ],
    [
      'drips its body (slow loris)',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const drip = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(drip))
      },
    ],
  ]
  for (const [what, listener] of stalling) {
    verifies('cimd.fetch.timeout', `a server that ${what} is cut off at the deadline`, async () => {
      const port = await tlsServer(listener)
      expect(await fetchAsPublic(port, { timeoutMs: 300 })).toMatchObject({
        ok: false,
        reason: 'timed_out',
      })
    })
  }

  test('the default deadline is five seconds and the default limit 5 KB', () => {
    expect([DEFAULT_TIMEOUT_MS, DEFAULT_MAX_BYTES]).toEqual([5000, 5120])
  })

  test('a server that drips its headers is cut off at the deadline', async () => {
    const port = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('x: y\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    expect(
      await fetchPublicJson(`http://127.0.0.1:${port}/x`, {
        allowLoopbackHttp: true,
        timeoutMs: 200,
      }),
    ).toMatchObject({ ok: false, reason: 'timed_out' })
  })

  test('a TLS handshake that never ends is cut off at the deadline', async () => {
    const port = await rawServer(() => undefined)
    expect(await fetchAsPublic(port, { timeoutMs: 200 })).toMatchObject({
      ok: false,
      reason: 'timed_out',
    })
  })

  test('a resolver that never answers is cut off at the deadline', async () => {
    const lookup = () => new Promise<never>(() => undefined)
    expect(
      await fetchPublicJson('https://client.example/x', { lookup, timeoutMs: 50 }),
    ).toMatchObject({ ok: false, reason: 'timed_out' })
  })

  test('no server is listening', async () => {
    expect(await fetchAsPublic(1)).toMatchObject({ ok: false, reason: 'connection_failed' })
  })

  test.each([
    [
      'half a body',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{}',
    ],
    [
      'half a chunk',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}',
    ],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['half a header section', 'HTTP/1.1 200 OK\r\nContent-Ty'],
    ['nothing', ''],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ',
    ],
    [
      'a protocol switch',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['a header section that is too long', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n`],
  ])('%s followed by a closed connection is a failed connection', async (_, answer) => {
    expect(await fetchFromRaw(answer)).toMatchObject({ ok: false, reason: 'connection_failed' })
  })
})

describe('the loopback exception of the demo world', () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    verifies('trouble.own-host-blocked', `allows http://${host} on any port`, async () => {
      const port = await plainServer(json({ at: 'home' }))
      const url = `http://${host}:${port}/client.json`
      expect(await fetchPublicJson(url, { allowLoopbackHttp: true })).toMatchObject({
        ok: true,
        json: { at: 'home' },
      })
    })
  }

  test('allows https://127.0.0.1 and checks its certificate', async () => {
    const port = await tlsServer(json({}))
    const at = (options: FetchOptions) =>
      fetchPublicJson(`https://127.0.0.1:${port}/x`, { allowLoopbackHttp: true, ...options })
    expect(await at({ ca: testCa })).toMatchObject({ ok: true })
    expect(await at({})).toMatchObject({ ok: false, reason: 'tls_failed' })
  })

  test.each([
    'http://127.0.0.2/x',
    'http://0.0.0.0/x',
    'http://app.localhost/x',
    'http://localhost./x',
    'http://10.0.0.1/x',
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:127.0.0.1]/x',
    'http://client.example/x',
    'https://10.0.0.1/x',
    'ftp://localhost/x',
  ])('does not allow %s', async (url) => {
    expect(await fetchPublicJson(url, { allowLoopbackHttp: true, lookup: here })).toMatchObject({
      ok: false,
      reason: 'url_refused',
    })
  })

  test('does not allow a public name that resolves to this machine', async () => {
    expect(
      await fetchPublicJson('https://client.example/x', { allowLoopbackHttp: true, lookup: here }),
    ).toMatchObject({ ok: false, reason: 'address_refused' })
  })

  test('does not allow localhost if it resolves to another machine', async () => {
    expect(
      await fetchPublicJson('http://localhost/x', {
        allowLoopbackHttp: true,
        lookup: answers('127.0.0.1', '10.0.0.1'),
      }),
    ).toMatchObject({ ok: false, reason: 'address_refused' })
  })

  test('does not follow a redirect from this machine', async () => {
    const port = await plainServer((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/' })
      response.end()
    })
    expect(
      await fetchPublicJson(`http://127.0.0.1:${port}/x`, { allowLoopbackHttp: true }),
    ).toMatchObject({ ok: false, reason: 'redirected' })
  })
})
