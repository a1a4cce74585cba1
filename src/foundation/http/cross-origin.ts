import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { RequestRefusedError } from './client-fault.ts'
import { rawPath } from './request-body.ts'

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

/** A form post that a page of another site may have caused. */
export class ForgedPostError extends RequestRefusedError {
  constructor(description: string) {
    super(403, description)
    this.name = 'ForgedPostError'
  }
}

/**
 * Refuses form posts that come from another site according to the browser's headers. Programs and
 * old browsers send neither header; for them only the form token decides. The token is checked
 * after this in every case.
 *
 * Sandboxed frames and cross-site redirects send `Origin: null`, so it counts as foreign.
 * `Sec-Fetch-Site: none` means that the person started the request; a site cannot fake it.
 *
 * @see RFC 6454 §7.3
 * @see RFC 9700 §4.7
 */
export function checkSameOriginPost(headers: IncomingHttpHeaders, origin: string): void {
  const site = headers['sec-fetch-site']
  const isForeignOrigin = headers.origin !== undefined && headers.origin !== origin
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (isForeignOrigin || isForeignSite) {
    throw new ForgedPostError(
      'This form was sent from another site. Open the page here and send it again.',
    )
  }
}
