import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OutlineCache } from '../../domain/learning/outline.ts'
import type { School } from '../../domain/schools/school.ts'
import { chooseMediaType, wantsHtml } from '../../foundation/http/conditional.ts'
import { logFailure } from '../../foundation/http/last-resort.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { readText } from '../../foundation/http/request-body.ts'
import { apiHeaders, setPageHeaders } from '../../foundation/http/security-headers.ts'
import { KNOWN_CALLER, STRANGER, walkJson } from '../../foundation/json/json-walk.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import {
  type ResourcePath,
  spellingsOf,
  TOOL_ENDPOINTS,
  type ToolEndpoint,
} from '../../foundation/protocol/resource-names.ts'
import type { ToolCallObserver } from '../../foundation/tracing/tracing.ts'
import type { GoodTokens } from '../../gate/bad-tokens.ts'
import { isCallerOld, loadKnownCaller } from '../../gate/bearer-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { type AdmittedCall, type AskedCall, admitCall, readParams } from './admit-call.ts'
import { addServerCards, checkWebOrigin, endpointPage } from './endpoint-page.tsx'
import { createRateChecks, StepUpError } from './run-tool.ts'
import {
  answerError,
  answerStepUp,
  type Era,
  type Message,
  parseMessage,
  RpcRefusal,
  serveMessage,
  withExplainedError,
} from './serve-message.ts'
import type { ToolCall } from './tool.ts'
import { createToolServer } from './tool-server.ts'
import { ToolLists } from './toolbox.ts'

/** More than any message needs that calls a public tool. */
const STRANGER_BYTES = 64 * 1024

/**
 * The tool endpoint of every origin: one message per POST, answered as JSON, and nothing kept. Its
 * two names differ only in the metadata that a challenge names and in the scopes that `sign_in`
 * declares.
 *
 * A request's way: rate and caller → body → message → headers and body agree (the SDK) → parameters
 * → tool → its arguments → the scopes that they need → run → answer.
 */
export function addMcpRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
  goodTokens: GoodTokens,
  version: string,
  observe?: ToolCallObserver,
): void {
  const rates = createRateChecks(context.limits.toolCallsPerMinute, goodTokens)
  const lists = new ToolLists()
  addServerCards(app, version)
  const addEndpoint = async (
    scope: FastifyInstance,
    endpoint: ToolEndpoint,
    path: ResourcePath,
  ): Promise<void> => {
    nameSurface(scope, 'mcp')
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, path))
    scope.addHook('onRequest', async (request, reply) => {
      checkWebOrigin(request.headers.origin)
      if (request.headers.authorization === undefined) rates.ofStranger(request, reply)
    })
    // The body stays unread until the caller is known, because a stranger may send less.
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body))
    refuseOtherMethods(scope, endpoint, path)
    const readJson = jsonReader(scope)

    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      // First, so that a bad token gets 401 even if the rest of the request is broken.
      const known =
        request.headers.authorization === undefined
          ? undefined
          : await rates.ofToken(request, reply, () => loadKnownCaller(request))
      checkMediaTypes(request)
      const { maxBytes, limits } =
        known === undefined
          ? { maxBytes: STRANGER_BYTES, limits: STRANGER }
          : { maxBytes: context.limits.jsonBodyBytes, limits: KNOWN_CALLER }
      const text = await readText(request, reply, maxBytes)
      const caller =
        known !== undefined && isCallerOld(request) ? await loadKnownCaller(request) : known
      const { excess, holdsNul } = walkJson(text, limits)
      if (excess !== undefined) throw new RpcRefusal(400, '-32600', excess)
      const message = parseMessage(await readJson(request, text))
      const { school, schoolDb: db, id: requestId } = request
      const call: ToolCall = { school, db, endpoint, path, caller, outlines, requestId }

      let refusal: OAuthError | undefined
      const admit = (asked: AskedCall): AdmittedCall => {
        rates.ofCall(request, caller, reply)
        const admitted = admitCall(asked, call, holdsNul, (fault) => {
          if (fault instanceof OAuthError) refusal = fault
          else logFailure(request, fault)
        })
        if (observe === undefined) return admitted
        const { tool, answer } = admitted
        return { tool, answer: () => observe(tool, message.params._meta, answer) }
      }
      try {
        const response = await serveMessage({
          headers: request.headers,
          message,
          createServer: (era) => {
            checkServed(message, era)
            const asked = readParams(message)
            return createToolServer(call, asked && admit(asked), { version, lists })
          },
        })
        if (refusal !== undefined) throw refusal
        return await send(reply, response, school.origin)
      } catch (error) {
        if (error instanceof StepUpError) return answerStepUp(error, message, request, reply)
        throw error
      }
    }
    scope.post(path, answer)
  }
  for (const endpoint of Object.values(TOOL_ENDPOINTS)) {
    for (const path of spellingsOf(endpoint)) {
      app.register((scope) => addEndpoint(scope, endpoint, path))
    }
  }
}

