import { once } from 'node:events'
import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { constantTimeEqual } from '../crypto/digest.ts'
import type { FinishedRequest, RequestObserver } from './observe-requests.ts'
import { rawPath } from './request-body.ts'
import { OVERLOADED } from './request-line.ts'
import { NO_SNIFFING } from './security-headers.ts'

export type PoolCounts = {
  readonly total: number
  readonly idle: number
  readonly waiting: number
  /** Connections that send the statements of many requests at once. */
  readonly shared: number
}

export type Metrics = {
  /** Other parts add their counters here; `/metrics` shows all of them. */
  readonly registry: Registry
  /** The server calls it at the end of every request. */
  readonly observer: RequestObserver
  readonly stop: () => void
}

const LOOP_RESOLUTION_MS = 10

export function createMetrics(options: {
  readonly version: string
  readonly pool?: () => PoolCounts
}): Metrics {
  const registry = new Registry()
  new Gauge({
    name: 'schoolgate_build_info',
    help: 'Always 1; the labels show the version of Schoolgate and of Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: options.version, node: process.version }, 1)
  addProcessMetrics(registry)
  if (options.pool !== undefined) addPoolMetrics(registry, options.pool)
  const stop = addEventLoopMetrics(registry)
  return { registry, observer: requestMetrics(registry), stop }
}

function addPoolMetrics(registry: Registry, pool: () => PoolCounts): void {
  new Gauge({
    name: 'schoolgate_db_pool_connections',
    help: 'Database connections of this process by state; "waiting" counts requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting, shared } = pool()
      this.set({ state: 'busy' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
      this.set({ state: 'shared' }, shared)
    },
  })
}

function addProcessMetrics(registry: Registry): void {
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
}

function addEventLoopMetrics(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  delay.enable()
  // The histogram measures whole intervals of its timer, so an idle loop shows the timer's
  // resolution.
  const toSeconds = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1000) : 0
  new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'How late the event loop was since the last scrape.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      this.set({ quantile: '0.5' }, toSeconds(delay.percentile(50)))
      this.set({ quantile: '0.99' }, toSeconds(delay.percentile(99)))
      this.set({ quantile: '1' }, toSeconds(delay.max))
      delay.reset()
    },
  })
  return () => void delay.disable()
}

export type MetricsListener = { readonly port: number; readonly close: () => Promise<void> }

export interface MetricsSource {
  readonly contentType: string
  readonly metrics: () => Promise<string>
}

/**
 * Serves `/metrics` on a separate port, which need not be reachable from outside. With a token
 * configured it asks for the token here too: an operator who set one expects that it protects the
 * numbers.
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

const BUCKETS_IN_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Node accepts some thirty methods; all others count as one. */
export const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

interface Series {
  readonly labels: { readonly surface: string; readonly route: string; readonly method: string }
  readonly duration: { observe(seconds: number): void }
  readonly byStatus: Map<number | 'aborted', number>
}

/**
 * Counts requests by surface, route pattern, method and status, and measures their time. Labels
 * hold the pattern and never the path: a client that invents paths would fill the memory with
 * series.
 */
export function requestMetrics(registry: Registry): RequestObserver {
  const durations = new Histogram({
    name: 'schoolgate_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['surface', 'route', 'method'],
    buckets: BUCKETS_IN_SECONDS,
    registers: [registry],
  })
  /** The few series of each route. */
  const known = new Map<string, Series[]>()
  new Counter({
    name: 'schoolgate_http_requests_total',
    help: 'Finished requests.',
    labelNames: ['surface', 'route', 'method', 'status'],
    registers: [registry],
    // Filled when it is read: the counter hashes all labels at every increment.
    collect() {
      this.reset()
      for (const { labels, byStatus } of [...known.values()].flat()) {
        for (const [status, count] of byStatus) this.inc({ ...labels, status }, count)
      }
    },
  })

  let refused = 0
  new Counter({
    name: 'schoolgate_http_requests_refused_total',
    help: 'Requests that were answered 503 because there were more than this process can answer.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(refused)
    },
  })

  function seriesOf({ outcome, route = 'none', method: sent }: FinishedRequest): Series {
    const method = METHODS.has(sent) ? sent : 'other'
    const surface = outcome.surface ?? 'none'
    const ofRoute = known.get(route) ?? []
    const found = ofRoute.find(
      ({ labels }) => labels.method === method && labels.surface === surface,
    )
    if (found !== undefined) return found
    const labels = { surface, route, method }
    const series = { labels, duration: durations.labels(labels), byStatus: new Map() }
    known.set(route, [...ofRoute, series])
    return series
  }

  return {
    finished(finished) {
      if (finished.outcome.result === OVERLOADED) refused++
      const { duration, byStatus } = seriesOf(finished)
      const status = finished.aborted ? 'aborted' : finished.status
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      duration.observe(finished.milliseconds / 1000)
    },
  }
}
