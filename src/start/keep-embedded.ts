import type { Logger } from 'pino'
import {
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  type ExitReport,
  startEmbeddedPostgres,
} from '../foundation/db/embedded/embedded-postgres.ts'

const TRIES = 6
const FIRST_PAUSE_MS = 100

export interface KeptPostgres {
  readonly address: EmbeddedPostgres['address']
  /** Resolves if PostgreSQL ended and could not be started again. */
  readonly onGone: Promise<ExitReport>
  stop(): Promise<void>
}

/**
 * Keeps the embedded PostgreSQL running: starts it again if it was killed, ran out of memory or crashed. Until
 * then requests are answered with 503. The address stays the same, so the pools reconnect.
 */
export async function keepEmbeddedPostgres(dataDir: string, log: Logger): Promise<KeptPostgres> {
  let current = await startEmbeddedPostgres({ dataDir })
  const { address } = current
  let isStopping = false

  const onGone = new Promise<ExitReport>((resolve) => {
    const watch = (postgres: EmbeddedPostgres): void => {
      void postgres.onExit.then(async (report) => {
        if (isStopping) return
        if (report.isFolderGone) {
          resolve(report)
          return
        }
        log.error({ report: report.message }, 'the embedded PostgreSQL ended; starting it again')
        const next = await startAgain(dataDir, log)
        if (next === undefined) {
          resolve(report)
        } else if (next instanceof EmbeddedPostgresError) {
          resolve({ ...report, message: next.message })
        } else if (isStopping || next.address.host !== address.host) {
          // The socket has a temporary path, and after a restart it is another one: the pools could not reconnect.
          await next.stop()
          resolve(report)
        } else {
          current = next
          watch(next)
        }
      })
    }
    watch(current)
  })

  return {
    address,
    onGone,
    async stop() {
      isStopping = true
      await current.stop()
    },
  }
}

/** Never makes a new database: it would look like a loss of all data. */
async function startAgain(
  dataDir: string,
  log: Logger,
): Promise<EmbeddedPostgres | EmbeddedPostgresError | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      return await startEmbeddedPostgres({ dataDir, mustExist: true })
    } catch (error) {
      if (error instanceof EmbeddedPostgresError && error.code === 'folder-missing') return error
      log.warn({ err: error }, 'the embedded PostgreSQL does not start yet')
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
    }
  }
  return undefined
}
