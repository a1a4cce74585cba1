import type { Command } from 'commander'
import { email } from '../../domain/operation/fields.ts'
import { setEmail } from '../../domain/people/email-change/store-email.ts'
import { oneLine } from '../../foundation/text/one-line.ts'
import { withDatabase } from '../attach.ts'
import { BY_COMMAND_LINE } from '../by-command-line.ts'
import type { Cli } from '../cli.ts'
import { loadPerson, unknownPerson } from '../load-person.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { explainRefusal } from '../refusal-error.ts'
import { teach } from '../teach.ts'

export function addSetEmailCommand(user: Command, cli: Cli): void {
  const command = user
    .command('set-email <email>')
    .description('give a person another email address')
    .requiredOption('--to <email>', 'the new address')
    .requiredOption('--reason <text>', 'why, for the audit of the installation')
    .action(
      cli.act((old: string, { to, reason }: { readonly to: string; readonly reason: string }) =>
        setUserEmail(cli, { old, next: to.trim(), reason: oneLine(reason, 500) }),
      ),
    )
  teach(
    command,
    'For a person who can no longer read the mailbox of their old address; all others change it on the page of their account. Make sure that it is this person who asks: whoever reads the new mailbox can set a new password. Signs them out everywhere; if the server sends mail, the old address is told. No link can undo it.',
    'user set-email ada@north.example --to ada@home.example --reason "has left her employer, came in person"',
  )
}

interface Change {
  readonly old: string
  readonly next: string
  readonly reason: string
}

async function setUserEmail(cli: Cli, { old, next, reason }: Change): Promise<Outcome> {
  if (!email.safeParse(next).success) {
    throw new CommandError(`"${oneLine(next, 80)}" is no email address.`, 'check the spelling', 2)
  }
  return await withDatabase(cli.config(), async ({ db }) => {
    const { id: userId } = await loadPerson(db, old)
    const setting = db
      .transaction()
      .execute((tx) => setEmail(tx, { userId, email: next, reason }, BY_COMMAND_LINE))
    await explainRefusal(setting, {
      not_found: unknownPerson(old),
      taken: 'choose another address, or delete the account that has it',
    })
    return {
      data: { userId, email: next },
      text: `${old} now signs in as ${next}. They are signed out everywhere.`,
    }
  })
}
