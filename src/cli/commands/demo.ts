import type { Command } from 'commander'
import { createDemoWorld, DatabaseNotEmpty, describeDemoWorld } from '../../demo/demo-world.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { openKeyring } from '../../start/installation-secret.ts'
import { withDatabase } from '../attach.ts'
import type { Cli } from '../cli.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { table } from '../table.ts'
import { teach } from '../teach.ts'

export function addDemoCommand(program: Command, cli: Cli): void {
  const command = program
    .command('demo')
    .description('make the demo world on an empty database')
    .action(cli.act(() => makeDemoWorld(cli)))
  teach(
    command,
    'Makes three schools on localhost with people, courses, payments and clients, all with passwords that everybody knows. Refused in production, and where there are schools already.',
    'demo',
  )
}

async function makeDemoWorld(cli: Cli): Promise<Outcome> {
  const config = cli.config()
  if (config.NODE_ENV === 'production') {
    throw new CommandError(
      'The demo world is not made in production: its passwords are public.',
      'run it on another machine, or without NODE_ENV=production',
    )
  }
  await withDatabase(config, async ({ db }) => {
    const keyring = await openKeyring(config, db)
    try {
      await createDemoWorld(db, { port: config.PORT, keyring })
    } catch (error) {
      if (!(error instanceof DatabaseNotEmpty)) throw error
      throw new CommandError(
        'The demo world was not made: this database already has schools.',
        'use an empty database, or another SCHOOLGATE_DATA_DIR',
      )
    }
  })
  const guide = describeDemoWorld(config.PORT)
  const text = [
    table(
      ['school', 'origin', 'what it shows'],
      guide.schools.map(({ name, origin, note }) => [name, origin, note]),
      '',
    ),
    '',
    table(
      ['account', 'roles'],
      guide.people.map(({ email, roles }) => [email, roles]),
      '',
    ),
    '',
    `Everyone's password is ${guide.password}. ${commandText('start')} serves it.`,
  ]
  return { data: guide, text: text.join('\n') }
}
