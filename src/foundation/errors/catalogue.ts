import { DOCUMENTS } from '../protocol/endpoints.ts'
import type { Explained } from './explained.ts'
import { OAUTH_ERRORS } from './oauth-errors.ts'
import { GRAPHQL_ERRORS, REST_PROBLEMS, RPC_ERRORS } from './rest-errors.ts'
import { SERVER_ERRORS } from './server-errors.ts'
import { INPUT_ERRORS, STATE_ERRORS } from './state-errors.ts'

/** A code of one field, or of a rule about the state: what an operation refuses with. */
export type ReasonCode = keyof typeof INPUT_ERRORS | keyof typeof STATE_ERRORS

/** Every code that any surface sends. One that is not explained in this folder does not compile. */
export type ErrorCode =
  | keyof typeof OAUTH_ERRORS
  | keyof typeof SERVER_ERRORS
  | keyof typeof REST_PROBLEMS
  | keyof typeof GRAPHQL_ERRORS
  | keyof typeof RPC_ERRORS
  | ReasonCode

interface CatalogueGroup {
  readonly id: string
  readonly title: string
  /** Where in an answer the code stands, with names in backticks. */
  readonly where: string
  readonly errors: Readonly<Record<string, Explained>>
}

const problems = Object.fromEntries(
  Object.entries(REST_PROBLEMS).map(([code, { explained }]) => [code, explained]),
)

/** In the order of the page. A code of several groups has the same explanation in all of them. */
export const ERROR_GROUPS: readonly CatalogueGroup[] = [
  {
    id: 'oauth',
    title: 'OAuth and tokens',
    where: '`error` in the JSON body, in the redirect or in `WWW-Authenticate`',
    errors: OAUTH_ERRORS,
  },
  {
    id: 'member-api',
    title: 'Member API (GraphQL)',
    where: '`extensions.code` of an entry in `errors`',
    errors: GRAPHQL_ERRORS,
  },
  { id: 'rest', title: 'REST API', where: '`code` of a problem', errors: problems },
  {
    id: 'reasons',
    title: 'Reasons of a conflict',
    where: '`reason` of a problem with the code `conflict` or `forbidden`',
    errors: STATE_ERRORS,
  },
  {
    id: 'fields',
    title: 'Fields and rows',
    where: '`errors[].code` of a problem, and the report of an import',
    errors: INPUT_ERRORS,
  },
  {
    id: 'tools',
    title: 'Tools (MCP)',
    where: '`error.code` of a JSON-RPC answer; a tool itself answers with `isError` and a text',
    errors: RPC_ERRORS,
  },
  {
    id: 'server',
    title: 'Every address',
    where: '`error` in the JSON body',
    errors: SERVER_ERRORS,
  },
]

/**
 * Where a code is explained. It has only characters that `error_uri` may hold. Where the school is
 * not known it is a path of the host that was called: no address is built from a Host header.
 *
 * @see RFC 6749 §5.2: `error_uri` is a URI-reference
 */
export function errorAddress(origin: string | undefined, code: ErrorCode): string {
  return `${origin ?? ''}${DOCUMENTS.errors}#${code}`
}
