import type { Command } from 'commander'
import { sendInvitation } from '../../domain/people/invitations.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { atNamedSchool } from '../at-named-school.ts'
import type { Cli } from '../cli.ts'
import { loadPerson } from '../load-person.ts'
import { SCHOOL_ABOUT, SCHOOL_OPTION } from '../load-school.ts'
import type { Outcome } from '../outcome.ts'
import { teach } from '../teach.ts'

interface InviteOptions {
  readonly school: string
  readonly email: string
}

export function addInviteCommand(user: Command, cli: Cli): void {
  const command = user
    .command('invite')
    .description('invite a member who has not signed in yet')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .requiredOption('--email <email>', 'who')
    .action(cli.act((options: InviteOptions) => inviteUser(cli, options)))
  teach(
    command,
    'Queues an email with a link to choose a password, or to sign in for a person who has an account. A running server with SMTP_URL sends it within a minute. Once an hour for one person; the school sees it on the page of the member.',
    'user invite --school north --email ada@north.example',
  )
}

async function inviteUser(cli: Cli, options: InviteOptions): Promise<Outcome> {
  return await atNamedSchool(cli, options.school, async ({ db, school, perform }) => {
    const { id, email } = await loadPerson(db, options.email)
    await perform(
      sendInvitation,
      { id },
      {
        not_found: [
          `${email} holds no role at ${school.subdomain}.`,
          `add them with ${commandText('user create')}`,
        ],
      },
    )
    return {
      data: { userId: id, email, school: school.subdomain },
      text: `An invitation to ${email} is queued.`,
    }
  })
}
