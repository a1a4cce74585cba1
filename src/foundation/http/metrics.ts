import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Registry } from 'prom-client'
import type { RequestObserver } from './observe-requests.ts'
import { requestMetrics } from './request-metrics.ts'

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
  // The histogram measures whole intervals of its timer, so an idle loop shows the timer's resolution.
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
