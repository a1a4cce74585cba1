import type { Command } from 'commander'
import { email } from '../../domain/operation/fields.ts'
import { setEmail } from '../../domain/people/email-change/store-email.ts'
import { listPasskeys, removePasskeyFor } from '../../domain/people/passkeys/passkeys.ts'
import { isUuid } from '../../foundation/protocol/token-format.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import { addHelp, BY_COMMAND_LINE, type Cli } from '../cli.ts'
import { CommandError, explainRefusal, type Outcome, table } from '../outcome.ts'
import { loadPerson, unknownPerson, withDatabase } from '../with-database.ts'

interface PasskeysOptions {
  readonly remove?: string
  readonly reason?: string
}

export function addPasskeysCommand(user: Command, cli: Cli): void {
  const passkeys = user
    .command('passkeys')
    .description('list the passkeys of a person at all schools, or remove one')
    .argument('<email>', 'who')
    .option('--remove <id>', 'remove this passkey')
    .option('--reason <text>', 'why, for the audit log of its school; required with --remove')
    .action(
      cli.act((email: string, options: PasskeysOptions) =>
        options.remove === undefined
          ? list(cli, email)
          : remove(cli, email, options.remove, options.reason),
      ),
    )
  addHelp(
    passkeys,
    'A removed passkey can no longer be used to sign in; sessions that it began stay. If the server sends mail, the person is told. A person without any password or passkey sets a new password by “Forgot your password?” at a school where they have a role.',
    'user passkeys ada@north.example --remove 0193… --reason "lost phone, asked by phone call"',
  )
}

async function list(cli: Cli, email: string): Promise<Outcome> {
  return await withDatabase(cli.config(), async ({ db }) => {
    const { id: userId } = await loadPerson(db, email)
    const passkeys = await listPasskeys(db, userId)
    return {
      data: { userId, passkeys },
      text: table(
        ['id', 'school', 'name', 'made', 'last used', 'synced', 'copied'],
        passkeys.map((one) => [
          ...[one.id, one.school, one.name, one.createdAt, one.lastUsedAt],
          ...[one.isSynced, one.isCloned],
        ]),
        `${email} has no passkey.`,
      ),
    }
  })
}

async function remove(
  cli: Cli,
  email: string,
  id: string,
  reason: string | undefined,
): Promise<Outcome> {
  if (reason === undefined || reason.trim() === '') {
    throw new CommandError('No reason was given.', 'add --reason with a sentence', 2)
  }
  return await withDatabase(cli.config(), async ({ db }) => {
    const person = await loadPerson(db, email)
    const removed =
      isUuid(id) &&
      (await removePasskeyFor(db, person, id, reason.trim().slice(0, 500), BY_COMMAND_LINE))
    if (!removed) {
      throw new CommandError(`${email} has no passkey ${id}.`, 'leave out --remove to list them')
    }
    return {
      data: { userId: person.id, removed: id },
      text: `Removed. ${email} cannot sign in with it.`,
    }
  })
}

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
  addHelp(
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
