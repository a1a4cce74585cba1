import type { Command } from 'commander'
import { fillPlatforms } from '../../domain/clients/platforms/platform-list.ts'
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
    'Applies the migrations that this build has and the database lacks, each in a transaction, in order, and adds the platforms of its list that are missing. Several may run this at once; starting the server does the same. Make a backup first.',
    'migrate',
  )
}

async function runMigrations(cli: Cli): Promise<Outcome> {
  return await withDatabase(
    cli.config(),
    async ({ connection, db }) => {
      const applied = (await migrate(connection)).map(({ name }) => name)
      const platforms = await fillPlatforms(db)
      const lines = [
        applied.length === 0 ? 'The schema is up to date.' : `Applied:\n  ${applied.join('\n  ')}`,
        ...(platforms.length === 0 ? [] : [`Platforms from the list: ${platforms.join(', ')}`]),
      ]
      return { data: { applied, platforms }, text: lines.join('\n') }
    },
    'as it is',
  )
}
