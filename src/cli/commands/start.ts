import cluster from 'node:cluster'
import type { Command } from 'commander'
import { unknownVariables } from '../../config.ts'
import type { Cli } from '../cli.ts'
import { teach } from '../teach.ts'

export function addStartCommand(program: Command, cli: Cli): void {
  const start = program
    .command('start')
    .description('serve every school, until SIGTERM or Ctrl-C')
    .action(async () => {
      const config = cli.config()
      if (cluster.isPrimary) {
        for (const problem of unknownVariables(cli.env)) cli.io.stderr.write(`${problem}\n`)
      }
      // Loaded here: every other command answers without the whole server in memory.
      const { startServer } = await import('../../start/server.ts')
      await startServer(config, { stdout: cli.io.stdout })
    })
  teach(
    start,
    'Starts the embedded PostgreSQL (or connects to DATABASE_URL), brings the schema up to date, makes the demo world if the database is empty and this is not production, and listens on HOST and PORT.',
    'start',
  )
}
