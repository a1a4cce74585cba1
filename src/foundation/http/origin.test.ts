import { fastify } from 'fastify'
import { describe, expect, test } from 'vitest'
import { portOf, sendRaw } from '../../../test/support/raw-http.ts'
import { parseTrustProxy, trustNoProxy } from './client-address.ts'
import { createOriginReader, type OriginSource, readOrigin } from './origin.ts'

const behindProxy = parseTrustProxy('10.0.0.0/8')

function source(
  hosts: readonly string[],
  forwarded: Record<string, string> = {},
  changes: Partial<OriginSource> = {},
): OriginSource {
  const rawHeaders = hosts.flatMap((host) => ['Host', host])
  for (const [name, value] of Object.entries(forwarded)) rawHeaders.push(name, value)
  return {
    url: '/',
    headers: { ...(hosts[0] === undefined ? {} : { host: hosts[0] }), ...forwarded },
    rawHeaders,
    remoteAddress: '10.0.0.1',
    encrypted: false,
    ...changes,
  }
}

describe('readOrigin without a proxy', () => {
  test.each([
    ['a.test', 'http://a.test'],
    ['A.Test.:80', 'http://a.test'],
    ['a.test:', 'http://a.test'],
    ['a.test:443', 'http://a.test:443'],
    ['harbor.localhost:3000', 'http://harbor.localhost:3000'],
    ['xn--bcher-kva.example', 'http://xn--bcher-kva.example'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['[2001:DB8:0:0:0:0:0:1]', 'http://[2001:db8::1]'],
  ])('%s is %s', (host, origin) => {
    expect(readOrigin(source([host]), trustNoProxy)).toEqual({ origin })
  })

  test('drops the default port of https on encrypted sockets', () => {
    const { origin } = readOrigin(source(['a.test:443'], {}, { encrypted: true }), trustNoProxy)
    expect(origin).toBe('https://a.test')
  })

  test.each([
    '',
    ' ',
    '.',
    'a..test',
    'a.test..',
    '-a.test',
    'a@b',
    'user:pw@a.test',
    'a.test/x',
    'a.test?x',
    'a.test#x',
    'a.test:0',
    'a.test:080',
    'a.test:65536',
    'a.test:80:80',
    'a.test:http',
    'a.test, b.test',
    'a.test b.test',
    'a%2etest',
    'ä.test',
    '[::1',
    '[::1]x',
    '[fe80::1%25eth0]',
    '[1.2.3.4]',
    '::1',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(127)}test`,
    'x'.repeat(5000),
  ])('refuses the Host %j', (host) => {
    expect(readOrigin(source([host]), trustNoProxy).problem).toMatch(/Host header/)
  })

  test('refuses a request with no Host or with two, even when they agree', () => {
    for (const hosts of [[], ['a.test', 'b.test'], ['a.test', 'a.test']]) {
      expect(readOrigin(source(hosts), trustNoProxy).problem).toMatch(/exactly one/)
    }
  })

  test('sees a second Host header whatever its case', () => {
    const twice = { ...source(['a.test']), rawHeaders: ['host', 'a.test', 'HOST', 'b.test'] }
    expect(readOrigin(twice, trustNoProxy).problem).toMatch(/exactly one/)
  })

  test('ignores forwarded headers of an untrusted peer', () => {
    const spoofed = source(['a.test'], {
      'x-forwarded-host': 'victim.test',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
    })
    expect(readOrigin(spoofed, trustNoProxy)).toEqual({ origin: 'http://a.test' })
    const elsewhere = { ...spoofed, remoteAddress: '192.0.2.1' }
    expect(readOrigin(elsewhere, behindProxy)).toEqual({ origin: 'http://a.test' })
  })
})

describe('a whole URL in the request line (RFC 9112 §3.2.2)', () => {
  test.each([
    ['http://a.test:3000/path', 'http://a.test:3000'],
    ['HTTP://A.TEST:3000', 'http://a.test:3000'],
  ])('%s agrees with its Host', (url, origin) => {
    expect(readOrigin(source(['a.test:3000'], {}, { url }), trustNoProxy)).toEqual({ origin })
  })

  test.each(['http://b.test:3000/', 'http://x@a.test:3000/', 'ftp://a.test:3000/', 'a.test:3000'])(
    '%s is refused: the router would forget its host',
    (url) => {
      const { problem } = readOrigin(source(['a.test:3000'], {}, { url }), trustNoProxy)
      expect(problem).toMatch(/another host/)
    },
  )

  test('OPTIONS * names no host', () => {
    const asterisk = source(['a.test'], {}, { url: '*' })
    expect(readOrigin(asterisk, trustNoProxy)).toEqual({ origin: 'http://a.test' })
  })
})

describe('readOrigin behind a trusted proxy', () => {
  test.each<[Record<string, string>, string]>([
    [{ 'x-forwarded-proto': 'https' }, 'https://inner.test:8080'],
    [{ 'x-forwarded-host': 'a.test' }, 'http://a.test'],
    [{ 'x-forwarded-host': 'a.test', 'x-forwarded-proto': 'HTTPS' }, 'https://a.test'],
    [{ 'x-forwarded-host': 'a.test:8443', 'x-forwarded-proto': 'https' }, 'https://a.test:8443'],
    [
      { 'x-forwarded-host': 'a.test', 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' },
      'https://a.test',
    ],
    [
      { 'x-forwarded-host': 'a.test', 'x-forwarded-proto': 'https', 'x-forwarded-port': '8443' },
      'https://a.test:8443',
    ],
    [{ 'x-forwarded-host': 'a.test:1234', 'x-forwarded-port': '8443' }, 'http://a.test:1234'],
    [{ 'x-forwarded-host': 'A.Test., a.test.' }, 'http://a.test'],
    [{ 'x-forwarded-proto': 'https, https' }, 'https://inner.test:8080'],
  ])('%j is %s', (forwarded, origin) => {
    expect(readOrigin(source(['inner.test:8080'], forwarded), behindProxy)).toEqual({ origin })
  })

  test.each<Record<string, string>>([
    { 'x-forwarded-host': 'a.test, b.test' },
    { 'x-forwarded-host': '' },
    { 'x-forwarded-host': 'a@b' },
    { 'x-forwarded-host': ',' },
    { 'x-forwarded-proto': 'https, http' },
    { 'x-forwarded-proto': 'wss' },
    { 'x-forwarded-proto': '' },
    { 'x-forwarded-host': 'a.test', 'x-forwarded-port': '443, 8443' },
    { 'x-forwarded-host': 'a.test', 'x-forwarded-port': 'x' },
  ])('%j is refused: first and last entry may both be an attacker’s', (forwarded) => {
    const { problem } = readOrigin(source(['inner.test'], forwarded), behindProxy)
    expect(problem).toMatch(/X-Forwarded/)
  })

  test('still refuses two Host headers', () => {
    const forwarded = { 'x-forwarded-host': 'a.test' }
    expect(readOrigin(source(['x', 'y'], forwarded), behindProxy).problem).toMatch(/exactly one/)
  })
})

describe('createOriginReader', () => {
  test('gives the same origin with and without its cache, and keeps schemes and callers apart', async () => {
    const read = createOriginReader(behindProxy)
    const app = fastify()
    app.get('/', async (request) => read(request))
    const ask = async (headers: Record<string, string>, remoteAddress = '192.0.2.1') => {
      const response = await app.inject({ url: '/', headers, remoteAddress })
      return response.json<{ origin?: string; problem?: string }>()
    }
    for (let round = 0; round < 2; round++) {
      expect(await ask({ host: 'A.test:80' })).toEqual({ origin: 'http://a.test' })
      const forwarded = { host: 'A.test:80', 'x-forwarded-proto': 'https' }
      expect(await ask(forwarded, '10.0.0.1')).toEqual({ origin: 'https://a.test:80' })
      expect(await ask(forwarded)).toEqual({ origin: 'http://a.test' })
      expect((await ask({ host: 'a@b' })).problem).toMatch(/Host header/)
    }
  })

  test('refuses ambiguous requests that Node and Fastify let through', async () => {
    const read = createOriginReader(trustNoProxy)
    const app = fastify()
    app.get('/', async (request) => read(request))
    await app.listen({ port: 0, host: '127.0.0.1' })
    const ask = (head: string) =>
      sendRaw(portOf(app.server), `${head}\r\nConnection: close\r\n\r\n`)
    expect(await ask('GET / HTTP/1.1\r\nHost: A.Test.:80')).toContain('"http://a.test"')
    for (const head of [
      'GET / HTTP/1.1\r\nHost: a.test\r\nhost: victim.test',
      'GET / HTTP/1.1\r\nHost: a@b',
      'GET / HTTP/1.1\r\nHost:',
      'GET / HTTP/1.0',
      'GET http://victim.test/ HTTP/1.1\r\nHost: a.test',
    ]) {
      expect(await ask(head), head).toContain('"problem"')
    }
    await app.close()
  })

  test('gives the right origin after many invented hosts', () => {
    const read = createOriginReader(trustNoProxy)
    const ask = (host: string) =>
      read({
        raw: { url: '/', headers: { host }, rawHeaders: ['Host', host], socket: {} },
      })
    for (let i = 0; i < 3000; i++) {
      expect(ask(`h${i}.test`)).toEqual({ origin: `http://h${i}.test` })
    }
    expect(ask('h0.test')).toEqual({ origin: 'http://h0.test' })
  })
})
