import type { FastifyReply, FastifyRequest } from 'fastify'
import { overloadPage } from '../foundation/html/error-pages.tsx'
import { wantsHtml } from '../foundation/http/negotiate.ts'
import { OVERLOADED } from '../foundation/http/request-line.ts'
import { apiHeaders, pageHeaders } from '../foundation/http/security-headers.ts'
import { errorBody, OAuthError } from '../foundation/protocol/errors.ts'
import { RETRY_AFTER_SECONDS } from './refusal.ts'

const OVERLOAD = new OAuthError(
  'temporarily_unavailable',
  'The service gets more requests than it can answer. Try again shortly.',
)
const REFERENCE = 'REFERENCE'
let page: string | undefined

/** Costs much less than to serve the request: the body is not read, and the page is rendered once. */
export function answerOverloaded(
  request: FastifyRequest,
  reply: FastifyReply,
  /** Of the school, if it is known. */
  origin: string | undefined,
): FastifyReply {
  request.outcome.result = OVERLOADED
  reply.code(503).header('retry-after', RETRY_AFTER_SECONDS)
  if (wantsHtml(request.headers.accept)) {
    page ??= overloadPage({ reference: REFERENCE })
    reply.headers(pageHeaders('http://', 'site')).type('text/html; charset=utf-8')
    return reply.send(page.replace(REFERENCE, request.id))
  }
  return reply
    .headers(apiHeaders('no-store'))
    .type('application/json')
    .send(JSON.stringify(errorBody(OVERLOAD, origin)))
}
