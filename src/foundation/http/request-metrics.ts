import { Counter, type Metric, type Registry } from 'prom-client'
import type { FinishedRequest, RequestObserver } from './observe-requests.ts'

/** Upper bounds in seconds, as Prometheus counts them; whatever is slower falls into +Inf. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Series {
  readonly surface: string
  readonly route: string
  readonly method: string
  /** How many requests fell between one bound and the next; the last number is beyond them all. */
  readonly buckets: number[]
  sum: number
  /** Callers that hung up count under `aborted`. */
  readonly byStatus: Map<number | 'aborted', number>
}

/** The few of each pattern. Patterns only: one series per invented path would fill the memory. */
type AllSeries = Map<string, Series[]>

/**
 * Counts requests by surface, pattern, method and status, and how long they took. Every request comes
 * by here, so it costs a lookup or two; labels are put together only when somebody asks for the figures.
 */
export function requestMetrics(registry: Registry): RequestObserver {
  const series: AllSeries = new Map()
  new Counter({
    name: 'schoolgate_http_requests_total',
    help: 'Finished requests.',
    labelNames: ['surface', 'route', 'method', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { surface, route, method, byStatus } of [...series.values()].flat()) {
        for (const [status, count] of byStatus) {
          this.inc({ surface, route, method, status: String(status) }, count)
        }
      }
    },
  })
  registry.registerMetric(durations(series))
  return { finished: (finished) => count(series, finished) }
}

function count(all: AllSeries, finished: FinishedRequest): void {
  const { status, milliseconds, aborted } = finished
  const series = seriesOf(all, finished)
  const end = aborted ? 'aborted' : status
  series.byStatus.set(end, (series.byStatus.get(end) ?? 0) + 1)
  const seconds = milliseconds / 1000
  let bucket = 0
  while (seconds > (BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
  series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
  series.sum += seconds
}

function seriesOf(all: AllSeries, { outcome, route = 'none', method }: FinishedRequest): Series {
  const surface = outcome.surface ?? 'none'
  const ofRoute = all.get(route) ?? []
  const known = ofRoute.find((series) => series.method === method && series.surface === surface)
  if (known !== undefined) return known
  const buckets = Array<number>(BOUNDS.length + 1).fill(0)
  const series = { surface, route, method, buckets, sum: 0, byStatus: new Map() }
  all.set(route, [...ofRoute, series])
  return series
}

/** A histogram as the registry wants to read it; its own would look up every label at every request. */
function durations(series: AllSeries): Metric {
  const name = 'schoolgate_http_request_duration_seconds'
  const histogram = {
    name,
    help: 'Time from the first byte of a request to the last of its answer.',
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...histogram, values: [...series.values()].flat().flatMap(valuesOf) }),
    reset: () => series.clear(),
  }
  return histogram as unknown as Metric

  function valuesOf({ surface, route, method, buckets, sum }: Series) {
    const labels = { surface, route, method }
    let total = 0
    const cumulated = buckets.map((inBucket, index) => {
      total += inBucket
      const le = BOUNDS[index] ?? '+Inf'
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
    })
    return [
      ...cumulated,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ]
  }
}
