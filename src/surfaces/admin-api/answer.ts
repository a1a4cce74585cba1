import type { FastifyReply, FastifyRequest } from 'fastify'
import { jobSchema } from '../../domain/jobs/job-operations.ts'
import { restUrl } from '../../domain/operation/operation.ts'
import { matchesNone } from '../../foundation/http/conditional.ts'
import { rawPath, rawQuery } from '../../foundation/http/request-body.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { entityTag } from './entity-tag.ts'
import type { DescribedRoute, Route } from './route.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Output = Record<string, unknown>

export function answerOf(request: FastifyRequest, route: Route, output: Output): Answer {
  const body = JSON.stringify(output)
  return {
    status: statusOf(route),
    headers: {
      ...(output.deleted === true ? {} : { etag: entityTag(output, body) }),
      ...locationOf(request, route, output),
      ...nextLink(request, output),
    },
    body,
  }
}

/** What was made, or the job that will do it. @see RFC 9110 §15.3.3 */
export function statusOf({ operation }: DescribedRoute): 200 | 201 | 202 {
  if (operation.kind !== 'create') return 200
  return operation.output === jobSchema ? 202 : 201
}

function locationOf(request: FastifyRequest, route: Route, output: Output): Record<string, string> {
  const { kind, restPath } = route.operation
  if (kind !== 'create' || typeof output.id !== 'string') return {}
  if (route.fileWith !== undefined) return { location: String(output.url) }
  if (restPath === undefined) return {}
  return { location: restUrl(request.school.origin, restPath, output.id) }
}

/** @see RFC 8288 §3 */
function nextLink(request: FastifyRequest, output: Output): Record<string, string> {
  if (typeof output.next !== 'string') return {}
  const url = request.raw.url ?? ''
  const query = new URLSearchParams(rawQuery(url))
  query.set('after', output.next)
  return { link: `<${request.school.origin}${rawPath(url)}?${query}>; rel="next"` }
}

/** Sends the answer, or 304 if the client already has it. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: Answer,
): FastifyReply {
  reply.code(status).headers(headers).headers(apiHeaders('no-store'))
  const { etag } = headers
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (reading) reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization')
  if (reading && etag !== undefined && !matchesNone(request.headers['if-none-match'], etag)) {
    return reply.code(304).send()
  }
  return reply.header('content-type', 'application/json; charset=utf-8').send(body)
}
