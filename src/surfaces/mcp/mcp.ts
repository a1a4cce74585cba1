import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OutlineCache } from '../../domain/learning/outline-cache.ts'
import { addressBucket, clientAddress } from '../../foundation/http/client-address.ts'
import { logFailure } from '../../foundation/http/last-resort.ts'
import { chooseMediaType } from '../../foundation/http/negotiate.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { checkRate, createRateLimiter } from '../../foundation/http/rate-limit.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { findCaller } from '../../gate/bearer-gate.ts'
import type { AppContext } from '../../gate/context.ts'
import { answerError, answerStepUp } from './answer-error.ts'
import { checkParams } from './check-params.ts'
import { type Message, parseMessage } from './message.ts'
import { RpcRefusal } from './rpc-refusal.ts'
import { createMessageServer, type Era } from './serve-message.ts'
import { checkStanding, StepUpError } from './step-up.ts'
import type { ToolCall } from './tool.ts'
import { createToolServer } from './tool-server.ts'
import { findTool, ToolLists } from './toolbox.ts'
import { checkWebOrigin } from './web-origin.ts'

/** People type it with a slash at the end as well, and no client takes that back. */
const PATHS = ['/mcp', '/mcp/'] as const

/** The tool endpoint of every origin: one message per POST, answered as JSON, and nothing kept. */
export function addMcpRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
  version: string,
): void {
  const limiter = createRateLimiter({
    name: 'tools',
    quota: context.limits.toolCallsPerMinute,
    windowSeconds: 60,
  })
  const lists = new ToolLists()
  const serveMessage = createMessageServer()
  app.register(async (scope) => {
    nameSurface(scope, 'mcp')
    scope.setErrorHandler(answerError)
    scope.addHook('onRequest', async (request) => checkWebOrigin(request.headers.origin))
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) =>
      done(null, text),
    )
    refuseOtherMethods(scope)
    const readJson = jsonReader(scope)

    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      // First of all: a bad token is told so, however broken the rest may be.
      const caller = await findCaller(request)
      checkMediaTypes(request)
      const message = parseMessage(await readJson(request))
      const call: ToolCall = {
        school: request.school,
        at: request.at,
        caller,
        outlines,
        requestId: request.id,
      }
      try {
        const response = await serveMessage({
          origin: request.school.origin,
          headers: request.headers,
          message,
          admit: (era) => {
            checkServed(message, era)
            checkParams(message)
            if (message.method !== 'tools/call' || message.id === undefined) return
            checkRate(limiter, caller?.authorizationId ?? addressOf(request), reply)
            const tool = findTool(String(message.params.name), request.school)
            if (tool !== undefined)
              checkStanding(tool, message.params.arguments, request.school, caller)
          },
          createServer: () =>
            createToolServer(call, {
              version,
              lists,
              logFault: (fault) => logFailure(request, fault),
            }),
        })
        return await send(reply, response)
      } catch (error) {
        if (error instanceof StepUpError) return answerStepUp(error, message, request, reply)
        throw error
      }
    }
    for (const path of PATHS) scope.post(path, answer)
  })
}

function addressOf(request: FastifyRequest): string {
  return addressBucket(clientAddress(request))
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const type = response.headers.get('content-type')
  if (type !== null) reply.header('content-type', type)
  return reply
    .code(response.status)
    .headers(apiHeaders('no-store'))
    .send(response.body === null ? undefined : await response.text())
}

/**
 * What 2026-07-28 took away is no method there, whatever its parameters. A stream that stays open for
 * changes would be state, and nothing here announces changes.
 */
function checkServed({ method, id }: Message, era: Era): void {
  if (era !== 'modern') return
  if (method === 'initialize') {
    throw new RpcRefusal(404, -32601, 'This revision has no initialize: call a method.', id)
  }
  if (method === 'subscriptions/listen') {
    throw new RpcRefusal(404, -32601, 'Subscriptions are not offered here.', id)
  }
}

/** Forms and plain text could be sent by any page without a preflight. */
function checkMediaTypes(request: FastifyRequest): void {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new RpcRefusal(415, 415, 'Send the message with Content-Type: application/json.')
  }
  if (!/^(identity)?$/i.test(request.headers['content-encoding'] ?? '')) {
    throw new RpcRefusal(415, 415, 'Send the message as it is, without a Content-Encoding.')
  }
  if (chooseMediaType(request.headers.accept, ['application/json']) === undefined) {
    throw new RpcRefusal(406, 406, 'Answers are JSON: send Accept: application/json.')
  }
}

/** Fastify's own parser, which refuses keys that poison prototypes; here after the token is judged. */
function jsonReader(scope: FastifyInstance): (request: FastifyRequest) => Promise<unknown> {
  const parse = scope.getDefaultJsonParser('error', 'error')
  return (request) =>
    new Promise((resolve, reject) => {
      const text = typeof request.body === 'string' ? request.body : ''
      parse(request, text, (error, body) => (error ? reject(error) : resolve(body)))
    })
}

/** Streams and sessions are not offered, which both eras let a server say in this way. */
function refuseOtherMethods(scope: FastifyInstance): void {
  for (const url of PATHS) {
    scope.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      onRequest: async (_request, reply) => {
        reply.header('allow', 'POST')
        throw new RpcRefusal(405, 405, 'Send messages by POST; there is no stream and no session.')
      },
      handler: (_request, reply) => reply.callNotFound(),
    })
  }
}
