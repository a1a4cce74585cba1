import { describe, expect, test } from 'vitest'
import { aLatch } from '../../../test/support/raw-http.ts'
import { trustNoProxy } from './client-address.ts'
import { addHealthRoutes, type ReadinessCheck, readinessProbe } from './health.ts'
import { createLogger } from './logging.ts'
import { createHttpServer } from './server.ts'

function aServer(checks: readonly ReadinessCheck[], timeoutMs?: number) {
  const log: string[] = []
  const destination = { write: (line: string) => void log.push(line) }
  const logger = createLogger({ level: 'info', destination })
  const app = createHttpServer({ logger, trust: trustNoProxy })
  addHealthRoutes(app, readinessProbe(checks, logger, timeoutMs))
  return { app, log }
}

const good: ReadinessCheck = { name: 'migrations', findProblem: () => undefined }

describe('/healthz', () => {
  test('answers 200 without a database, is never cached and does not fill the log', async () => {
    const away = { name: 'database', findProblem: () => 'away' }
    const { app, log } = aServer([away])
    const response = await app.inject({ url: '/healthz', headers: { host: 'unknown.example' } })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ status: 'ok' })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(log).toEqual([])
  })
})

describe('/readyz', () => {
  test('answers 200 when every check succeeds', async () => {
    const { app } = aServer([good])
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({
      status: 'ready',
      checks: [{ name: 'migrations', ok: true }],
    })
    expect(response.headers['cache-control']).toBe('no-store')
  })

  test('answers 503 and says what is wrong', async () => {
    const problem = 'The database does not answer.'
    const { app } = aServer([good, { name: 'database', findProblem: async () => problem }])
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(503)
    expect(response.json()).toEqual({
      status: 'not ready',
      checks: [
        { name: 'migrations', ok: true },
        { name: 'database', ok: false, problem },
      ],
    })
  })

  test('writes the cause of a check that throws to the log, and does not show it', async () => {
    const findProblem = () => Promise.reject(new Error('password authentication failed'))
    const { app, log } = aServer([{ name: 'database', findProblem }])
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(503)
    expect(response.body).not.toContain('password')
    expect(log.join()).toContain('password authentication failed')
  })

  test('counts a check that hangs as failed', async () => {
    const findProblem = () => new Promise<undefined>(() => undefined)
    const { app } = aServer([{ name: 'database', findProblem }], 5)
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(503)
    expect(response.json().checks[0].problem).toBe('No answer within 5 ms.')
  })

  test('runs the checks once for many probes at the same time', async () => {
    let asked = 0
    const { passed, open } = aLatch()
    const findProblem = async () => {
      asked++
      await passed
      return undefined
    }
    const { app } = aServer([{ name: 'database', findProblem }])
    await app.ready()
    const crowd = Array.from({ length: 20 }, () => app.inject('/readyz'))
    await expect.poll(() => asked).toBe(1)
    open()
    for (const response of await Promise.all(crowd)) expect(response.statusCode).toBe(200)
    expect(asked).toBe(1)
    await app.inject('/readyz')
    expect(asked).toBe(2)
  })
})
