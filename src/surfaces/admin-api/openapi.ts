import { z } from 'zod'
import { findScope, SCOPES } from '../../domain/clients/scope-catalogue.ts'
import { jobSchema } from '../../domain/jobs/job-operations.ts'
import { API_ROOT, type DescribedOperation } from '../../domain/operation/operation.ts'
import { statusOf } from './answer.ts'
import {
  type Components,
  FILE_BODY,
  type JsonSchema,
  jsonSchema,
  PARAMETERS,
  PROBLEM_SCHEMA,
  problemResponses,
  RESOURCE_NOTES,
} from './openapi-conventions.ts'
import { type DescribedRoute, planOf, type RowFiles, resourceOf } from './route.ts'

interface DescribedSchool {
  readonly origin: string
  /** A Contact Object, or what stands for it in a template. */
  readonly contact: unknown
}

/**
 * The description of the REST API. It is built from the routes and their operations, so that it
 * always matches the server. Only the origin and the contact differ between schools.
 */
export function openApiDocument(
  routes: readonly DescribedRoute[],
  { origin, contact }: DescribedSchool,
): JsonSchema {
  const components: Components = new Map([['Problem', PROBLEM_SCHEMA]])
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) {
    const path = API_ROOT + route.path
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operationObject(route, components),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Schoolgate Admin API',
      version: API_VERSION,
      summary: 'Run a school: courses, students, sales and content.',
      description: DESCRIPTION,
      contact,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin, description: 'The school whose origin you read this from.' }],
    tags: [...new Set(routes.map(resourceOf))].map((name) => ({
      name,
      description: RESOURCE_NOTES[name],
    })),
    security: [{ operator: [] }],
    paths,
    components: {
      securitySchemes: { operator: securityScheme(origin) },
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      parameters: PARAMETERS,
      responses: problemResponses(),
    },
  }
}

/** The version of the interface, not of the server: it changes with paths, inputs or answers. */
const API_VERSION = '1.3.0'

const DESCRIPTION = [
  'Get an access token by the authorization-code flow with PKCE for an operator client, as an owner or admin of the school.',
  'Lists are paged: pass `next` of one page as `after` of the following one.',
  'Times are RFC 3339 in UTC; money is in minor units with its currency.',
  'Every write takes an `Idempotency-Key`. If it is repeated within 24 hours, it gets the first answer again, marked `Idempotent-Replayed: true`.',
  'Changes take `If-Match` with the ETag of the object, and are refused with 412 if the object was changed in the meantime.',
  'A write answers with the object that it wrote. If the token lacks the read scope, the answer has only `object`, `id`, `version`, the members that were sent, and what the call itself made, such as the `url` of an upload; an import does not say how many rows were created or unchanged, and a conflict has no reason.',
  'Import and export many objects at once as NDJSON or CSV files with `/import` and `/export` of a resource.',
  'With `Prefer: respond-async` an import or export is a job: 202, with its address in `Location`. Ask there how far it is.',
  'Errors are RFC 9457 problems: `errors` names each field, and `request_id` helps to report a problem.',
].join(' ')

function operationObject(route: DescribedRoute, components: Components): JsonSchema {
  const { operation } = route
  const plan = planOf(route)
  const reading = operation.kind === 'read'
  const example = operation.examples[0]?.input ?? {}
  return {
    operationId: operationId(operation.name),
    tags: [resourceOf(route)],
    summary: operation.title,
    description: operation.summary,
    security: [{ operator: operation.scopes }],
    parameters: [
      ...plan.path.map((name) => parameter('path', name, route, components, example)),
      ...Object.keys(plan.query).map((name) =>
        parameter('query', name, route, components, example),
      ),
      ...(route.rows === undefined
        ? [reading ? reference('IfNoneMatch') : reference('IdempotencyKey')]
        : []),
      ...(canBeJob(route) ? [reference('Prefer')] : []),
      ...(plan.version ? [reference('IfMatch')] : []),
    ],
    ...(plan.body.length === 0 ? {} : { requestBody: requestBody(route, plan.body, components) }),
    ...(route.fileWith === undefined ? {} : { requestBody: fileBody(route) }),
    responses: {
      [String(statusOf(route))]: success(route, components),
      ...(canBeJob(route) ? { '202': jobStarted(components) } : {}),
      ...(reading && route.rows === undefined
        ? { '304': { description: 'The caller has the current version.' } }
        : {}),
      ...Object.fromEntries(statusesOf(route).map((status) => [status, problem(status)])),
    },
  }
}

/** Work on files of rows can be long. */
function canBeJob({ operation, rows }: DescribedRoute): boolean {
  return rows !== undefined && operation.scopes.length > 0
}

