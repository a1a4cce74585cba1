import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setPageHeaders } from '../../foundation/http/security-headers.ts'
import { brandingOf } from '../../gate/branding.ts'
import { referenceIndex, referenceOf } from './reference-page.tsx'
import { type DescribedRoute, resourceOf } from './route.ts'

/** The reference of the API for people, in the colours of the school. */
export function addReferenceRoutes(app: FastifyInstance, routes: readonly DescribedRoute[]): void {
  const resources = new Set(routes.map(resourceOf))
  const props = ({ school }: FastifyRequest) => ({
    school: brandingOf(school),
    origin: school.origin,
    routes,
  })
  app.get('/docs/api', (request, reply) => send(request, reply, referenceIndex(props(request))))
  app.get('/docs/api/:resource', (request, reply) => {
    const { resource } = request.params as { resource: string }
    if (!resources.has(resource)) return reply.callNotFound()
    return send(request, reply, referenceOf(resource, props(request)))
  })
}

function send(request: FastifyRequest, reply: FastifyReply, html: string): FastifyReply {
  return setPageHeaders(reply, request.school.origin, 'site')
    .type('text/html; charset=utf-8')
    .send(html)
}
