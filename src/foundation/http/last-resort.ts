import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../db/unavailable.ts'
import { type ErrorCode, errorAddress } from '../errors/catalogue.ts'
import { findClientFault } from './client-fault.ts'
import { LINK_HEADER } from './link-header.ts'
import { RepeatedLines } from './logging.ts'
import { NO_SNIFFING } from './security-headers.ts'

const PLAIN_CODES: Readonly<Record<number, ErrorCode>> = {
  403: 'forbidden',
  404: 'not_found',
  429: 'too_many_requests',
  500: 'server_error',
}

/**
 * Answers errors that no surface answered. A mistake of the caller is named; any other error is a
 * 500 with only the request id, which finds the cause in the log.
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
      'report the request id to the administrator of this server.',
  )
}

export function answerNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  /** Of the school, if it is known. */
  origin?: string,
): FastifyReply {
  const guide = origin === undefined ? '' : ` The guide is at ${origin}/docs.`
  return sendPlainError(request, reply, 404, `There is nothing at this address.${guide}`, origin)
}

/** Every request fails while the database is away, and all of them for the same few reasons. */
const outages = new RepeatedLines(1, 1)

/** The error handler of every surface calls this for errors that are our fault. */
export function logFailure(request: FastifyRequest, error: unknown): void {
  const told = isDatabaseUnavailable(error) ? outages.admit(error.code ?? error.message) : {}
  if (told !== undefined) request.log.error({ err: error, ...told }, 'request failed')
}

function sendPlainError(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  description: string,
  origin?: string,
): FastifyReply {
  const code = PLAIN_CODES[status] ?? 'invalid_request'
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .headers(NO_SNIFFING)
    .headers(origin === undefined ? {} : LINK_HEADER)
    .send(
      JSON.stringify({
        error: code,
        error_description: description,
        error_uri: errorAddress(origin, code),
        request_id: request.id,
      }),
    )
}
