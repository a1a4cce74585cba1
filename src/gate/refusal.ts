import type { FastifyReply, FastifyRequest } from 'fastify'
import type { School } from '../domain/schools/school.ts'
import { isDatabaseUnavailable } from '../foundation/db/unavailable.ts'
import { overloadPage, suspendedPage } from '../foundation/html/error-page.tsx'
import { findClientFault } from '../foundation/http/client-fault.ts'
import { wantsHtml } from '../foundation/http/conditional.ts'
import { logFailure } from '../foundation/http/last-resort.ts'
import { LINK_HEADER } from '../foundation/http/link-header.ts'
import { SUSPENDED } from '../foundation/http/observe-requests.ts'
import { OVERLOADED } from '../foundation/http/request-line.ts'
import { apiHeaders, pageHeaders } from '../foundation/http/security-headers.ts'
import { bearerChallenge } from '../foundation/protocol/challenge.ts'
import { errorBody, OAuthError } from '../foundation/protocol/errors.ts'
import type { ResourcePath } from '../foundation/protocol/resource-names.ts'
import { FileStoreAwayError } from '../foundation/storage/file-store.ts'

/** Long enough for a restart or a failover, short enough for a person to wait. */
export const RETRY_AFTER_SECONDS = 2

/**
 * Converts any error to an OAuth error: errors of the caller keep their code, an unavailable
 * database or file store becomes "try again" and never a refusal of the token, everything else
 * becomes a server error.
 */
export function toOAuthError(error: unknown, request: FastifyRequest): OAuthError {
  if (error instanceof OAuthError) return error
  const fault = findClientFault(error)
  if (fault !== undefined) {
    const code = fault.status === 429 ? 'temporarily_unavailable' : 'invalid_request'
    return new OAuthError(code, fault.description, { status: fault.status })
  }
  logFailure(request, error)
  if (isDatabaseUnavailable(error) || error instanceof FileStoreAwayError) {
    return new OAuthError(
      'temporarily_unavailable',
      'The service cannot answer at the moment. Try again shortly.',
      { retryAfter: RETRY_AFTER_SECONDS },
    )
  }
  return new OAuthError(
    'server_error',
    `Something went wrong on our side. Report the request id ${request.id} if it keeps failing.`,
  )
}

/** Answers in the JSON format of the OAuth endpoints. */
export function answerOAuthError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = toOAuthError(error, request)
  return sendRefusal(refusal, request, reply)
}

/**
 * Answers an error of a protected resource: with a challenge if it is about the token. `resource`
 * is what was called, if it has a metadata document of its own.
 */
export function answerBearerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  resource?: ResourcePath,
): FastifyReply {
  const refusal = toOAuthError(error, request)
  if (isAboutToken(refusal)) {
    reply.header(
      'www-authenticate',
      bearerChallenge({ origin: request.school.origin, resource, error: refusal }),
    )
  }
  return sendRefusal(refusal, request, reply)
}

function isAboutToken(refusal: OAuthError): boolean {
  return refusal.code === 'invalid_token' || refusal.code === 'insufficient_scope'
}

function sendRefusal(
  refusal: OAuthError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  request.outcome.result = refusal.code
  if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter)
  return reply
    .code(refusal.status)
    .headers(apiHeaders('no-store'))
    .headers(LINK_HEADER)
    .header('content-type', 'application/json')
    .send(JSON.stringify(errorBody(refusal, request.school.origin)))
}

/** A suspension lasts for minutes or for weeks. */
const SUSPENDED_RETRY_SECONDS = 300

/** Answers whatever was asked of the school: no credential is read, no row is touched. */
export function answerSuspended(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, origin }: Pick<School, 'name' | 'origin'>,
): FastifyReply {
  request.outcome.result = SUSPENDED
  reply.code(503).header('retry-after', SUSPENDED_RETRY_SECONDS)
  if (wantsHtml(request.headers.accept)) {
    const html = suspendedPage({ reference: request.id, name })
    return reply.headers(pageHeaders(origin, 'site')).type('text/html; charset=utf-8').send(html)
  }
  // Without an address of the school, where the explanation would be 503, too.
  const { error_uri: _, ...body } = errorBody(SUSPENSION)
  return reply
    .headers(apiHeaders('no-store'))
    .type('application/json')
    .send(JSON.stringify({ ...body, school: name }))
}

const SUSPENSION = new OAuthError(
  'temporarily_unavailable',
  'The school is suspended. Tokens and sessions stay as they are: try again later.',
)
const OVERLOAD = new OAuthError(
  'temporarily_unavailable',
  'The service gets more requests than it can answer. Try again shortly.',
)
const REFERENCE = 'REFERENCE'
let page: string | undefined

/**
 * Costs much less than to serve the request: the body is not read, and the page is rendered once.
 */
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
