import { type Explained, explain } from './explained.ts'
import { OAUTH_ERRORS } from './oauth-errors.ts'
import { SERVER_ERRORS } from './server-errors.ts'

interface ExplainedProblem {
  /** Does not depend on the request. @see RFC 9457 §3.1.3 */
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

/** Every `extensions.code` of the Member API. */
export const GRAPHQL_ERRORS = {
  insufficient_scope: OAUTH_ERRORS.insufficient_scope,
  bad_argument: explain(
    'An argument or a variable has a value that is not allowed, such as a negative page size.',
    'Correct the argument that the message names.',
  ),
  bad_cursor: explain(
    '`after` or `before` is not a cursor of this list.',
    'Pass a cursor from `pageInfo` or `edges` of the same list, unchanged; start again without one.',
  ),
  not_found: SERVER_ERRORS.not_found,
  limit_exceeded: explain(
    'The document is too deep or too long, or the answer of a query or a tool would be too large or take too long. Nothing was sent.',
    'Ask for less: smaller pages, fewer lists at once, fewer aliases.',
  ),
  rate_limited: explain(
    'This authorization has used up what it may read for now.',
    'Wait for `Retry-After`. Smaller queries cost less; `extensions.cost` shows the price of each.',
  ),
  graphql_parse_failed: explain(
    'The document is not GraphQL.',
    'Correct the syntax at the location that the error names.',
  ),
  graphql_validation_failed: explain(
    'The document does not fit the schema of this origin; older origins have fewer fields.',
    'Compare it with /schema.graphql of this origin.',
  ),
  bad_request: explain(
    'The request is not a GraphQL request: wrong method, type or body.',
    'Send POST with `Content-Type:` `application/json` and a JSON object with a string `query`.',
  ),
  server_error: OAUTH_ERRORS.server_error,
  // Apollo's protocol gives this one.
  PERSISTED_QUERY_NOT_SUPPORTED: explain(
    'The request has only the hash of a query. Persisted queries are not kept here.',
    'Send the whole query. Apollo’s link does so by itself after this answer.',
  ),
} as const

export type GraphQLCode = keyof typeof GRAPHQL_ERRORS

/**
 * Every `error.code` of the tool endpoint: JSON-RPC's where it has one, else the HTTP status, which
 * lies outside the range that JSON-RPC keeps for itself.
 */
export const RPC_ERRORS = {
  '-32700': explain('The body is not JSON.', 'Send one JSON-RPC message as JSON.'),
  '-32600': explain(
    'The body is JSON, but not one JSON-RPC message, or one with names or parts that are too long or too many.',
    'Send one message per request; batches are not accepted.',
  ),
  '-32601': explain(
    'There is no such method in this revision of the protocol, or it is not offered here.',
    'Call server/discover or initialize to see what is offered.',
  ),
  '-32602': explain(
    'The parameters do not fit the method, or no tool has this name.',
    'Call tools/list and use a name and arguments from there.',
  ),
  '-32603': explain(
    'Something failed on the side of the server.',
    'Try again in a moment. If it keeps failing, report the request id.',
  ),
  '-32000': explain(
    'The `Mcp-Protocol-Version` header names a revision of the protocol that is not spoken here.',
    'Send one of the revisions that the message lists, or leave the header out.',
  ),
  '-32020': explain(
    'A header of the message, such as `Mcp-Name`, says something else than its body.',
    'Send headers that agree with the body.',
  ),
  '-32022': explain(
    'The message names a revision of the protocol that is not spoken here.',
    'Use one of the revisions that the error lists.',
  ),
  '403': explain('The Origin header names no origin.', 'Leave it out, or send a real one.'),
  '405': explain(
    'The endpoint takes POST only; there is no stream and no session to end.',
    'Send every message by POST.',
  ),
  '406': explain('The answers are JSON.', 'Send `Accept:` `application/json`.'),
  '408': explain('The body did not arrive in time.', 'Send the message again.'),
  '413': explain('The message is too large.', 'Send less at once.'),
  '414': explain('The address is too long.', 'Send messages to /mcp or /mcp/member.'),
  '415': explain(
    'The message has the wrong type or a `Content-Encoding`.',
    'Send `Content-Type:` `application/json`, uncompressed.',
  ),
  '429': explain(
    'More messages came than the limit allows.',
    'Wait for `Retry-After`, and keep your token.',
  ),
} as const

export type RpcCode = keyof typeof RPC_ERRORS
