import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/grants/caller.ts'
import { noteScopes } from '../../domain/grants/count-activity.ts'
import {
  API_ROOT,
  neededScopes,
  performOperation,
  type WriteOperation,
} from '../../domain/operation/operation.ts'
import { once } from '../../foundation/cache/lru-cache.ts'
import { sendDocument } from '../../foundation/http/conditional.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { acceptJson } from '../../foundation/http/request-body.ts'
import { DOCUMENTS } from '../../foundation/protocol/endpoints.ts'
import { isCallerOld } from '../../gate/bearer-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { perSchool } from '../../gate/school-gate.ts'
import { type Answer, answerOf, sendAnswer } from './answer.ts'
import { addBulkRoutes, BULK_ROUTES } from './bulk.ts'
import { Descriptions } from './descriptions.ts'
import { addJobFileRoute, JOB_FILE_ROUTE } from './import-body.ts'
import { openApiDocument } from './openapi.ts'
import { postmanCollection } from './postman.ts'
import { answerProblem, Problem, problemOf } from './problem.ts'
import { addReferenceRoutes } from './reference-page.tsx'
import {
  apiActor,
  checkScopes,
  createRateChecks,
  type DescribedRoute,
  type InputPlan,
  inputOf,
  loadOperator,
  planOf,
  type Route,
  routerPath,
  wrongParameters,
} from './route.ts'
import { JOB_ROUTES, ROUTES } from './routes.ts'
import { addUploadRoute, UPLOAD_ROUTE } from './upload.ts'
import { answerWrite } from './write.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the REST API; set before the body is read. */
    operator: Caller | undefined
  }
}

/** The REST API with which operator clients manage a school, and its description. */
export function addAdminApiRoutes(app: FastifyInstance, { files, limits }: AppContext): void {
  const routes = [...ROUTES, ...JOB_ROUTES, JOB_FILE_ROUTE, UPLOAD_ROUTE, ...BULK_ROUTES]
  // Built at the first request, so that it does not delay the start of the server.
  const openapi = once(() => new Descriptions((school) => openApiDocument(routes, school)))
  const postman = once(() => new Descriptions(({ origin }) => postmanCollection(routes, origin)))
  app.get(DOCUMENTS.openapi, (request, reply) =>
    sendDocument(request, reply, openapi().of(request.school)),
  )
  app.get(DOCUMENTS.postman, (request, reply) =>
    sendDocument(request, reply, postman().of(request.school)),
  )

  const root = perSchool({ maxAgeSeconds: 300 }, ({ origin }) => ({
    openapi: origin + DOCUMENTS.openapi,
    reference: origin + DOCUMENTS.reference,
    access: origin + DOCUMENTS.auth,
  }))
  addReferenceRoutes(app, routes)

  app.register(async (scope) => {
    nameSurface(scope, 'admin-api')
    scope.setErrorHandler(answerProblem)
    scope.decorateRequest('operator')
    acceptJson(scope, { types: ['application/json', 'application/merge-patch+json'] })
    const rates = createRateChecks(limits.apiCallsPerMinute)
    scope.addHook('onRequest', async (request, reply) => rates.ofAddress(request, reply))
    for (const route of [...ROUTES, ...JOB_ROUTES])
      addRoute(scope, route, admit(route, rates.ofApp))
    refuseOtherMethods(scope, routes)
    const jobFiles =
      files === undefined ? undefined : { store: files, maxBytes: limits.uploadBytes }
    scope.register(async (bulk) =>
      addBulkRoutes(bulk, (route) => admit(route, rates.ofApp), jobFiles),
    )
    if (files !== undefined) {
      addJobFileRoute(scope, files, admit(JOB_FILE_ROUTE, rates.ofApp))
      scope.register(async (uploads) =>
        addUploadRoute(uploads, files, limits.uploadBytes, admit(UPLOAD_ROUTE, rates.ofApp)),
      )
    }
    scope.get(API_ROOT, (request, reply) => sendDocument(request, reply, root(request.school)))
    allowOnly(scope, API_ROOT, ['GET'])
    scope.all(`${API_ROOT}/*`, { onRequest: refuseUnknown }, refuseUnknown)
  })
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Runs before the body is read, so that bodies of unauthorized requests are never parsed. */
function admit(
  route: DescribedRoute,
  checkRate: (caller: Caller, reply: FastifyReply) => void,
): Admit {
  return async (request, reply) => {
    const caller = await loadOperator(request, route.operation)
    checkRate(caller, reply)
    request.operator = caller
  }
}

function addRoute(scope: FastifyInstance, route: Route, onRequest: Admit): void {
  // At the first request: to read the schemas of all routes would make every start longer.
  const plan = once(() => planOf(route))
  scope.route({
    method: route.method,
    url: routerPath(route.path),
    onRequest,
    handler: async (request, reply) =>
      sendAnswer(request, reply, await answer(request, route, plan())),
  })
}

async function answer(request: FastifyRequest, route: Route, plan: InputPlan): Promise<Answer> {
  const { operation } = route
  const caller = isCallerOld(request) ? await loadOperator(request, operation) : request.operator
  if (caller === undefined) throw new Error('the handler ran without its caller')
  const input = inputOf(request, plan)
  const scopes = neededScopes(operation, input)
  checkScopes(caller, scopes)
  if (operation.kind !== 'read') return await answerWrite(request, writing(route), caller, input)
  const outcome = await performOperation(
    operation,
    request.schoolDb,
    apiActor(request, caller),
    input,
  )
  if (outcome.kind === 'done') {
    noteScopes(request.schoolDb, caller, scopes)
    return answerOf(request, route, outcome.output)
  }
  if (outcome.kind !== 'invalid') throw problemOf(outcome)
  throw wrongParameters(
    outcome.problems.map(({ pointer, ...problem }) => ({
      parameter: pointer.split('/')[1] ?? '',
      ...problem,
    })),
  )
}

function writing(route: Route): Route & { readonly operation: WriteOperation } {
  return route as Route & { readonly operation: WriteOperation }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** @see RFC 9110 §15.5.6 */
function refuseOtherMethods(scope: FastifyInstance, routes: readonly DescribedRoute[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const allowed: string[] = routes.filter((route) => route.path === path).map((r) => r.method)
    allowOnly(scope, routerPath(path), allowed)
  }
}

function allowOnly(scope: FastifyInstance, url: string, allowed: readonly string[]): void {
  const detail = `Send ${allowed.join(' or ')} to this address.`
  const refuse = async (): Promise<never> => {
    const headers = { allow: allowed.join(', ') }
    throw new Problem({ status: 405, code: 'method_not_allowed', detail, headers })
  }
  const method = METHODS.filter((name) => !allowed.includes(name))
  scope.route({ method, url, onRequest: refuse, handler: refuse })
}

async function refuseUnknown(): Promise<never> {
  throw new Problem({
    status: 404,
    code: 'not_found',
    detail:
      'The REST API has no such address. /openapi.json lists all of them, and /docs is the guide.',
  })
}
