import type { Command } from 'commander'
import { migrate } from '../../foundation/db/migration/migrate.ts'
import { withDatabase } from '../attach.ts'
import type { Cli } from '../cli.ts'
import type { Outcome } from '../outcome.ts'
import { teach } from '../teach.ts'

export function addMigrateCommand(program: Command, cli: Cli): void {
  const command = program
    .command('migrate')
    .description('bring the database schema up to date')
    .action(cli.act(() => runMigrations(cli)))
  teach(
    command,
    'Applies the migrations that this build has and the database lacks, each in a transaction, in order. Several may run this at once; starting the server does the same. Make a backup first.',
    'migrate',
  )
}

async function runMigrations(cli: Cli): Promise<Outcome> {
  return await withDatabase(
    cli.config(),
    async ({ connection }) => {
      const applied = (await migrate(connection)).map(({ name }) => name)
      const text =
        applied.length === 0 ? 'The schema is up to date.' : `Applied:\n  ${applied.join('\n  ')}`
      return { data: { applied }, text }
    },
    'as it is',
  )
}