function jobStarted(components: Components): JsonSchema {
  const header = { schema: { type: 'string' } }
  return {
    description: 'With Prefer: respond-async: the job that does it.',
    headers: { Location: header, 'Preference-Applied': header },
    content: { 'application/json': { schema: jsonSchema(jobSchema, 'output', components) } },
  }
}

function fileBody({ rows }: DescribedRoute): JsonSchema {
  return rows === undefined ? FILE_BODY : { required: true, content: rows.content }
}

function statusesOf({ operation }: DescribedRoute): number[] {
  const write = operation.kind !== 'read'
  const statuses = [400, 401, 403, 404, ...(write ? [409, 413, 415, 422] : []), 429, 500, 503]
  if ('if_version' in operation.input.shape) statuses.push(412)
  return statuses.sort()
}

function success(route: DescribedRoute, components: Components): JsonSchema {
  const { operation, rows } = route
  const headers = {
    ...(operation.kind === 'remove' || rows !== undefined
      ? {}
      : { ETag: { schema: { type: 'string' } } }),
    ...(operation.kind === 'create' ? { Location: { schema: { type: 'string' } } } : {}),
    RateLimit: { schema: { type: 'string' } },
    'RateLimit-Policy': { schema: { type: 'string' } },
  }
  const schema = jsonSchema(operation.output, 'output', components)
  const content =
    rows !== undefined && operation.kind === 'read'
      ? exportContent(rows, schema)
      : { 'application/json': { schema } }
  return { description: describeAnswer(operation), headers, content }
}

function describeAnswer({ kind, title, scopes }: DescribedOperation): string {
  const read = scopes.map((scope) => scope.replace(/:write$/, ':read'))
  const isShortened = read.length > 0 && read.every((scope) => findScope(scope) !== undefined)
  if (kind === 'read' || kind === 'remove' || !isShortened) return title
  return `${title}. Without ${read.join(' and ')} most members are left out.`
}

/** The content of each line, by `contentSchema` of JSON Schema §8.5. */
function exportContent({ content }: RowFiles, contentSchema: JsonSchema): JsonSchema {
  const ndjson = content['application/x-ndjson']
  const schema = { ...(ndjson?.schema as JsonSchema), contentSchema }
  return { ...content, 'application/x-ndjson': { schema } }
}

function requestBody(
  route: DescribedRoute,
  names: readonly string[],
  components: Components,
): JsonSchema {
  const { operation, method } = route
  const shape = Object.fromEntries(names.map((name) => [name, operation.input.shape[name]]))
  const body = z.strictObject(shape as z.ZodRawShape)
  const name = `${operationId(operation.name)}Body`
  components.set(name[0]?.toUpperCase() + name.slice(1), jsonSchema(body, 'input', components))
  const examples = Object.fromEntries(
    operation.examples.map(({ title, input }) => [
      title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      { summary: title, value: pick(input, names) },
    ]),
  )
  const content = {
    schema: { $ref: `#/components/schemas/${name[0]?.toUpperCase()}${name.slice(1)}` },
    examples,
  }
  const required = !body.safeParse({}).success
  return {
    required,
    content: {
      'application/json': content,
      ...(method === 'PATCH' ? { 'application/merge-patch+json': content } : {}),
    },
  }
}

export function pick(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)))
}

function parameter(
  place: 'path' | 'query',
  name: string,
  { operation }: DescribedRoute,
  components: Components,
  example: Readonly<Record<string, unknown>>,
): JsonSchema {
  const { description, ...schema } = jsonSchema(
    operation.input.shape[name] as z.ZodType,
    'input',
    components,
  )
  const required = place === 'path' || !operation.input.shape[name]?.safeParse(undefined).success
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    ...(example[name] === undefined ? {} : { example: example[name] }),
  }
}

function securityScheme(origin: string): JsonSchema {
  const scopes = SCOPES.filter(({ audience }) => audience === 'operator')
  return {
    type: 'oauth2',
    description: 'Operator clients; PKCE with S256 is required.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${origin}/oauth/authorize`,
        tokenUrl: `${origin}/api/oauth/token`,
        refreshUrl: `${origin}/api/oauth/token`,
        scopes: Object.fromEntries(scopes.map(({ name, meaning }) => [name, meaning])),
      },
    },
  }
}

/** `courses.publish` becomes `coursesPublish`, which client generators can use as a name. */
function operationId(name: string): string {
  return name.replaceAll(/[._]([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

function reference(name: keyof typeof PARAMETERS): JsonSchema {
  return { $ref: `#/components/parameters/${name}` }
}

function problem(status: number): JsonSchema {
  return { $ref: `#/components/responses/Problem${status}` }
}
