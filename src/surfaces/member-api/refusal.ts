import { type ExecutionResult, GraphQLError } from 'graphql/index.js'
import { oneLine, oneSentence } from '../../foundation/text/one-line.ts'

export type RefusalCode =
  | 'insufficient_scope'
  | 'bad_argument'
  | 'bad_cursor'
  | 'not_found'
  | 'limit_exceeded'
  | 'rate_limited'
  | 'graphql_parse_failed'
  | 'graphql_validation_failed'
  | 'bad_request'
  | 'server_error'
  // Apollo's protocol gives this one.
  | 'PERSISTED_QUERY_NOT_SUPPORTED'

/** An error for the caller: a sentence for people and `extensions.code` for programs. */
export function refusal(
  code: RefusalCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...details } })
}

/** The same error, at the same place of the document, with a code and perhaps another message. */
export function recoded(
  error: GraphQLError,
  code: RefusalCode,
  message: string = error.message,
): GraphQLError {
  return new GraphQLError(message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { code },
  })
}

/** The answer as it is sent: the engine's messages quote names and values of the request, whole. */
export function withShortErrors({ errors, ...rest }: ExecutionResult): object {
  if (errors === undefined) return rest
  return {
    errors: errors.map(({ message, locations, path, extensions }) => ({
      message: oneSentence(message),
      ...(locations === undefined ? {} : { locations }),
      ...(path === undefined
        ? {}
        : { path: path.map((step) => (typeof step === 'string' ? oneLine(step) : step)) }),
      ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
    })),
    ...rest,
  }
}
