import type { FastifyInstance } from 'fastify'
import type { SchoolDirectory } from '../domain/schools/school-directory.ts'
import { rawQuery } from '../foundation/http/request-body.ts'

const HOST_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,20}$/

/**
 * `GET /tls-allowed?domain=NAME` says whether a proxy may get a certificate for a name: 200 for the
 * host of a school on https, 404 otherwise. Without it anyone who points names at the proxy could
 * use up its quota of certificates. The answer tells no more than a request to that host does.
 *
 * @see https://caddyserver.com/docs/caddyfile/options#on-demand-tls
 */
export function addCertificateRoute(app: FastifyInstance, directory: SchoolDirectory): void {
  app.get('/tls-allowed', { logLevel: 'warn' }, async (request, reply) => {
    const [name = '', ...others] = new URLSearchParams(rawQuery(request.url)).getAll('domain')
    const host = name.toLowerCase()
    const isName = others.length === 0 && HOST_NAME.test(host)
    const school = isName ? await directory.find(`https://${host}`) : undefined
    return reply
      .code(school === undefined ? 404 : 200)
      .header('cache-control', 'no-store')
      .send({ allowed: school !== undefined })
  })
}
