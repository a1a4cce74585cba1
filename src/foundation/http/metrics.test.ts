import { afterEach, describe, expect, test } from 'vitest'
import { trustNoProxy } from './client-address.ts'
import { createLogger } from './logging.ts'
import {
  addMetricsRoute,
  createMetrics,
  listenForMetrics,
  type Metrics,
  type MetricsListener,
  type MetricsSource,
} from './metrics.ts'
import { nameSurface } from './observe-requests.ts'
import { createHttpServer } from './server.ts'

const made: Metrics[] = []
const listening: MetricsListener[] = []
afterEach(async () => {
  for (const metrics of made.splice(0)) metrics.stop()
  for (const listener of listening.splice(0)) await listener.close()
})

function someMetrics(): Metrics {
  const pool = () => ({ total: 5, idle: 2, waiting: 7, shared: 1 })
  const metrics = createMetrics({ version: '1.2.3', pool })
  made.push(metrics)
  return metrics
}

describe('createMetrics', () => {
  test('counts requests by surface, pattern, method and status, never by path', async () => {
    const metrics = someMetrics()
    const logger = createLogger({ level: 'silent' })
    const app = createHttpServer({ logger, trust: trustNoProxy, observers: [metrics.observer] })
    app.register(async (scope) => {
      nameSurface(scope, 'oauth')
      scope.get('/things/:id', async () => ({}))
    })
    for (const url of ['/things/1', '/things/2', '/invented', '/things/%zz']) await app.inject(url)
    const text = await metrics.registry.metrics()
    expect(text).toContain(
      'schoolgate_http_requests_total{surface="oauth",route="/things/:id",method="GET",status="200"} 2',
    )
    expect(text).toContain('route="none",method="GET",status="404"} 1')
    expect(text).toContain('route="none",method="GET",status="400"} 1')
    expect(text).toMatch(/duration_seconds_bucket\{le="\+Inf",surface="oauth".*\} 2/)
    expect(text).toMatch(/duration_seconds_count\{surface="oauth".*\} 2/)
    expect(text).toContain('# TYPE schoolgate_http_request_duration_seconds histogram')
    expect(text).not.toContain('invented')
  })

  test('methods, paths and hosts that a client makes up become no labels', async () => {
    const metrics = someMetrics()
    const logger = createLogger({ level: 'silent' })
    const app = createHttpServer({ logger, trust: trustNoProxy, observers: [metrics.observer] })
    const series = async () => (await metrics.registry.metrics()).split('\n').length
    const send = async (time: number) => {
      for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'TRACE', 'SEARCH', 'REPORT'] as const) {
        const host = `made-up-${time}.test`
        await app.inject({ method: method as 'GET', url: `/made-up-${time}`, headers: { host } })
      }
    }
    await send(0)
    const before = await series()
    for (let time = 1; time < 20; time++) await send(time)
    expect(await series()).toBe(before)
    const text = await metrics.registry.metrics()
    expect(text).toContain('method="other"')
    expect(text).not.toMatch(/made-up|PROPFIND|MKCOL|LOCK|TRACE|SEARCH|REPORT/)
  })

  test('shows build, pool, process and event loop', async () => {
    const text = await someMetrics().registry.metrics()
    expect(text).toContain('schoolgate_build_info{version="1.2.3"')
    expect(text).toContain('schoolgate_db_pool_connections{state="busy"} 3')
    expect(text).toContain('schoolgate_db_pool_connections{state="waiting"} 7')
    expect(text).toContain('schoolgate_db_pool_connections{state="shared"} 1')
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m)
    expect(text).toMatch(
      /^# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total [\d.]+$/m,
    )
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds\{quantile="0.99"\} [\d.e-]+$/m)
  })

  test('keeps the numbers of two servers in one process apart', async () => {
    const [one, two] = [someMetrics(), someMetrics()]
    one.registry.resetMetrics()
    expect(await two.registry.metrics()).toContain('version="1.2.3"')
  })
})

describe('listenForMetrics', () => {
  const place = (source: MetricsSource, token?: string, port = 0) => ({
    source,
    host: '127.0.0.1',
    port,
    token,
    onError: () => {},
  })

  async function listen(token?: string) {
    const { registry } = someMetrics()
    const listener = await listenForMetrics(place(registry, token))
    listening.push(listener)
    return (path: string, authorization?: string) =>
      fetch(`http://127.0.0.1:${listener.port}${path}`, {
        headers: authorization === undefined ? {} : { authorization },
      })
  }

  test('serves /metrics and nothing else', async () => {
    const get = await listen()
    const response = await get('/metrics?x=1')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(await response.text()).toContain('schoolgate_build_info')
    expect((await get('/')).status).toBe(404)
  })

  test('a failure to read the numbers is 503, and the next request is answered', async () => {
    const source = { contentType: 'text/plain', metrics: () => Promise.reject(new Error('gone')) }
    const listener = await listenForMetrics(place(source))
    listening.push(listener)
    for (let i = 0; i < 2; i += 1) {
      const response = await fetch(`http://127.0.0.1:${listener.port}/metrics`)
      expect(response.status).toBe(503)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('with a token configured, serves only clients that send it', async () => {
    const get = await listen('s3cret')
    for (const wrong of [undefined, 'Bearer x', 'Basic s3cret', 'Bearer s3cret2', 's3cret']) {
      expect((await get('/metrics', wrong)).status).toBe(401)
    }
    expect((await get('/metrics', 'bearer s3cret')).status).toBe(200)
  })

  test('fails with a clear error when its port is in use', async () => {
    const { registry } = someMetrics()
    const first = await listenForMetrics(place(registry))
    listening.push(first)
    const second = listenForMetrics(place(registry, undefined, first.port))
    await expect(second).rejects.toThrow(/EADDRINUSE/)
  })
})

test('addMetricsRoute serves the main port, only with the token', async () => {
  const { registry } = someMetrics()
  const app = createHttpServer({ logger: createLogger({ level: 'silent' }), trust: trustNoProxy })
  addMetricsRoute(app, registry, 's3cret')
  expect((await app.inject('/metrics')).statusCode).toBe(401)
  const headers = { authorization: 'Bearer s3cret' }
  const response = await app.inject({ url: '/metrics', headers })
  expect(response.statusCode).toBe(200)
  expect(response.body).toContain('schoolgate_build_info')
})
