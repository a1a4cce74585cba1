import type { IncomingHttpHeaders } from 'node:http'
import {
  createMcpHandler,
  isLegacyRequest,
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
    const request = webRequest(exchange)
    return (await isLegacyRequest(request, exchange.message.body))
      ? await serveHandshakeEra(request, exchange)
      : await serveModernEra(request, exchange)
  }
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

async function serveHandshakeEra(request: Request, exchange: Exchange): Promise<Response> {
  exchange.admit('handshake')
  const server = exchange.createServer()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: exchange.message.body })
  } finally {
    await server.close()
  }
}

/** What the machinery looks at, and no more: neither cookies nor the token reach it. */
const PASSED_ON = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

function webRequest({ origin, headers }: Exchange): Request {
  const passed = new Headers({
    'content-type': 'application/json',
    // It insists on both, although we answer in JSON alone; who does not take JSON was refused before.
    accept: 'application/json, text/event-stream',
  })
  for (const name of PASSED_ON) {
    const value = headers[name]
    if (typeof value === 'string') passed.set(name, value)
  }
  return new Request(`${origin}/mcp`, { method: 'POST', headers: passed })
}
