import type { FastifyInstance } from 'fastify'
import { explorerState, EXPLORER_PATH as PATH } from '../../../domain/clients/explorer-client.ts'
import { nameSurface } from '../../../foundation/http/observe-requests.ts'
import { pageHeaders } from '../../../foundation/http/security-headers.ts'
import {
  type ExplorerAsset,
  explorerOffPage,
  explorerPage,
  loadExplorerAssets,
} from './explorer-page.tsx'

const FOR_EVER = 'public, max-age=31536000, immutable'

/**
 * The policy of any page, and in addition the script may call the school, and GraphiQL may add its
 * styles and fonts. Scripts are still limited to this origin.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** GraphiQL on every origin. It signs in by the same flow as every other client. */
export function addExplorerRoutes(app: FastifyInstance): void {
  const assets = loadExplorerAssets()
  app.register(async (scope) => {
    nameSurface(scope, 'explorer')
    scope.get(PATH, async (request, reply) => {
      const { school } = request
      const state = await explorerState(request.schoolDb, school)
      if (state !== 'on') {
        return reply
          .code(404)
          .headers(pageHeaders(school.origin, 'site'))
          .type('text/html; charset=utf-8')
          .send(explorerOffPage(school, state, assets))
      }
      const redirectUri = school.origin + PATH
      return (
        reply
          .headers(pageHeaders(school.origin, 'site'))
          .header('content-security-policy', CONTENT_SECURITY_POLICY)
          // The authorization code in the address must not leak in the Referer header.
          .header('referrer-policy', 'no-referrer')
          .type('text/html; charset=utf-8')
          .send(explorerPage(school, redirectUri, assets))
      )
    })
    for (const asset of [...assets.scripts, ...assets.styles]) addAsset(scope, asset)
  })
}

function addAsset(scope: FastifyInstance, asset: ExplorerAsset): void {
  scope.get(asset.path, async (request, reply) => {
    reply
      .header('cache-control', FOR_EVER)
      .header('vary', 'accept-encoding')
      .type(asset.contentType)
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(asset.body)
    return reply.header('content-encoding', 'gzip').send(await asset.compressed())
  })
}
