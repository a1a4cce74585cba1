import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../db/unavailable.ts'
import { findClientFault } from './client-fault.ts'
import { RepeatedLines } from './repeated-lines.ts'
import { NO_SNIFFING } from './security-headers.ts'

const PLAIN_CODES: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'not_found',
  429: 'too_many_requests',
  500: 'server_error',
}

/**
 * Answers errors that no surface answered. A mistake of the caller is named; any other error is a 500
 * with only the request id, which finds the cause in the log.
 */
export function answerLastResort(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const fault = findClientFault(error)
  if (fault !== undefined) return sendPlainError(request, reply, fault.status, fault.description)
  logFailure(request, error)
  return sendPlainError(
    request,
    reply,
    500,
    'Something went wrong on our side. Try again in a moment; if it keeps failing, ' +
      'report the request id to the operator of this server.',
  )
}

export function answerNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  guideUrl?: string,
): FastifyReply {
  const guide = guideUrl === undefined ? '' : ` The guide is at ${guideUrl}.`
  return sendPlainError(request, reply, 404, `There is nothing at this address.${guide}`)
}

/** Every request fails while the database is away, and all of them for the same reason. */
const outages = new RepeatedLines(10, 1)

/** The error handler of every surface calls this for errors that are our fault. */
export function logFailure(request: FastifyRequest, error: unknown): void {
  const told = isDatabaseUnavailable(error) ? outages.admit('database') : {}
  if (told !== undefined) request.log.error({ err: error, ...told }, 'request failed')
}

function sendPlainError(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  description: string,
): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .headers(NO_SNIFFING)
    .send(
      JSON.stringify({
        error: PLAIN_CODES[status] ?? 'invalid_request',
        error_description: description,
        request_id: request.id,
      }),
    )
}
