import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions } from 'graphql/index.js'
import { errorAddress } from '../../foundation/errors/catalogue.ts'
import { GRAPHQL_ERRORS, type GraphQLCode } from '../../foundation/errors/rest-errors.ts'
import { oneLine, oneSentence } from '../../foundation/text/visible-text.ts'

/** An error for the caller: a sentence for people and `extensions.code` for programs. */
export function refusal(
  code: GraphQLCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...details } })
}

/** The same error, at the same place of the document, with a code and perhaps another message. */
export function recoded(
  error: GraphQLError,
  code: GraphQLCode,
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

/**
 * The answer as it is sent. Messages are short, because those of the engine quote names and values of the request, whole;
 * each code comes with the address that explains it.
 */
export function sentAnswer({ errors, ...rest }: ExecutionResult, origin: string): object {
  if (errors === undefined) return rest
  return {
    errors: errors.map(({ message, locations, path, extensions }) => ({
      message: oneSentence(message),
      ...(locations === undefined ? {} : { locations }),
      ...(path === undefined
        ? {}
        : { path: path.map((step) => (typeof step === 'string' ? oneLine(step) : step)) }),
      ...(Object.keys(extensions).length === 0
        ? {}
        : { extensions: explained(extensions, origin) }),
    })),
    ...rest,
  }
}

function explained(extensions: GraphQLErrorExtensions, origin: string): object {
  const { code } = extensions
  if (typeof code !== 'string' || !Object.hasOwn(GRAPHQL_ERRORS, code)) return extensions
  return { ...extensions, docs: errorAddress(origin, code as GraphQLCode) }
}
