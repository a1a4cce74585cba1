import type { FastifyReply } from 'fastify'
import { apiHeaders } from '../../foundation/http/security-headers.ts'

/** @see RFC 6749 §5.1 (neither tokens nor refusals may be kept by a cache) */
export function sendJson(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers(apiHeaders('no-store'))
    .header('pragma', 'no-cache')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body))
}
