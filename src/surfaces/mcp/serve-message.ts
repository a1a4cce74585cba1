import type { IncomingHttpHeaders } from 'node:http'
import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Message } from './message.ts'

/** With a handshake before anything else (2025), or without one (2026-07-28). */
export type Era = 'handshake' | 'modern'

export interface Exchange {
  readonly origin: string
  readonly headers: IncomingHttpHeaders
  readonly message: Message
  /** Throws if the message may not be served; called once its headers and its body agree. */
  readonly admit: (era: Era) => void
  readonly createServer: () => Server
}

/** Serves one message in the era that it speaks. */
export type ServeMessage = (exchange: Exchange) => Promise<Response>

export function createMessageServer(): ServeMessage {
  const serveModernEra = modernEra()
  return async (exchange) => {
    const head = headOf(exchange)
    const isModern =
      claimsModernEra(exchange.message) || !(await isLegacyRequest(head, exchange.message.body))
    return isModern ? await serveModernEra(head, exchange) : await serveHandshakeEra(exchange)
  }
}

/**
 * Whether a message says itself that it is of the modern era, as every request of a modern client does.
 * The machinery says the same of it, having parsed the whole of it first, and would then do so again.
 */
function claimsModernEra({ method, params: { _meta }, body }: Message): boolean {
  if (method === undefined || method === 'initialize') return false
  if ('result' in body || 'error' in body) return false
  return typeof _meta === 'object' && _meta !== null && PROTOCOL_VERSION_META_KEY in _meta
}

interface Run extends Exchange {
  refusal?: { readonly reason: unknown }
}

/**
 * The machinery asks for a server only after it has compared the headers with the body, so the
 * admission stands there: a call whose `Mcp-Name` names another tool than its body is refused as
 * such, and never judged by either name. It is set up once, and finds the exchange by its request.
 */
function modernEra(): (request: Request, exchange: Exchange) => Promise<Response> {
  const running = new WeakMap<Request, Run>()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo === undefined ? undefined : running.get(requestInfo)
      if (exchange === undefined) throw new Error('a message came in by another way than ours')
      try {
        exchange.admit('modern')
      } catch (reason) {
        exchange.refusal = { reason }
        throw reason
      }
      return exchange.createServer()
    },
    { legacy: 'reject' },
  )
  return async (request, exchange) => {
    const run: Run = { ...exchange }
    running.set(request, run)
    const response = await handler.fetch(request, { parsedBody: exchange.message.body })
    if (run.refusal !== undefined) throw run.refusal.reason
    return response
  }
}

async function serveHandshakeEra(exchange: Exchange): Promise<Response> {
  exchange.admit('handshake')
  const server = exchange.createServer()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(webRequest(exchange), {
      parsedBody: exchange.message.body,
    })
  } finally {
    await server.close()
  }
}

/** What the machinery looks at, and no more: neither cookies nor the token reach it. */
const PASSED_ON = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

const MEDIA_TYPES = {
  'content-type': 'application/json',
  // It insists on both, although we answer in JSON alone; who does not take JSON was refused before.
  accept: 'application/json, text/event-stream',
} as const

/**
 * A request as far as the modern machinery looks at one whose body was parsed already: its method and
 * its headers. A whole `Request` takes longer to make than a small tool takes to run.
 */
function headOf({ headers }: Exchange): Request {
  const passed: Record<string, string> = { ...MEDIA_TYPES }
  for (const name of PASSED_ON) {
    const value = headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  const get = (name: string): string | null => passed[name] ?? null
  return { method: 'POST', headers: { get } } as unknown as Request
}

function webRequest({ origin, headers }: Exchange): Request {
  const passed = new Headers(MEDIA_TYPES)
  for (const name of PASSED_ON) {
    const value = headers[name]
    if (typeof value === 'string') passed.set(name, value)
  }
  return new Request(`${origin}/mcp`, { method: 'POST', headers: passed })
}
