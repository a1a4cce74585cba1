import { expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { Visitor } from '../support/browser-like.ts'
import { addExamples, publishExamples } from '../support/example-school.ts'
import { anOwner } from '../support/operator-like.ts'
import { portOf, sendRaw } from '../support/raw-http.ts'
import { aWorld } from '../support/world.ts'

/** A browser that guesses types could take a text that a caller chose for a page or a script. */

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

const routes: string[] = ['/healthz', '/readyz', '/tls-allowed', '/nothing-is-here']
const world = await aWorld({ onRoute: ({ url }) => void routes.push(url) })
const school = await world.aSchool({ mcpConnections: true })
await addExamples(world, school)
await publishExamples(school)
const urls = [...new Set(routes)].map((url) => url.replaceAll(/:\w+/g, 'x').replaceAll('*', 'x'))

async function withoutHeader(host: string, headers: Record<string, string>): Promise<string[]> {
  const found: string[] = []
  for (const url of urls) {
    for (const method of METHODS) {
      const answer = await world.app.inject({ method, url, headers: { host, ...headers } })
      if (answer.headers['x-content-type-options'] === 'nosniff') continue
      found.push(`${method} ${url} ${answer.statusCode}`)
    }
  }
  return found
}

verifies(
  'house.nosniff',
  'every route answers every method with nosniff, to strangers',
  async () => {
    expect(urls.length).toBeGreaterThan(200)
    const host = new URL(school.origin).host
    expect(await withoutHeader(host, {})).toEqual([])
    expect(await withoutHeader('no-school.test', { accept: 'text/html' })).toEqual([])
  },
)

test('pages, style sheets and redirects of an owner have it too', async () => {
  const owner = await anOwner(world, school)
  for (const url of urls) {
    const answer = await owner.get(url)
    expect(answer.headers['x-content-type-options'], url).toBe('nosniff')
  }
  const theme = /\/theme\.\w+\.css/.exec((await owner.get('/')).body)?.[0] ?? ''
  const answer = await new Visitor(world, school).get(theme)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
})

test('an answer without a body has it: 304', async () => {
  const visitor = new Visitor(world, school)
  const path = '/.well-known/oauth-authorization-server'
  const { headers } = await visitor.get(path)
  const answer = await visitor.get(path, { 'if-none-match': String(headers.etag) })
  expect(answer.statusCode).toBe(304)
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
})

const long = 'x'.repeat(20_000)
const RAW: Readonly<Record<string, readonly [status: number, text: string]>> = {
  'bytes that are no HTTP': [400, 'nonsense\r\n\r\n'],
  'another version': [400, 'GET / HTTP/9.9\r\n\r\n'],
  'no Host': [400, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  'no Host at an address for every host': [
    400,
    'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
  ],
  'HTTP/1.0 without a Host': [200, 'GET /healthz HTTP/1.0\r\n\r\n'],
  'two Hosts': [400, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
  'an unknown host': [404, 'GET / HTTP/1.1\r\nHost: no.test\r\nConnection: close\r\n\r\n'],
  'a header too large': [431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`],
  'a URL too long': [
    414,
    `GET /?${'x'.repeat(9000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  ],
  'broken percent-encoding': [400, 'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  'an unknown method': [400, 'BREW / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  'two lengths': [
    400,
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  'an expectation that we do not know': [
    417,
    'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
  ],
}

verifies('house.nosniff', 'requests that the parser refuses are answered with it', async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const port = portOf(world.app.server)
  for (const [name, [status, text]] of Object.entries(RAW)) {
    const answer = await sendRaw(port, text)
    expect(answer, name).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer, name).toMatch(/\r\nx-content-type-options: nosniff\r\n/i)
  }
})
