import type { IncomingHttpHeaders } from 'node:http'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { describe, expect, test, vi } from 'vitest'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { freePort } from '../faults/support/running-server.ts'
import { eventually } from '../support/eventually.ts'
import { blocksOf } from '../support/guide-blocks.ts'
import { portOf } from '../support/raw-http.ts'
import { aWorld } from '../support/world.ts'
import {
  CADDY,
  HAPROXY,
  NAME,
  NGINX,
  type Ports,
  type ProxyProgram,
  startProxy,
} from './support/run-proxy.ts'

/** Every proxy of the guide with its text from there, in front of the whole application. */

const blocks = blocksOf('docs/guides/proxies.md')
const textOf = (language: string, place = 0): string =>
  blocks.filter((block) => block.language === language)[place]?.text ?? ''

const PROXIES: readonly (readonly [string, ProxyProgram, string])[] = [
  ['Caddy', CADDY, textOf('caddyfile')],
  ['Caddy for names that are not known yet', CADDY, textOf('caddyfile', 1)],
  ['nginx', NGINX, textOf('nginx')],
  ['HAProxy', HAPROXY, textOf('haproxy')],
]

/** What a caller sends to choose the school, the scheme, the address or the id in the log. */
const FORGED = {
  forwarded: 'for=6.6.6.6;host=evil.example;proto=http',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'http',
  'x-forwarded-port': '444',
  'x-forwarded-for': '6.6.6.6',
  'x-request-id': 'forged',
}

const world = await aWorld({ trust: parseTrustProxy('loopback') })
await world.app.listen({ port: 0, host: '127.0.0.1' })
const app = portOf(world.app.server)
let received: IncomingHttpHeaders = {}
world.app.server.on('request', ({ url, headers }) => {
  if (url !== '/readyz') received = headers
})

async function aSchoolAt(origin: string): Promise<void> {
  const { id } = await world.aSchool()
  await world.database.pool.query('update schools set origin = $2 where id = $1', [id, origin])
  world.context.directory.forget()
}

/** A certificate is for a name, whatever the port. */
await aSchoolAt(`https://${NAME}`)

function get(ports: Ports, path: string, name = NAME): Promise<{ status: number; body: string }> {
  const headers = { ...FORGED, host: `${name}:${ports.tls}` }
  const options = { host: '127.0.0.1', path, headers, agent: false }
  return new Promise((resolve, reject) => {
    const sent = tlsRequest({
      ...options,
      port: ports.tls,
      servername: name,
      rejectUnauthorized: false,
    })
    sent.on('error', reject).on('response', (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part) => {
        body += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    sent.end()
  })
}

function statusOverHttp(ports: Ports): Promise<number> {
  const options = { host: '127.0.0.1', port: ports.plain, headers: { host: NAME }, agent: false }
  return new Promise((resolve, reject) => {
    const sent = plainRequest({ ...options, path: '/sign-in' })
    sent.on('error', reject).on('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.end()
  })
}

describe.each(PROXIES)('%s, as the guide sets it up', (_name, proxy, text) => {
  test('names every header that a caller could forge and the proxy does not replace by itself', () => {
    const byItself =
      proxy === CADDY ? ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] : []
    for (const header of Object.keys(FORGED).filter((one) => !byItself.includes(one))) {
      expect(text.toLowerCase()).toMatch(new RegExp(`^\\s+(?!#).*[ -]${header}\\b`, 'm'))
    }
  })

  test('leads to the school whatever a caller forges, and hides what is not for callers', async () => {
    const ports = { app, tls: await freePort(), plain: await freePort() }
    const origin = `https://${NAME}:${ports.tls}`
    await aSchoolAt(origin)
    const isRunning = await startProxy(proxy, text, ports)
    // Where the program is not installed, only its text can be looked at, above.
    if (!isRunning) return
    const path = '/.well-known/openid-configuration'
    await vi.waitFor(async () => {
      expect(await get(ports, path)).toMatchObject({ status: 200 })
    }, eventually)
    const { body } = await get(ports, path)
    expect(JSON.parse(body)).toMatchObject({ issuer: origin })
    expect(received['x-forwarded-for']).toBe('127.0.0.1')
    expect(received['x-forwarded-proto']).toBe('https')
    expect(received['x-forwarded-host']).toBe(`${NAME}:${ports.tls}`)
    expect(received['x-request-id']).not.toBe('forged')
    expect(received).not.toHaveProperty('forwarded')
    expect(received).not.toHaveProperty('x-forwarded-port')
    for (const hidden of [`/tls-allowed?domain=${NAME}`, '/metrics']) {
      expect(await get(ports, hidden)).toMatchObject({ status: 404 })
    }
    expect(await statusOverHttp(ports)).toBe(308)
  })
})

test('a stranger who points a name at Caddy gets no certificate for it', async () => {
  const ports = { app, tls: await freePort(), plain: await freePort() }
  await aSchoolAt(`https://${NAME}:${ports.tls}`)
  if (!(await startProxy(CADDY, textOf('caddyfile', 1), ports))) return
  const path = '/.well-known/openid-configuration'
  expect(await get(ports, path)).toMatchObject({ status: 200 })
  await expect(get(ports, path, 'stranger.example')).rejects.toThrow(/alert|reset|closed/i)
})
