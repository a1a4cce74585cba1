import type { Command } from 'commander'
import { listPasskeys, removePasskeyFor } from '../../domain/people/passkeys/passkeys.ts'
import { isUuid } from '../../foundation/protocol/uuid.ts'
import { withDatabase } from '../attach.ts'
import { BY_COMMAND_LINE } from '../by-command-line.ts'
import type { Cli } from '../cli.ts'
import { loadPerson } from '../load-person.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { table } from '../table.ts'
import { teach } from '../teach.ts'

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
  teach(
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
