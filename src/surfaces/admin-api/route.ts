import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Actor } from '../../domain/actor/actor.ts'
import { actorOf, type Caller } from '../../domain/grants/caller.ts'
import {
  API_ROOT,
  type DescribedOperation,
  neededScopes,
  type Operation,
} from '../../domain/operation/operation.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import {
  checkRate,
  createAddressRateLimiter,
  createRateLimiter,
} from '../../foundation/http/rate-limit.ts'
import { rawQuery } from '../../foundation/http/request-body.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { isUuid } from '../../foundation/protocol/token-format.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import { loadCaller } from '../../gate/bearer-gate.ts'
import { versionFrom } from './entity-tag.ts'
import type { JsonSchema } from './openapi-conventions.ts'
import { Problem, type RequestProblem } from './problem.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** The method and path of an operation in the REST API, with its description. */
export interface DescribedRoute {
  readonly method: Method
  /** Below the API's root; `{id}` names a member of the operation's input. */
  readonly path: string
  readonly operation: DescribedOperation
  /** Set if the body is a file: the members of the input that come from the query. */
  readonly fileWith?: readonly string[]
  /** Set if the body or the answer is a file of rows instead of one JSON value. */
  readonly rows?: RowFiles
}

export interface RowFiles {
  /** The content of the request or of the answer, by its media type. */
  readonly content: Readonly<Record<string, JsonSchema>>
  /** A name for the file in examples. */
  readonly file: string
}

/** The method and path of an operation in the REST API. */
export interface Route extends DescribedRoute {
  readonly operation: Operation
}

/** Which part of a request each member of the input comes from. */
export interface InputPlan {
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, QueryType>>
  readonly body: readonly string[]
  /** Taken from If-Match. */
  readonly version: boolean
}

type QueryType = 'string' | 'integer' | 'boolean' | 'list'

export function planOf({ method, path, operation, fileWith }: DescribedRoute): InputPlan {
  const inPath = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name)
  const { shape } = operation.input
  const rest = Object.keys(shape).filter((name) => !inPath.includes(name) && name !== 'if_version')
  const inQuery = fileWith ?? (method === 'GET' ? rest : [])
  return {
    path: inPath,
    query: Object.fromEntries(inQuery.map((name) => [name, queryType(shape[name] as z.ZodType)])),
    body: method === 'GET' || fileWith !== undefined ? [] : rest,
    version: 'if_version' in shape,
  }
}

function queryType(schema: z.ZodType): QueryType {
  const { type } = z.toJSONSchema(schema, { io: 'input' })
  if (type === 'integer' || type === 'boolean') return type
  return type === 'array' ? 'list' : 'string'
}

/** The path in the syntax of the router. */
export function routerPath(path: string): string {
  return API_ROOT + path.replace(/\{([a-z_]+)\}/g, ':$1')
}

/** `courses` for `courses.publish`. */
export function resourceOf({ operation }: DescribedRoute): string {
  return operation.name.split('.')[0] ?? ''
}

type Input = Record<string, unknown>

/** The input of an operation, collected from path, query, body and If-Match. */
export function inputOf(request: FastifyRequest, plan: InputPlan): Input {
  return {
    ...bodyOf(request, plan),
    ...queryOf(request, plan.query),
    ...pathOf(request, plan.path),
    ...(plan.version ? { if_version: versionFrom(request.headers['if-match']) } : {}),
  }
}

/** A path segment that is not an id gives 404, because the address is wrong and not a field. */
function pathOf(request: FastifyRequest, names: readonly string[]): Input {
  const given = request.params as Record<string, string>
  return Object.fromEntries(
    names.map((name) => {
      const value = given[name] ?? ''
      if (isUuid(value)) return [name, value.toLowerCase()]
      throw new Problem({
        status: 404,
        code: 'not_found',
        detail: 'A part of the address is not an id. Ids are UUIDs.',
      })
    }),
  )
}

