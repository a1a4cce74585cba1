import type { FastifyReply, FastifyRequest } from 'fastify'
import type { InputProblem, Refusal } from '../../domain/operation/refusal.ts'
import { errorAddress } from '../../foundation/errors/catalogue.ts'
import { type ProblemCode, REST_PROBLEMS } from '../../foundation/errors/rest-errors.ts'
import { findClientFault } from '../../foundation/http/client-fault.ts'
import { LINK_HEADER } from '../../foundation/http/link-header.ts'
import { rawPath } from '../../foundation/http/request-body.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { bearerChallenge } from '../../foundation/protocol/challenge.ts'
import { errorBody, OAuthError } from '../../foundation/protocol/errors.ts'
import { oneLine, oneSentence } from '../../foundation/text/visible-text.ts'
import { toOAuthError } from '../../gate/refusal.ts'

/** A problem in the body of a request, by its pointer, or in a parameter, by its name. */
export type RequestProblem =
  | InputProblem
  | ({ readonly parameter: string } & Omit<InputProblem, 'pointer'>)

interface ProblemDetails {
  readonly status: number
  readonly code: ProblemCode
  readonly detail: string
  readonly errors?: readonly RequestProblem[]
  readonly headers?: Readonly<Record<string, string>>
  /** More members of the body. */
  readonly members?: Readonly<Record<string, unknown>>
}

/** Thrown to refuse a request with a problem of the REST API. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly details: ProblemDetails

  constructor(details: ProblemDetails) {
    super(details.detail)
    this.details = details
  }
}

/** An operation's refusal as a problem. */
export function problemOf(refusal: Refusal): Problem {
  switch (refusal.kind) {
    case 'not_found':
      return new Problem({ status: 404, code: 'not_found', detail: refusal.detail })
    case 'forbidden':
      return new Problem({
        status: 403,
        code: 'forbidden',
        detail: refusal.detail,
        members: { reason: refusal.code },
      })
    case 'stale':
      return new Problem({
        status: 412,
        code: 'stale_version',
        detail:
          'Read the object again, check what changed, and send the request with the new ETag.',
        members: { version: refusal.version },
      })
    case 'conflict':
      return new Problem({
        status: 409,
        code: 'conflict',
        detail: refusal.detail,
        members: { reason: refusal.code },
        ...(refusal.pointer === undefined
          ? {}
          : { errors: [{ pointer: refusal.pointer, code: refusal.code, detail: refusal.detail }] }),
      })
    case 'invalid':
      return new Problem({
        status: 422,
        code: 'invalid_input',
        detail: 'Fix the problems listed under errors and send the request again.',
        errors: refusal.problems,
      })
  }
}

const CODES: Readonly<Record<number, ProblemCode>> = {
  405: 'method_not_allowed',
  413: 'too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
}

/** The error handler of the REST API: answers every error as a problem (RFC 9457). */
export function answerProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof Problem) return sendProblem(request, reply, error.details)
  const fault = error instanceof OAuthError ? undefined : findClientFault(error)
  if (fault !== undefined) {
    const code = CODES[fault.status] ?? 'malformed_request'
    return sendProblem(request, reply, { status: fault.status, code, detail: fault.description })
  }
  const refusal = toOAuthError(error, request)
  if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter)
  if (refusal.code === 'invalid_token' || refusal.code === 'insufficient_scope') {
    reply.header(
      'www-authenticate',
      bearerChallenge({ origin: request.school.origin, error: refusal }),
    )
  }
  return sendProblem(request, reply, {
    status: refusal.status,
    code: refusal.code in REST_PROBLEMS ? (refusal.code as ProblemCode) : 'malformed_request',
    detail: refusal.description,
    // Adds the members of RFC 6750 for clients that read only those.
    members: { ...errorBody(refusal, request.school.origin) },
  })
}

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, code, detail, errors, headers, members }: ProblemDetails,
): FastifyReply {
  request.outcome.result = code
  return reply
    .code(status)
    .headers(apiHeaders('no-store'))
    .headers(LINK_HEADER)
    .headers(headers ?? {})
    .header('content-type', 'application/problem+json')
    .send(
      JSON.stringify({
        type: errorAddress(request.school.origin, code),
        title: REST_PROBLEMS[code].title,
        status,
        detail: oneSentence(detail),
        instance: oneLine(rawPath(request.raw.url ?? '')),
        code,
        request_id: request.id,
        ...(errors === undefined ? {} : { errors }),
        ...members,
      }),
    )
}
