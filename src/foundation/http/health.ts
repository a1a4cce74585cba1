import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { RepeatedLines } from './logging.ts'

export type ReadinessCheck = {
  readonly name: string
  /** One sentence that says what is wrong and what to do about it; undefined if all is well. */
  readonly findProblem: () => Promise<string | undefined> | string | undefined
}

/** Runs all checks; probes that ask at the same time share one run. */
export type Probe = () => Promise<readonly CheckReport[]>

export function readinessProbe(
  checks: readonly ReadinessCheck[],
  log: FastifyBaseLogger,
  timeoutMs = 3000,
): Probe {
  return shareWhileRunning(() => runChecks(checks, timeoutMs, log))
}

type CheckReport = { readonly name: string; readonly ok: boolean; readonly problem?: string }

/**
 * `/healthz` says that the process runs and checks nothing else: a restart would not repair the
 * database. `/readyz` says whether the process should get requests. Both answer on any host.
 */
export function addHealthRoutes(app: FastifyInstance, probe: Probe): void {
  app.get('/healthz', { logLevel: 'warn' }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )

  app.get('/readyz', { logLevel: 'warn' }, async (_request, reply) => {
    const reports = await probe()
    const isReady = reports.every((report) => report.ok)
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: isReady ? 'ready' : 'not ready', checks: reports })
  })
}

/** Proxies ask several times a second. */
const failures = new RepeatedLines(1, 1)

function runChecks(
  checks: readonly ReadinessCheck[],
  timeoutMs: number,
  log: FastifyBaseLogger,
): Promise<CheckReport[]> {
  return Promise.all(
    checks.map(async ({ name, findProblem }) => {
      try {
        const problem = await withinTime(Promise.resolve(findProblem()), timeoutMs)
        return problem === undefined ? { name, ok: true } : { name, ok: false, problem }
      } catch (error) {
        // The endpoint is public, so only the log gets the cause.
        const told = failures.admit(name)
        if (told !== undefined)
          log.error({ err: error, check: name, ...told }, 'readiness check failed')
        return { name, ok: false, problem: 'The check itself failed; the log has the cause.' }
      }
    }),
  )
}

function withinTime(
  work: Promise<string | undefined>,
  timeoutMs: number,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(`No answer within ${timeoutMs} ms.`), timeoutMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Probes that arrive at the same time share one check, so they cannot flood the database. */
function shareWhileRunning<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
