import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import type { Variables } from './documents/cost.ts'
import { DocumentRefused } from './documents/document-store.ts'
import { refusal } from './refusal.ts'

export interface GraphQLRequest {
  readonly query: string
  readonly variables: Variables
  readonly operationName: string | undefined
}

/**
 * Reads the four members that a request may have. Of `extensions` only the probe of a client with
 * persisted queries is recognised. Written without Zod, because it runs in every request.
 *
 * @see GraphQL over HTTP §5.1
 */
export function parseGraphQLRequest(body: unknown): GraphQLRequest {
  if (!isMap(body)) throw refused(['the body must be a JSON object with a member query'])
  const { query, variables, operationName, extensions } = body
  const problems = [
    ...(typeof query === 'string' ? [] : ['query must be a string that holds a GraphQL document']),
    ...(isMap(variables ?? {}) ? [] : ['variables must be an object']),
    ...(typeof (operationName ?? '') === 'string' ? [] : ['operationName must be a string']),
    ...(isMap(extensions ?? {}) ? [] : ['extensions must be an object']),
  ]
  if (query == null && isMap(extensions) && isMap(extensions.persistedQuery)) {
    throw notSupported()
  }
  if (problems.length > 0) throw refused(problems)
  return {
    query: query as string,
    variables: (variables ?? {}) as Variables,
    operationName: ((operationName as string | null | undefined) ?? '') || undefined,
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Persisted queries: the client sends a hash instead of the document. By this message and code it
 * learns that it must send the document, at once and in all later requests.
 */
function notSupported(): DocumentRefused {
  return new DocumentRefused([
    refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported'),
  ])
}

function refused(problems: readonly string[]): RequestRefusedError {
  return new RequestRefusedError(400, `This is no GraphQL request: ${problems.join('; ')}.`)
}