async function send(
  reply: FastifyReply,
  response: Response,
  origin: string,
): Promise<FastifyReply> {
  const type = response.headers.get('content-type')
  if (type !== null) reply.header('content-type', type)
  return reply
    .code(response.status)
    .headers(apiHeaders('no-store'))
    .send(
      response.body === null
        ? undefined
        : withExplainedError(await readBytes(response.body), origin),
    )
}

/** `response.text()` would decode the bytes, and Fastify would encode them again. */
async function readBytes(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
  }
  return Buffer.concat(chunks)
}

/**
 * Refuses `initialize`, which 2026-07-28 removed, and subscriptions: a stream that stays open would
 * be state, and the endpoint announces no changes.
 */
function checkServed({ method, id }: Message, era: Era): void {
  if (era !== 'modern') return
  if (method === 'initialize') {
    throw new RpcRefusal(404, '-32601', 'This revision has no initialize: call a method.', id)
  }
  if (method === 'subscriptions/listen') {
    throw new RpcRefusal(404, '-32601', 'Subscriptions are not offered here.', id)
  }
}

/** Forms and plain text could be sent by any page without a preflight. */
function checkMediaTypes(request: FastifyRequest): void {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new RpcRefusal(415, '415', 'Send the message with Content-Type: application/json.')
  }
  if (!/^(identity)?$/i.test(request.headers['content-encoding'] ?? '')) {
    throw new RpcRefusal(415, '415', 'Send the message as it is, without a Content-Encoding.')
  }
  if (chooseMediaType(request.headers.accept, ['application/json']) === undefined) {
    throw new RpcRefusal(406, '406', 'Answers are JSON: send Accept: application/json.')
  }
}

/**
 * Fastify's own parser, which refuses keys that poison prototypes; it runs after the token is
 * judged.
 */
function jsonReader(
  scope: FastifyInstance,
): (request: FastifyRequest, text: string) => Promise<unknown> {
  const parse = scope.getDefaultJsonParser('error', 'error')
  return (request, text) =>
    new Promise((resolve, reject) => {
      parse(request, text, (error, body) => (error ? reject(error) : resolve(body)))
    })
}

/**
 * Streams and sessions are not offered, which both eras let a server say in this way. A browser,
 * which asks for HTML and no client of the protocol does, gets a page.
 */
function refuseOtherMethods(scope: FastifyInstance, endpoint: ToolEndpoint, url: string): void {
  const pages = new WeakMap<School, string>()
  const pageOf = (school: School): string => {
    const page = pages.get(school) ?? endpointPage(school, endpoint)
    pages.set(school, page)
    return page
  }
  scope.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url,
    onRequest: async (request, reply) => {
      const { school, method, headers } = request
      if (method === 'GET' && wantsHtml(headers.accept)) {
        return setPageHeaders(reply, school.origin, 'site')
          .header('vary', 'Accept')
          .type('text/html; charset=utf-8')
          .send(pageOf(school))
      }
      reply.header('allow', 'POST')
      throw new RpcRefusal(405, '405', 'Send messages by POST; there is no stream and no session.')
    },
    handler: (_request, reply) => reply.callNotFound(),
  })
}
