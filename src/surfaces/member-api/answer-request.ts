import type { FastifyRequest } from 'fastify'
import { type ExecutionResult, GraphQLError, getVariableValues } from 'graphql/index.js'
import type { Caller } from '../../domain/grants/caller.ts'
import type { School } from '../../domain/schools/school.ts'
import { isDatabaseUnavailable } from '../../foundation/db/unavailable.ts'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { logFailure } from '../../foundation/http/last-resort.ts'
import type { TooManyRequestsError } from '../../foundation/http/rate-limit.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { MemberContext } from './builder.ts'
import { costWith, type Variables } from './documents/count-objects.ts'
import {
  DocumentRefused,
  type DocumentStore,
  type Operation,
  refusing,
} from './documents/document-store.ts'
import { type DocumentLimits, overLimit } from './documents/limits.ts'
import { Meter } from './documents/meter.ts'
import { priceOfReading } from './documents/prices.ts'
import { type Bill, recoded, refusal } from './graphql-refusal.ts'

/** The answer, and whether any part of the document ran. */
export interface GraphQLAnswer {
  readonly refused: boolean
  readonly body: ExecutionResult
}

/**
 * From a request to its answer: document, scopes on older origins, variables, cost, execution. A
 * refusal here is a GraphQL response too, because the request is a well-formed GraphQL request.
 *
 * @see GraphQL over HTTP §6
 */
export async function answerGraphQLRequest(
  store: DocumentStore,
  limits: DocumentLimits,
  school: School,
  caller: Caller,
  contextWith: (meter: Meter) => MemberContext,
  bill: Bill,
  request: FastifyRequest,
): Promise<GraphQLAnswer> {
  try {
    const { query, operationName, variables } = parseGraphQLRequest(request.body)
    const operation = store.load(query, operationName, school.id, (units) => bill.spend(units))
    if (school.variant === 'older') checkScopes(operation, caller.scopes)
    const coerced = coerceVariables(store, operation, variables)
    const introspection = introspectionOf(operation, coerced, limits.cost, bill)
    const cost = checkCost(operation, coerced, introspection, limits.cost)
    const meter = new Meter(limits.cost, operation.measure.sizes, bill)
    meter.spend(introspection)
    // The engines coerce the variables that were sent themselves.
    const result = await operation.run(contextWith(meter), variables, (units) => bill.spend(units))
    if (meter.stoppedBy !== undefined) throw stopped(meter.stoppedBy)
    return {
      refused: false,
      body: {
        ...(result.errors === undefined || result.errors.length === 0
          ? {}
          : { errors: result.errors.map((error) => presentable(error, request)) }),
        data: result.data ?? null,
        extensions: { cost: { requested: cost, actual: meter.cost, limit: limits.cost } },
      },
    }
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    return { refused: true, body: { errors: error.errors } }
  }
}

/** Of a query that was stopped nothing is sent: half of an answer would still be megabytes. */
function stopped(by: GraphQLError | TooManyRequestsError): Error {
  return by instanceof GraphQLError ? new DocumentRefused([by]) : by
}

/**
 * Older origins refuse the whole document if it needs a scope that the token lacks.
 *
 * @see RFC 6750 §3.1
 */
function checkScopes({ measure }: Operation, held: ScopeSet): void {
  const missing = [...measure.scopes].filter((scope) => !held.has(scope))
  if (missing.length === 0) return
  throw new OAuthError(
    'insufficient_scope',
    `This document requires ${missing.join(' and ')}, which the access token does not hold.`,
    { scope: [...measure.scopes].sort().join(' ') },
  )
}

/**
 * graphql-js has the clearest messages about wrong variables, so it checks them before execution.
 */
function coerceVariables(
  { schema }: DocumentStore,
  { definition }: Operation,
  variables: Variables,
): Variables {
  const { coerced, errors } = getVariableValues(
    schema,
    definition.variableDefinitions ?? [],
    variables,
    { maxErrors: 10 },
  )
  if (errors !== undefined) {
    throw new DocumentRefused(errors.map((error) => recoded(error, 'bad_argument')))
  }
  return coerced
}

/**
 * Variables may name types: then the schema is read now, and that is paid whether the query may run
 * or not.
 */
function introspectionOf(
  { measure: { introspection } }: Operation,
  variables: Variables,
  limit: number,
  bill: Bill,
): number {
  if (typeof introspection === 'number') return introspection
  let read = limit
  try {
    read = refusing(() => introspection(variables))
    return read
  } finally {
    bill.spend(priceOfReading(read))
  }
}

function checkCost(
  { measure }: Operation,
  variables: Variables,
  introspection: number,
  limit: number,
): number {
  const cost = costWith(measure.cost, variables) + introspection
  if (cost <= limit) return cost
  const { message, extensions } = overLimit(
    'cost',
    limit,
    `It is estimated at ${cost}: ask for smaller pages, or for less of each node.`,
  )
  throw new DocumentRefused([
    new GraphQLError(message, { extensions: { ...extensions, requested: cost } }),
  ])
}

/**
 * Refusals and the engine's own messages go to the caller. Any other error of a resolver is our
 * fault: it is logged, and the caller gets a general message. An unavailable database is thrown on,
 * because it is answered with 503; so is the refusal of a token that ended meanwhile.
 */
function presentable(error: GraphQLError, request: FastifyRequest): GraphQLError {
  const cause = error.originalError
  if (cause === undefined || cause instanceof GraphQLError) return error
  if (isDatabaseUnavailable(cause) || cause instanceof OAuthError) throw cause
  logFailure(request, cause)
  return recoded(
    error,
    'server_error',
    `Something went wrong on our side. Report the request id ${request.id} if it keeps failing.`,
  )
}

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
function parseGraphQLRequest(body: unknown): GraphQLRequest {
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
