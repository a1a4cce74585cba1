import type { IncomingHttpHeaders } from 'node:http'
import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import { errorAddress } from '../../foundation/errors/catalogue.ts'
import { RPC_ERRORS, type RpcCode } from '../../foundation/errors/rest-errors.ts'
import { findClientFault } from '../../foundation/http/client-fault.ts'
import { LINK_HEADER } from '../../foundation/http/link-header.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import type { ResourcePath } from '../../foundation/protocol/resource-names.ts'
import { oneSentence } from '../../foundation/text/visible-text.ts'
import { answerBearerError } from '../../gate/refusal.ts'
import { problem, type StepUpError } from './run-tool.ts'

/** With a handshake before anything else (2025), or without one (2026-07-28). */
export type Era = 'handshake' | 'modern'

export interface Exchange {
  readonly headers: IncomingHttpHeaders
  readonly message: Message
  /**
   * Called once the headers and the body of the message agree. Throws if it may not be served.
   */
  readonly createServer: (era: Era) => Server
}

/** Serves one message by the rules of its era. */
export async function serveMessage(exchange: Exchange): Promise<Response> {
  const request = headOf(exchange)
  const isModern =
    claimsModernEra(exchange.message) || !(await isLegacyRequest(request, exchange.message.body))
  return isModern
    ? await serveModernEra(request, exchange)
    : await serveHandshakeEra(request, exchange)
}

/**
 * Whether a message itself says that it is of the modern era, as every request of a modern client
 * does. `isLegacyRequest` answers the same, but parses the whole message first.
 */
function claimsModernEra({ method, params: { _meta }, body }: Message): boolean {
  if (method === undefined || method === 'initialize') return false
  if ('result' in body || 'error' in body) return false
  return typeof _meta === 'object' && _meta !== null && PROTOCOL_VERSION_META_KEY in _meta
}

/**
 * The SDK asks for a server only after it has compared the headers with the body. So a call whose
 * `Mcp-Name` names another tool than its body is refused as a mismatch, and neither tool is judged.
 */
async function serveModernEra(request: Request, exchange: Exchange): Promise<Response> {
  let refusal: { readonly reason: unknown } | undefined
  const createServer = (): Server => {
    try {
      return exchange.createServer('modern')
    } catch (reason) {
      refusal = { reason }
      throw reason
    }
  }
  const handler = createMcpHandler(createServer, { legacy: 'reject' })
  const response = await handler.fetch(request, { parsedBody: exchange.message.body })
  if (refusal !== undefined) throw refusal.reason
  return response
}

async function serveHandshakeEra(request: Request, exchange: Exchange): Promise<Response> {
  const server = exchange.createServer('handshake')
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: exchange.message.body })
  } finally {
    await server.close()
  }
}

/** The headers that the SDK gets to see: neither cookies nor the token reach it. */
const PASSED_ON = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

/** Longer values name nothing that exists here. */
const MAX_KEY_LENGTH = 200

const heads = new LruCache<Request>(500)

/**
 * The message's head; the body is handed over parsed. The SDK only reads a head, so messages with
 * the same passed-on headers share one: a new `Request` costs more than most of the code around it.
 */
function headOf({ headers }: Exchange): Request {
  const key = PASSED_ON.map((name) => headers[name] ?? '').join('\n')
  const known = heads.get(key)
  if (known !== undefined) return known
  const head = createHead(headers)
  if (key.length <= MAX_KEY_LENGTH) heads.set(key, head, 1)
  return head
}

function createHead(headers: IncomingHttpHeaders): Request {
  const passed: Record<string, string> = {
    'content-type': 'application/json',
    // The SDK insists on both, although we only answer JSON; a client that takes none was refused.
    accept: 'application/json, text/event-stream',
  }
  for (const name of PASSED_ON) {
    const value = headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  return new Request('http://any.invalid/mcp', { method: 'POST', headers: passed })
}

/** A request that the protocol's machinery never sees. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal'
  readonly status: number
  readonly code: RpcCode
  readonly id: string | number | undefined

  constructor(status: number, code: RpcCode, message: string, id?: string | number) {
    super(message)
    this.status = status
    this.code = code
    this.id = id
  }
}

/** JSON-RPC's code where it has one; for all others it is the HTTP status. */
function rpcCodeOf(status: number): RpcCode {
  if (status === 400) return '-32700'
  const code = String(status)
  return isRpcCode(code) ? code : '-32600'
}

function isRpcCode(code: string): code is RpcCode {
  return Object.hasOwn(RPC_ERRORS, code)
}

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
    .headers(LINK_HEADER)
    .header('content-type', 'application/json')
    .send(JSON.stringify(body))
}

/** JSON-RPC 2.0 §4 with the narrowing of the Model Context Protocol: an id is never null. */
export interface Message {
  readonly id: string | number | undefined
  readonly method: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** The whole message as it was sent. */
  readonly body: object
}

/**
 * Reads what was posted. An array is refused before anything looks into it: a check of the
 * message's method alone would let the calls inside a batch pass.
 */
export function parseMessage(body: unknown): Message {
  if (Array.isArray(body)) {
    throw new RpcRefusal(400, '-32600', 'Batches are not accepted: send one message per request.')
  }
  if (!isObject(body)) {
    throw new RpcRefusal(400, '-32600', 'The body is not a JSON-RPC message: send a JSON object.')
  }
  const { method, params } = body
  const id = typeof body.id === 'string' || typeof body.id === 'number' ? body.id : undefined
  checkLength('id', id)
  checkLength('method', method)
  return {
    id,
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : {},
    body,
  }
}

/** A longer one is of no client: ids and names are repeated in answers. */
const MAX_NAME_LENGTH = 200

function checkLength(what: string, value: unknown): void {
  if (typeof value !== 'string' || value.length <= MAX_NAME_LENGTH) return
  throw new RpcRefusal(400, '-32600', `The ${what} is longer than ${MAX_NAME_LENGTH} characters.`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
