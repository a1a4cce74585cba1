import type { FastifyInstance } from 'fastify'
import { rawPath } from './raw-url.ts'

// The named ones are for browsers that take `*` literally. `*` covers the MCP headers whose names
// depend on a tool's parameters, but never Authorization (Fetch §3.3.3).
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  '*',
].join(', ')

const EXPOSED_HEADERS = [
  'WWW-Authenticate',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'ETag',
  'Link',
  'Location',
  'Idempotent-Replayed',
  'Mcp-Session-Id',
  'X-Request-Id',
].join(', ')

const CROSS_ORIGIN_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
} as const

/**
 * Lets scripts of any site call the APIs. Never with credentials: these answers depend on a bearer
 * token that the script must hold itself, so a cookie could only do harm.
 *
 * To be called on the root scope with the API's paths, because preflights and 404s of paths
 * without a route run no other scope's hooks, and before hooks that may refuse.
 *
 * @see RFC 9700 §2.6 for the authorization endpoint, which must stay out of it
 */
export function allowCrossOrigin(app: FastifyInstance, applies: (path: string) => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, url = '' } = request.raw
    if (!applies(rawPath(url))) {
      done()
      return
    }
    if (request.method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      reply.headers(CROSS_ORIGIN_HEADERS)
      done()
      return
    }
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
      .header('access-control-allow-headers', ALLOWED_HEADERS)
      .header('access-control-max-age', '86400')
      .send()
  })
}

/** Tests paths against names: `/mcp` is that path alone, `/api/` everything below it. */
export function pathsAmong(names: readonly string[]): (path: string) => boolean {
  const exact = new Set(names.filter((name) => !name.endsWith('/')))
  const folders = names.filter((name) => name.endsWith('/'))
  return (path) => exact.has(path) || folders.some((folder) => path.startsWith(folder))
}
