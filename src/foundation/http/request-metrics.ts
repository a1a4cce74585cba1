import { Counter, Histogram, type Registry } from 'prom-client'
import type { RequestObserver } from './observe-requests.ts'

const BUCKETS_IN_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Counts requests by surface, route pattern, method and status, and how long they took. Labels hold
 * the pattern and never the path: a client that invents paths would fill the memory with series.
 */
export function requestMetrics(registry: Registry): RequestObserver {
  const requests = new Counter({
    name: 'schoolgate_http_requests_total',
    help: 'Finished requests.',
    labelNames: ['surface', 'route', 'method', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'schoolgate_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['surface', 'route', 'method'],
    buckets: BUCKETS_IN_SECONDS,
    registers: [registry],
  })
  return {
    finished({ outcome, route = 'none', method, status, aborted, milliseconds }) {
      const labels = { surface: outcome.surface ?? 'none', route, method }
      requests.inc({ ...labels, status: aborted ? 'aborted' : status })
      durations.observe(labels, milliseconds / 1000)
    },
  }
}
