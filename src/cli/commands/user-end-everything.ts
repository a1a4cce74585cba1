import type { Command } from 'commander'
import { changeEntry, recordForInstallation } from '../../domain/audit/audit.ts'
import { unknownPassword } from '../../domain/people/not-me-link.ts'
import { findPersonByEmail } from '../../domain/people/person.ts'
import { endEverything } from '../../domain/people/person-operations.ts'
import { withDatabase } from '../attach.ts'
import { BY_COMMAND_LINE } from '../by-command-line.ts'
import type { Cli } from '../cli.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { teach } from '../teach.ts'

interface EndOptions {
  readonly email: string
  readonly reason: string
}

export function addEndEverythingCommand(user: Command, cli: Cli): void {
  const end = user
    .command('end-everything')
    .description('end all sessions and apps of a person whose account another person uses')
    .requiredOption('--email <email>', 'who')
    .requiredOption('--reason <text>', 'why, for the audit of this installation')
    .action(cli.act((options: EndOptions) => endAll(cli, options)))
  teach(
    end,
    'Does the same as the link “It was not me” in a mail: ends sessions, connected apps and remembered browsers at every school, removes passkeys and authenticators that were added in the last week, and makes the password useless. If the server sends mail, the person gets a link to choose a new one.',
    'user end-everything --email ada@north.example --reason "reported by telephone"',
  )
}

async function endAll(cli: Cli, { email, reason }: EndOptions): Promise<Outcome> {
  return await withDatabase(cli.config(), async ({ db }) => {
    const person = await findPersonByEmail(db, email)
    if (person === undefined) {
      throw new CommandError(`No person has the email ${email}.`, 'check the spelling')
    }
    const hash = await unknownPassword()
    const { id: userId } = person
    await db.transaction().execute(async (tx) => {
      await endEverything(tx, { userId, email: person.email, hash, by: 'end_everything' })
      const change = {
        action: 'person.everything_ended',
        subject: userId,
        detail: { reason: reason.slice(0, 1000) },
      } as const
      await recordForInstallation(tx, changeEntry(BY_COMMAND_LINE, change))
    })
    return {
      data: { userId, email: person.email },
      text: `Ended: all sessions, connected apps and the password of ${person.email}. They choose a new password by “Forgot your password?”.`,
    }
  })
}