export function queryOf(
  request: FastifyRequest,
  types: Readonly<Record<string, QueryType>>,
): Input {
  const input: Input = {}
  const problems: RequestProblem[] = []
  for (const [name, values] of parametersIn(rawQuery(request.raw.url ?? ''))) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    const list = name.endsWith('[]') ? name.slice(0, -2) : name
    // Many client libraries write lists as `expand[]=course`.
    if (Object.hasOwn(types, list) && types[list] === 'list') {
      const before = (input[list] ?? []) as readonly string[]
      input[list] = [...before, ...values.flatMap((value) => value.split(','))]
    } else if (type === undefined) problems.push(unknownParameter(name))
    else if (values.length > 1) problems.push(repeated(name))
    else input[name] = read(type, values[0] ?? '')
  }
  if (problems.length > 0) throw wrongParameters(problems.slice(0, 20))
  return input
}

/** Gathered in one pass: asking for each name would cost the square of their number. */
function parametersIn(query: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    const known = found.get(name)
    if (known === undefined) found.set(name, [value])
    else known.push(value)
  }
  return found
}

/** A value that cannot be read as its type is returned unchanged, and the schema refuses it. */
function read(type: QueryType, value: string): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : value
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}

export function wrongParameters(problems: readonly RequestProblem[]): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_parameter',
    detail: 'Fix the query parameters listed under errors.',
    errors: problems,
  })
}

function unknownParameter(name: string): RequestProblem {
  const detail = 'This address has no such query parameter. Remove it, or check its spelling.'
  return { parameter: oneLine(name, 100), code: 'unknown_parameter', detail }
}

function repeated(name: string): RequestProblem {
  return { parameter: name, code: 'repeated_parameter', detail: 'Send it once.' }
}

function bodyOf(request: FastifyRequest, plan: InputPlan): Input {
  if (request.method === 'GET' || request.method === 'HEAD') return {}
  const body: unknown = request.body ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new Problem({
      status: 422,
      code: 'invalid_input',
      detail: 'Send a JSON object.',
      errors: [{ pointer: '', code: 'wrong_type', detail: 'This must be a JSON object.' }],
    })
  }
  const foreign = [...plan.path, 'if_version'].filter((name) => Object.hasOwn(body as Input, name))
  if (foreign.length === 0) return body as Input
  throw new Problem({
    status: 422,
    code: 'invalid_input',
    detail: 'Remove from the body what is already in the address or the headers.',
    errors: foreign.map((name) => ({
      pointer: `/${name}`,
      code: 'unknown_field',
      detail: name === 'if_version' ? 'Send If-Match instead.' : 'This is already in the address.',
    })),
  })
}

/** This many busy apps may share one address, for example that of an office or a vendor. */
const APPS_PER_ADDRESS = 10

/**
 * Counts requests by address before their token is known, and by authorization after that, so that
 * many requests of one app do not slow another app down.
 */
export function createRateChecks(perMinute: number) {
  const ofAddress = createAddressRateLimiter({
    name: 'address',
    quota: perMinute * APPS_PER_ADDRESS,
    windowSeconds: 60,
  })
  const ofApp = createRateLimiter({ name: 'app', quota: perMinute, windowSeconds: 60 })
  return {
    ofAddress: (request: FastifyRequest, reply: FastifyReply) =>
      checkRate(ofAddress, clientAddress(request), reply),
    ofApp: (caller: Caller, reply: FastifyReply) => checkRate(ofApp, caller.authorizationId, reply),
  }
}

/**
 * The caller, who must hold an operator token. A member's token can never hold these scopes, so its
 * refusal says that an operator client is needed.
 */
export async function loadOperator(
  request: FastifyRequest,
  operation: DescribedOperation,
): Promise<Caller> {
  const caller = await loadCaller(request)
  if (caller.audience !== 'operator') {
    throw insufficientScope(
      neededScopes(operation),
      'The REST API accepts only operator tokens. Authorize an operator client as an owner or admin of this school.',
    )
  }
  checkScopes(caller, neededScopes(operation))
  return caller
}

/** @see RFC 6750 §3.1 */
export function checkScopes(caller: Caller, needed: readonly string[]): void {
  const missing = needed.filter((scope) => !caller.scopes.has(scope))
  if (missing.length === 0) return
  throw insufficientScope(
    needed,
    `The access token lacks ${missing.join(' and ')}. Authorize again with every scope that WWW-Authenticate names.`,
  )
}

function insufficientScope(needed: readonly string[], description: string): OAuthError {
  return new OAuthError('insufficient_scope', description, { scope: needed.join(' ') })
}

export function apiActor(request: FastifyRequest, caller: Caller): Actor {
  return actorOf(caller, { via: 'admin_api', origin: request.school.origin, requestId: request.id })
}
