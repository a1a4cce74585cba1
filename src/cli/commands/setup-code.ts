import type { Command } from 'commander'
import {
  renewSetupCode,
  SETUP_CODE_MINUTES,
  SETUP_CODE_TRIES,
} from '../../domain/setup/first-school.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { withDatabase } from '../attach.ts'
import type { Cli } from '../cli.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { teach } from '../teach.ts'

export function addSetupCodeCommand(program: Command, cli: Cli): void {
  const command = program
    .command('setup-code')
    .description('make a new code for the first-run page')
    .action(cli.act(() => makeSetupCode(cli)))
  teach(
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
