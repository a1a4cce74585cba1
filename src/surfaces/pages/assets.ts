import type { FastifyInstance } from 'fastify'
import { loadAssets } from '../../foundation/html/assets.ts'
import { themeStylesheet } from '../../foundation/html/theme.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { themeVersion } from '../../gate/branding.ts'

/** The address contains a hash of the content, so a browser never has to fetch it again. */
const FOR_EVER = 'public, max-age=31536000, immutable'

const FOR_A_DAY = 'public, max-age=86400'

/** The same at every school, and on hosts without a school, whose error pages need them too. */
export function addAssetRoutes(app: FastifyInstance): void {
  const { byPath, byStablePath } = loadAssets()
  app.register(async (scope) => {
    nameSurface(scope, 'pages')
    const add = (cacheControl: string, path: string, contentType: string, body: Buffer): void => {
      scope.get(path, (_request, reply) => {
        reply.header('cache-control', cacheControl).type(contentType).send(body)
      })
    }
    for (const [path, { contentType, body }] of byPath) add(FOR_EVER, path, contentType, body)
    for (const [path, { contentType, body }] of byStablePath) {
      add(FOR_A_DAY, path, contentType, body)
    }
  })
}

/** The colours of a school. */
export function addThemeRoute(app: FastifyInstance): void {
  app.get('/theme.:version.css', (request, reply) => {
    const { version } = request.params as { version: string }
    const current = version === themeVersion(request.school)
    reply
      .header('cache-control', current ? FOR_EVER : 'no-store')
      .type('text/css; charset=utf-8')
      .send(themeStylesheet(request.school.appearance))
  })
}
