import type { FastifyRequest } from 'fastify'
import { rawQuery } from '../../foundation/http/request-body.ts'
import { isUuid } from '../../foundation/protocol/token-format.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import { versionFrom } from './entity-tag.ts'
import { Problem, type RequestProblem } from './problem.ts'
import type { InputPlan, QueryType } from './route.ts'

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
