import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/grants/caller.ts'
import type { OutlineCache } from '../../domain/learning/outline.ts'
import { SyllabusReader } from '../../domain/learning/syllabus.ts'
import { loadPerson } from '../../domain/people/person.ts'
import type { SchoolVariant } from '../../domain/schools/school.ts'
import { once } from '../../foundation/cache/lru-cache.ts'
import { acrossSchools } from '../../foundation/db/school-db.ts'
import { findClientFault, RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { chooseMediaType } from '../../foundation/http/conditional.ts'
import { LINK_HEADER } from '../../foundation/http/link-header.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { TooManyRequestsError } from '../../foundation/http/rate-limit.ts'
import { acceptJson } from '../../foundation/http/request-body.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { BadTokens, type GoodTokens } from '../../gate/bad-tokens.ts'
import { isCallerOld, loadCaller } from '../../gate/bearer-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { answerBearerError } from '../../gate/refusal.ts'
import { answerGraphQLRequest, type GraphQLAnswer } from './answer-request.ts'
import { ACCOUNT_SCOPES, type MemberContext } from './builder.ts'
import { DocumentStore } from './documents/document-store.ts'
import { DEFAULT_LIMITS, type DocumentLimits } from './documents/limits.ts'
import { type Meter, meteredOutlines } from './documents/meter.ts'
import { priceOfBody, REQUEST } from './documents/prices.ts'
import { addExplorerRoutes } from './explorer/explorer.ts'
import { type Bill, createMemberRates, refusal, sentAnswer } from './graphql-refusal.ts'
import { addSchemaDocuments, buildMemberSchema } from './schema.ts'

const PATH = ENDPOINTS.memberApi
const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The first is the default. */
const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'] as const
type MediaType = (typeof MEDIA_TYPES)[number]

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the Member API; set before the body is read. */
    viewer: Caller
    bill: Bill
  }
}

/**
 * Requests without a good token. Many more than a client that lost its token sends before it
 * notices.
 */
const REFUSED_PER_MINUTE = 6000

/** One of each in a process, however many applications a test builds. */
const SCHEMAS = {
  newer: once(() => buildMemberSchema('newer')),
  older: once(() => buildMemberSchema('older')),
}

/** The GraphQL endpoint of every origin, and its explorer. */
export function addMemberApiRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
  goodTokens: GoodTokens,
): void {
  const limits: DocumentLimits = {
    ...DEFAULT_LIMITS,
    depth: context.limits.graphqlDepth,
    cost: context.limits.graphqlCost,
  }
  const stores: Readonly<Record<SchoolVariant, DocumentStore>> = {
    newer: new DocumentStore(SCHEMAS.newer(), limits),
    older: new DocumentStore(SCHEMAS.older(), limits),
  }
  const rates = createMemberRates(context.limits.memberCostPerMinute)
  const badTokens = new BadTokens(
    { name: 'address', quota: REFUSED_PER_MINUTE, windowSeconds: 60 },
    goodTokens,
  )
  addExplorerRoutes(app)
  addSchemaDocuments(app, (variant) => stores[variant].schema)

  app.register(async (scope) => {
    nameSurface(scope, 'member-api')
    acceptJson(scope, {
      onLength: ({ bill }, characters) => bill.spend(priceOfBody(characters)),
    })
    scope.setErrorHandler(answerFailure)
    scope.decorateRequest('viewer')
    scope.decorateRequest('bill')
    scope.addHook('onRequest', async (request, reply) => {
      const caller = await badTokens.count(request, reply, () => loadViewer(request))
      request.bill = rates.begin(caller, reply)
      request.bill.spend(REQUEST)
      checkAccountScope(caller)
      request.viewer = caller
      if (request.method === 'POST') return
      reply.header('allow', 'POST')
      throw new RequestRefusedError(405, 'The Member API takes POST requests only.')
    })
    scope.post(PATH, async (request, reply) => {
      const type = chooseType(request)
      checkContentType(request)
      const caller = isCallerOld(request) ? await loadViewer(request) : request.viewer
      const { school, schoolDb, bill } = request
      rates.check(bill, reply)
      const db = acrossSchools(schoolDb)
      const contextWith = (meter: Meter): MemberContext => ({
        caller,
        school,
        schoolDb,
        db,
        syllabuses: once(
          () => new SyllabusReader(schoolDb, caller.person.id, meteredOutlines(outlines, meter)),
        ),
        profile: once(() => loadPerson(db, caller.person.id)),
        meter,
      })
      let answer: GraphQLAnswer
      try {
        const store = stores[school.variant]
        answer = await answerGraphQLRequest(
          store,
          limits,
          school,
          caller,
          contextWith,
          bill,
          request,
        )
      } finally {
        rates.tell(bill, reply)
      }
      const { refused, body } = answer
      if (body.errors !== undefined) request.outcome.result = resultWord(body.errors)
      const status = refused && type === 'application/graphql-response+json' ? 400 : 200
      return send(reply, status, type, sentAnswer(body, school.origin))
    })
    scope.route({ method: OTHER_METHODS, url: PATH, handler: (_request, reply) => reply.send() })
  })
}

const loadViewer = (request: FastifyRequest) => loadCaller(request, { boundSchool: true })

/**
 * After all checks for 401 and before content type and body, so that a caller without access learns
 * nothing about the API. The request is paid before, because a refusal takes a look at the token
 * too.
 *
 * @see RFC 6750 §3.1
 */
function checkAccountScope({ scopes }: Caller): void {
  if (ACCOUNT_SCOPES.some((scope) => scopes.has(scope))) return
  throw new OAuthError(
    'insufficient_scope',
    'The Member API requires account:read or account:write. Send the person through the authorization-code flow again with one of them among the scopes.',
    { scope: 'account:read' },
  )
}

function chooseType(request: FastifyRequest): MediaType {
  const type = chooseMediaType(request.headers.accept, MEDIA_TYPES)
  if (type !== undefined) return type
  throw new RequestRefusedError(406, `The answer can be ${MEDIA_TYPES.join(' or ')}.`)
}

/** Any web page can post a form or plain text without a preflight request (CSRF), but not JSON. */
function checkContentType({ headers }: FastifyRequest): void {
  if (headers['content-type'] === undefined) {
    throw new RequestRefusedError(415, 'Send the request as application/json.')
  }
}

function resultWord(errors: readonly { readonly extensions?: unknown }[]): string {
  const code = (errors[0]?.extensions as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : 'graphql_error'
}

/**
 * Faults of the request are GraphQL errors; token refusals and our own failures are OAuth errors.
 */
function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = findClientFault(error)
  if (fault === undefined) return answerBearerError(error, request, reply)
  const type = chooseMediaType(request.headers.accept, MEDIA_TYPES) ?? MEDIA_TYPES[0]
  if (error instanceof TooManyRequestsError) reply.header('retry-after', error.retryAfterSeconds)
  const code = fault.status === 429 ? 'rate_limited' : 'bad_request'
  request.outcome.result = code
  reply.headers(LINK_HEADER)
  return send(
    reply,
    fault.status,
    type,
    sentAnswer({ errors: [refusal(code, fault.description)] }, request.school.origin),
  )
}

function send(reply: FastifyReply, status: number, type: MediaType, body: object): FastifyReply {
  return reply
    .code(status)
    .headers(apiHeaders('no-store'))
    .header('content-type', `${type}; charset=utf-8`)
    .send(JSON.stringify(body))
}
