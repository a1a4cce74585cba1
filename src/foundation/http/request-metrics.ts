import { Counter, Histogram, type Registry } from 'prom-client'
import type { FinishedRequest, RequestObserver } from './observe-requests.ts'
import { OVERLOADED } from './request-line.ts'

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
 * Counts requests by surface, route pattern, method and status, and measures their time. Labels hold
 * the pattern and never the path: a client that invents paths would fill the memory with series.
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
