import type { FastifyReply, FastifyRequest } from 'fastify'
import { findClientFault } from './client-fault.ts'

const PLAIN_CODES: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'not_found',
  429: 'too_many_requests',
  500: 'server_error',
}

/**
 * Answers errors that no surface answered in its own dialect: the caller's faults by name, all
 * others as a 500 that tells nothing but the request id, under which the log has the cause.
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

export function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPlainError(request, reply, 404, 'There is nothing at this address.')
}

/** Every surface's error handler calls this for failures of our own, so that none goes unseen. */
export function logFailure(request: FastifyRequest, error: unknown): void {
  request.log.error({ err: error }, 'request failed')
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
    .header('x-content-type-options', 'nosniff')
    .send(
      JSON.stringify({
        error: PLAIN_CODES[status] ?? 'invalid_request',
        error_description: description,
        request_id: request.id,
      }),
    )
}
