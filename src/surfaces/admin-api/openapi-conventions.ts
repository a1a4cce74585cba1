import { z } from 'zod'
import { REST_PROBLEMS } from '../../foundation/errors/rest-errors.ts'
import { isSchemaNoise } from '../../foundation/json/json-walk.ts'

/** Parameters, schemas and responses that all operations share. */

export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Up to 255 visible ASCII characters that name this write. Repeating it within 24 hours with the same key and body gives the first answer again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of the object as the caller read it. The change is refused with 412 if the object was changed since.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of the copy that the caller has; the answer is 304 if it is still current.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description:
      'With respond-async (RFC 7240) the work is a job: the answer is 202 at once, with its address in Location.',
    schema: { type: 'string', enum: ['respond-async'] },
  },
} as const satisfies Record<string, JsonSchema>

export const FILE_BODY: JsonSchema = {
  required: true,
  description: 'The bytes of the file, at most 50 MiB unless the server is configured differently.',
  content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
}

export const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'A problem as in RFC 9457.',
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Where this origin explains the code.',
    },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What went wrong and what to do next.' },
    instance: { type: 'string', description: 'The path that was called.' },
    code: { type: 'string', enum: Object.keys(REST_PROBLEMS) },
    request_id: { type: 'string' },
    reason: { type: 'string', description: 'The rule behind a conflict or a forbidden request.' },
    version: { type: 'integer', description: 'The version that the object has now.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'Where in the body, as a JSON pointer.' },
          parameter: { type: 'string', description: 'Which parameter.' },
          code: { type: 'string' },
          detail: { type: 'string' },
          minimum: { type: 'integer', description: 'The lower limit, for too_small.' },
          maximum: { type: 'integer', description: 'The upper limit, for too_big.' },
        },
        required: ['code', 'detail'],
      },
    },
    error: {
      type: 'string',
      description: 'The code of RFC 6750 §3.1, if the problem is about the token.',
    },
    error_description: { type: 'string' },
    error_uri: { type: 'string', format: 'uri' },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'A parameter or a header is not valid, or the body is not JSON.',
  401: 'The access token is missing or not accepted here.',
  403: 'The access token lacks a scope, or the person is not allowed to do this.',
  404: 'There is no such object at this school.',
  409: 'The current state does not allow this, or the same write is in progress.',
  412: 'The object was changed in the meantime.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The input is not valid, or the idempotency key was used for another request.',
  429: 'Too many requests; Retry-After says when to try again.',
  500: 'An error of the server.',
  503: 'Try again shortly; Retry-After says when.',
}

/** `Problem404` and so on, for operations to refer to. */
export function problemResponses(): Record<string, JsonSchema> {
  const content = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  }
  const header = { schema: { type: 'string' } }
  return Object.fromEntries(
    Object.entries(MEANINGS).map(([status, description]) => [
      `Problem${status}`,
      {
        description,
        ...(status === '401' || status === '403'
          ? { headers: { 'WWW-Authenticate': header } }
          : {}),
        ...(status === '429' || status === '503' ? { headers: { 'Retry-After': header } } : {}),
        content,
      },
    ]),
  )
}

export type JsonSchema = Record<string, unknown>

/** Schemas by the names that `$ref` uses. */
export type Components = Map<string, JsonSchema>

/**
 * Converts a Zod schema for OpenAPI. Named parts move into `components`, and `$ref` points to them.
 *
 * @see OpenAPI 3.1 §4.8.24
 */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Components,
): JsonSchema {
  const { $defs = {}, ...rest } = z.toJSONSchema(schema, { io, reused: 'inline' }) as JsonSchema
  for (const [name, part] of Object.entries($defs as Record<string, JsonSchema>)) {
    components.set(name, tidy(part) as JsonSchema)
  }
  const named = schema.meta()?.id
  if (named === undefined) return tidy(rest) as JsonSchema
  // A named schema that refers to itself is already among its own definitions.
  if (!components.has(named)) components.set(named, tidy(rest) as JsonSchema)
  return { $ref: `#/components/schemas/${named}` }
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name, member]) => !isNoise(name, member, value))
  return Object.fromEntries(
    kept.map(([name, member]) =>
      name === '$ref' ? [name, componentOf(String(member))] : [name, tidy(member)],
    ),
  )
}

function isNoise(name: string, member: unknown, schema: object): boolean {
  if (name === '$schema' || name === 'id') return typeof member === 'string'
  return isSchemaNoise(name, member, schema)
}

function componentOf(reference: string): string {
  return reference.replace('#/$defs/', '#/components/schemas/')
}

/** One sentence for each resource, for the reference and for the tags of the OpenAPI document. */
export const RESOURCE_NOTES: Readonly<Record<string, string>> = {
  analytics: 'Revenue, enrollments, completion and active learners over time.',
  appearance: 'Tagline, logo and colors of the school’s pages.',
  comments: 'Comments of members under lectures.',
  coupons: 'Discount codes with their limits, their period and how often they were used.',
  courses: 'The courses of the school: drafts, published and archived ones.',
  curriculum: 'All sections and lectures of a course, in their order.',
  digital_products: 'Files that the school sells or gives away.',
  enrollments: 'Access of students to courses, with its start and end.',
  event_registrations: 'Registrations of members for events.',
  events: 'Events of the school, on site or online.',
  files: 'Uploads, served as downloads only.',
  form_submissions: 'Answers to forms. They can only be read.',
  forms: 'Forms with questions for visitors.',
  jobs: 'Long work in the background: how far it is, and what came of it.',
  lecturers: 'The lecturer profiles that the school’s pages show.',
  lectures: 'The lectures of a section, and when each opens.',
  members: 'All people with a role at the school: owners, admins, lecturers and students.',
  membership_plans: 'Plans that members can subscribe to, with their prices.',
  orders: 'Purchases with every attempt to pay and every refund.',
  payments: 'Every attempt to pay an order, one per row, for accounting.',
  progress: 'The progress of students, one lecture per row.',
  pages: 'Pages of the school’s site, in Markdown.',
  posts: 'News of the school, in Markdown.',
  school: 'The school itself: its name, language, currency and time zone.',
  sections: 'The chapters of a course.',
  students: 'All people with the student role. Only they can change their name and email.',
  subscriptions: 'Members’ subscriptions to membership plans, with their periods.',
}
