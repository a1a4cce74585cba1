import { explain } from './explained.ts'
import { OAUTH_ERRORS } from './oauth-errors.ts'
import { SERVER_ERRORS } from './server-errors.ts'

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
