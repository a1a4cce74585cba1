import { type Explained, explain } from './explained.ts'
import { OAUTH_ERRORS } from './oauth-errors.ts'
import { SERVER_ERRORS } from './server-errors.ts'

interface ExplainedProblem {
  /** The same for all requests. @see RFC 9457 §3.1.3 */
  readonly title: string
  readonly explained: Explained
}

const problem = (title: string, explained: Explained): ExplainedProblem => ({ title, explained })

/** Every `code` of a problem of the REST API. */
export const REST_PROBLEMS = {
  malformed_request: problem(
    'The request cannot be understood',
    explain(
      'The body is not JSON, a header is malformed, or the file of an import cannot be read.',
      'Read `detail` and correct the request.',
    ),
  ),
  invalid_parameter: problem(
    'A parameter is not valid',
    explain(
      'A parameter of the query or the path is unknown, repeated, or has a value that is not allowed.',
      '`errors` names each parameter; the reference lists those that exist.',
    ),
  ),
  invalid_token: problem('The access token is missing or not accepted', OAUTH_ERRORS.invalid_token),
  insufficient_scope: problem('The access token lacks a scope', OAUTH_ERRORS.insufficient_scope),
  forbidden: problem('This is not allowed', SERVER_ERRORS.forbidden),
  not_found: problem('There is no such object', SERVER_ERRORS.not_found),
  method_not_allowed: problem(
    'This address does not support the method',
    explain('The address exists, but not with this method.', 'Use a method that `Allow` lists.'),
  ),
  conflict: problem(
    'The current state does not allow this',
    explain(
      'The request is right by itself, but not in the state that the school is in. `reason` names the rule.',
      'Look up the reason here, change the state, or leave it.',
    ),
  ),
  idempotency_in_progress: problem(
    'The same write is in progress',
    explain(
      'A request with this `Idempotency-Key` is being answered at this moment.',
      'Wait for `Retry-After` and send the same request with the same key.',
    ),
  ),
  stale_version: problem(
    'The object was changed in the meantime',
    explain(
      '`If-Match` or `if_version` names a version that is no longer the current one.',
      'Read the object again, decide again, and send the new ETag.',
    ),
  ),
  too_large: problem(
    'The body is too large',
    explain(
      'The body or the file is larger than this endpoint accepts.',
      'Send less at once; an import can be a job.',
    ),
  ),
  unsupported_media_type: problem(
    'The body has the wrong type',
    explain(
      'The `Content-Type` is not one that this endpoint accepts.',
      'Send `application/json`, or a type that the reference names for this address.',
    ),
  ),
  invalid_input: problem(
    'The input is not valid',
    explain(
      'One or more fields of the body break a rule.',
      '`errors` names each field with its own code. Correct them all and send the request again.',
    ),
  ),
  idempotency_mismatch: problem(
    'The idempotency key was used for another request',
    explain(
      'The `Idempotency-Key` was sent before with another body or to another address.',
      'Use a new key for each new write.',
    ),
  ),
  too_many_requests: problem('Too many requests', SERVER_ERRORS.too_many_requests),
  server_error: problem('Something went wrong on our side', OAUTH_ERRORS.server_error),
  temporarily_unavailable: problem('Try again shortly', OAUTH_ERRORS.temporarily_unavailable),
} as const

export type ProblemCode = keyof typeof REST_PROBLEMS
