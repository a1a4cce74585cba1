import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorAddress } from '../../foundation/errors/catalogue.ts'
import { findClientFault } from '../../foundation/http/client-fault.ts'
import { SIGNPOSTS } from '../../foundation/http/link-header.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import type { ResourcePath } from '../../foundation/protocol/resource-names.ts'
import { oneSentence } from '../../foundation/text/visible-text.ts'
import { answerBearerError } from '../../gate/refusal.ts'
import type { Message } from './message.ts'
import { isRpcCode, RpcRefusal, rpcCodeOf } from './rpc-refusal.ts'
import { problem } from './run-tool.ts'
import type { StepUpError } from './step-up.ts'

/**
 * The endpoint's dialect: JSON-RPC for what is wrong with a message, OAuth's for what is wrong with
 * a token or with us.
 */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  path: ResourcePath,
): FastifyReply {
  if (error instanceof RpcRefusal) return sendRpcError(request, reply, error)
  const fault = findClientFault(error)
  if (fault !== undefined) {
    const { status, description } = fault
    const refusal = new RpcRefusal(status, rpcCodeOf(status), description)
    return sendRpcError(request, reply, refusal)
  }
  return answerBearerError(error, request, reply, path)
}

function sendRpcError(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, code, message, id }: RpcRefusal,
): FastifyReply {
  request.outcome.result = 'refused'
  const data = { docs: errorAddress(request.school.origin, code) }
  const error = { code: Number(code), message: oneSentence(message), data }
  return sendRpc(reply, status, { jsonrpc: '2.0', error, id: id ?? null })
}

/** An error of the SDK quotes what was sent, whole; all others are short. */
const SHORT_ERROR = 1500

/** The answer of the SDK; if it is an error, then a short one that names its explanation. */
export function withExplainedError(answer: Buffer, origin: string): Buffer | string {
  // Only the start of a long answer is searched: the SDK writes the error before anything long.
  if (!answer.subarray(0, SHORT_ERROR).includes('"error":')) return answer
  const { error, ...rest }: Partial<RpcError> = JSON.parse(answer.toString())
  if (error === undefined) return answer
  const { code, message } = error
  const told = String(code)
  const data = {
    ...(answer.length <= SHORT_ERROR ? membersOf(error.data) : {}),
    ...(isRpcCode(told) ? { docs: errorAddress(origin, told) } : {}),
  }
  return JSON.stringify({
    ...rest,
    error: { code, message: oneSentence(String(message)), data },
  })
}

function membersOf(data: unknown): object {
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}
}

interface RpcError {
  readonly error: { readonly code: unknown; readonly message: unknown; readonly data?: unknown }
}

/** A result and not an error, because some clients act on nothing but a result's `_meta`. */
export function answerStepUp(
  error: StepUpError,
  message: Message,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  request.outcome.result = error.status === 401 ? 'sign_in' : 'insufficient_scope'
  reply.header('www-authenticate', error.challenge)
  return sendRpc(reply, error.status, {
    jsonrpc: '2.0',
    id: message.id ?? null,
    result: {
      resultType: 'complete',
      ...problem(request.school.origin, 'insufficient_scope', error.description),
      _meta: { 'mcp/www_authenticate': [error.challengeInBody] },
    },
  })
}

function sendRpc(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers(apiHeaders('no-store'))
    .headers(SIGNPOSTS)
    .header('content-type', 'application/json')
    .send(JSON.stringify(body))
}
