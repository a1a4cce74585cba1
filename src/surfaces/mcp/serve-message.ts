import type { IncomingHttpHeaders } from 'node:http'
import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import type { Message } from './message.ts'

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
 * The message's head; the body is handed over parsed. The SDK only reads a head, so messages with the
 * same passed-on headers share one: a new `Request` costs more than most of the code around it.
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
