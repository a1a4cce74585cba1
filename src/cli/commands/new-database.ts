import type { Command } from 'commander'
import { commandText } from '../../foundation/text/command-name.ts'
import { addHelp, type Cli } from '../cli.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { withDatabase } from '../with-database.ts'

export function addNewDatabaseCommand(program: Command, cli: Cli): void {
  const command = program
    .command('new-database')
    .description('begin anew with an empty database in the data folder')
    .action(cli.act(() => createEmpty(cli)))
  addHelp(
    command,
    'For a data folder that has lost its database, when there is no backup, or when another program loads one. A server never does this by itself: it would look like a loss of all data. The secret and the uploaded files in the folder stay. Refused where there is a database, and with DATABASE_URL.',
    'new-database',
  )
}

async function createEmpty(cli: Cli): Promise<Outcome> {
  const config = cli.config()
  const folder = config.SCHOOLGATE_DATA_DIR
  if (config.DATABASE_URL !== undefined) {
    throw new CommandError(
      'DATABASE_URL is set, so this installation has no embedded database.',
      'make the database with PostgreSQL: createdb --owner schoolgate schoolgate',
    )
  }
  return await withDatabase(
    config,
    async ({ isNew }) => {
      if (isNew) return { data: { folder }, text: `${folder} has a new, empty database.` }
      throw new CommandError(
        `There is a database in ${folder}, and it stays as it is.`,
        `${commandText('doctor')} tells how it is; set SCHOOLGATE_DATA_DIR to begin in another folder`,
      )
    },
    { schema: 'as it is', ifMissing: 'make' },
  )
}
