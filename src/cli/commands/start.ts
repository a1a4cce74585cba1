import cluster from 'node:cluster'
import type { Command } from 'commander'
import { unknownVariables } from '../../config.ts'
import { createDemoWorld, DatabaseNotEmpty, describeDemoWorld } from '../../demo/demo-world.ts'
import {
  renewSetupCode,
  SETUP_CODE_MINUTES,
  SETUP_CODE_TRIES,
} from '../../domain/setup/first-school.ts'
import { sealAgain } from '../../domain/setup/installation-secret.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { findOldSecrets, openKeyring } from '../../start/installation-secret.ts'
import { addHelp, type Cli } from '../cli.ts'
import { CommandError, type Outcome, table } from '../outcome.ts'
import { withDatabase } from '../with-database.ts'

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
  addHelp(
    start,
    'Starts the embedded PostgreSQL (or connects to DATABASE_URL), brings the schema up to date, makes the demo world if the database is empty and this is not production, and listens on HOST and PORT.',
    'start',
  )
}

export function addSetupCodeCommand(program: Command, cli: Cli): void {
  const command = program
    .command('setup-code')
    .description('make a new code for the first-run page')
    .action(cli.act(() => makeSetupCode(cli)))
  addHelp(
    command,
    `A server without a school shows a page at /setup that makes the first school and its owner. It asks for this code, which works for ${SETUP_CODE_MINUTES} minutes and ${SETUP_CODE_TRIES} tries and replaces the one from the log. Refused if there is a school.`,
    'setup-code',
  )
}

async function makeSetupCode(cli: Cli): Promise<Outcome> {
  const code = await withDatabase(cli.config(), ({ db }) => renewSetupCode(db))
  if (code === undefined) {
    throw new CommandError(
      'There is a school already, so there is no first-run page.',
      `add schools with ${commandText('school create')}`,
    )
  }
  return {
    data: { code, minutes: SETUP_CODE_MINUTES, tries: SETUP_CODE_TRIES },
    text: `${code}\nType it at /setup within ${SETUP_CODE_MINUTES} minutes.`,
  }
}

export function addDemoCommand(program: Command, cli: Cli): void {
  const command = program
    .command('demo')
    .description('make the demo world on an empty database')
    .action(cli.act(() => makeDemoWorld(cli)))
  addHelp(
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

export function addSecretsCommand(program: Command, cli: Cli): void {
  const secrets = program.command('secrets').description('the secret of the installation')
  const rotate = secrets
    .command('rotate')
    .description('seal everything again with the new secret')
    .action(cli.act(() => rotateSecret(cli)))
  addHelp(
    rotate,
    'Set SCHOOLGATE_SECRET to the new secret and SCHOOLGATE_OLD_SECRET to the old one for all servers and for this command. Signing keys and all else that is sealed in the database is then sealed with the new one, while the servers work. A run that was interrupted can be repeated. Afterwards remove SCHOOLGATE_OLD_SECRET.',
    'secrets rotate',
  )
}

async function rotateSecret(cli: Cli): Promise<Outcome> {
  const config = cli.config()
  if ((await findOldSecrets(config)).length === 0) {
    throw new CommandError(
      'There is no old secret, so there is nothing to replace.',
      'set SCHOOLGATE_SECRET to the new secret and SCHOOLGATE_OLD_SECRET to the old one; docs/guides/keys.md tells the whole way',
    )
  }
  return await withDatabase(config, async ({ db }) => {
    const keyring = await openKeyring(config, db)
    const data = await sealAgain(db, keyring)
    const lines = [
      data.old === 0
        ? `Everything was sealed with the new secret already (${data.found} values).`
        : `Sealed again: ${data.old} of ${data.found} values.`,
      ...(data.unreadable === 0
        ? []
        : [`Neither secret opens ${data.unreadable} values: ${commandText('doctor')} names them.`]),
      'Remove SCHOOLGATE_OLD_SECRET from every server, and restart them.',
    ]
    return { data, text: lines.join('\n') }
  })
}
