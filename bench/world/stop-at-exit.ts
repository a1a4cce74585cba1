import { EmbeddedPostgresError } from '../../src/foundation/db/embedded/embedded-postgres-error.ts'
import { UsageError } from '../usage-error.ts'

interface Stoppable {
  stop(): Promise<unknown>
}

const started: Stoppable[] = []

/** Stops this server when the run ends for any reason; the last started is stopped first. */
export function stopAtExit(server: Stoppable): void {
  started.unshift(server)
}

async function leave(exitCode: number): Promise<void> {
  for (const server of started) await server.stop().catch(() => undefined)
  process.exit(exitCode)
}

process.once('SIGINT', () => void leave(130))
process.once('SIGTERM', () => void leave(143))
process.once('uncaughtException', (error) => {
  const isExpected =
    error instanceof UsageError ||
    error instanceof EmbeddedPostgresError ||
    String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS_')
  console.error(isExpected ? error.message : error)
  if (error instanceof EmbeddedPostgresError) console.error('Perhaps another bench is running.')
  void leave(1)
})
