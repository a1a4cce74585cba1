import type { FastifyInstance } from 'fastify'
import { rawPath } from './raw-url.ts'

// The listed names are for browsers that read `*` literally. `*` covers the MCP headers whose names
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
 * Lets scripts of any site call the APIs, but never with cookies: the APIs need a bearer token that
 * the script has itself, so a cookie could only do harm.
 *
 * Call it on the root scope with the API's paths, because preflights and 404s of paths without a
 * route run only the hooks of the root scope. Call it before adding hooks that may refuse.
 *
 * @see RFC 9700 §2.6: the authorization endpoint must not allow cross-origin calls
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

/** Matches paths: `/mcp` means exactly that path, `/api/` every path below it. */
export function pathsAmong(names: readonly string[]): (path: string) => boolean {
  const exact = new Set(names.filter((name) => !name.endsWith('/')))
  const folders = names.filter((name) => name.endsWith('/'))
  return (path) => exact.has(path) || folders.some((folder) => path.startsWith(folder))
}
