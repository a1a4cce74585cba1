import { once } from 'node:events'
import { createServer } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { constantTimeEqual } from '../crypto/digest.ts'
import { rawPath } from './raw-url.ts'
import { NO_SNIFFING } from './security-headers.ts'

export type MetricsListener = { readonly port: number; readonly close: () => Promise<void> }

export interface MetricsSource {
  readonly contentType: string
  readonly metrics: () => Promise<string>
}

/**
 * Serves `/metrics` on a separate port, which need not be reachable from outside. With a token
 * configured it asks for the token here too: an operator who set one expects that it protects the numbers.
 */
export async function listenForMetrics(options: {
  readonly source: MetricsSource
  readonly host: string
  readonly port: number
  readonly token: string | undefined
  readonly onError: (error: unknown) => void
}): Promise<MetricsListener> {
  const { source, token } = options
  const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
    response.setHeaders(new Headers({ 'cache-control': 'no-store', ...NO_SNIFFING }))
    if (rawPath(request.url ?? '') !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end()
      return
    }
    if (token !== undefined && !bearsToken(request.headers.authorization, token)) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      return
    }
    try {
      const text = await source.metrics()
      response.writeHead(200, { 'content-type': source.contentType }).end(text)
    } catch (error) {
      options.onError(error)
      response.writeHead(503).end()
    }
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Serves `/metrics` on the main port, only to clients that send the token. */
export function addMetricsRoute(app: FastifyInstance, registry: Registry, token: string): void {
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!bearsToken(request.headers.authorization, token)) {
      return reply.code(401).header('www-authenticate', 'Bearer').send()
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

function bearsToken(authorization: string | undefined, token: string): boolean {
  const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  return sent !== undefined && constantTimeEqual(sent, token)
}
