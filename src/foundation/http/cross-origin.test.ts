import { describe, expect, test } from 'vitest'
import { trustNoProxy } from './client-address.ts'
import { allowCrossOrigin, pathsAmong } from './cross-origin.ts'
import { createLogger } from './logging.ts'
import { createHttpServer } from './server.ts'

const browser = { origin: 'https://inspector.test' }
const preflight = {
  ...browser,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization, mcp-param-city',
}

function anApi() {
  const logger = createLogger({ level: 'silent' })
  const app = createHttpServer({ logger, trust: trustNoProxy })
  let handled = 0
  allowCrossOrigin(app, pathsAmong(['/mcp', '/api/', '/.well-known/']))
  app.addHook('onRequest', (_request, _reply, done) => {
    handled++
    done()
  })
  app.post('/mcp', async (_request, reply) =>
    reply.code(401).header('www-authenticate', 'Bearer').send({}),
  )
  app.get('/api/broken', async () => {
    throw new Error('broken')
  })
  app.get('/oauth/authorize', async () => 'page')
  return { app, handled: () => handled }
}

describe('allowCrossOrigin', () => {
  test('answers a preflight before other code runs', async () => {
    const { app, handled } = anApi()
    const response = await app.inject({ method: 'OPTIONS', url: '/mcp', headers: preflight })
    expect(response.statusCode).toBe(204)
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': '*' })
    const allowed = String(response.headers['access-control-allow-headers']).split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['Authorization', 'MCP-Protocol-Version', '*']))
    expect(response.headers['access-control-allow-methods']).toContain('DELETE')
    expect(response.headers['access-control-max-age']).toBe('86400')
    expect(handled()).toBe(0)
  })

  test('answers a preflight for a path below the API that does not exist', async () => {
    const { app } = anApi()
    const url = '/.well-known/oauth-authorization-server/mcp'
    const response = await app.inject({ method: 'OPTIONS', url, headers: preflight })
    expect(response.statusCode).toBe(204)
  })

  test.each([
    ['POST', '/mcp', 401],
    ['GET', '/api/broken?x=1', 500],
    ['GET', '/.well-known/nothing', 404],
    ['OPTIONS', '/mcp', 404],
  ] as const)(
    '%s %s answers %i, which scripts of other sites can read',
    async (method, url, status) => {
      const { app } = anApi()
      const response = await app.inject({ method, url, headers: browser })
      expect(response.statusCode).toBe(status)
      expect(response.headers['access-control-allow-origin']).toBe('*')
      expect(response.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
      expect(response.headers).not.toHaveProperty('access-control-allow-credentials')
    },
  )

  test.each(['/oauth/authorize', '/mcpx', '/elsewhere', '/oauth/authorize?x=/api/'])(
    'allows nothing at %s',
    async (url) => {
      const { app } = anApi()
      for (const headers of [browser, preflight]) {
        const method = headers === preflight ? 'OPTIONS' : 'GET'
        const response = await app.inject({ method, url, headers })
        expect(response.headers).not.toHaveProperty('access-control-allow-origin')
        expect(response.statusCode).not.toBe(204)
      }
    },
  )
})
