import type { Command } from 'commander'
import { endOldSecret } from '../../domain/clients/application-operations.ts'
import {
  disableClient,
  enableClient,
  endClientAccess,
  reviewClient,
  withdrawReview,
} from '../../domain/clients/client-operations.ts'
import type { NamedSchool } from '../at-named-school.ts'
import type { Cli } from '../cli.ts'
import type { Outcome } from '../outcome.ts'
import { teach } from '../teach.ts'
import { peopleInWords, wordsFor } from './client-words.ts'

export interface ClientOptions {
  readonly school: string
}

interface Group {
  readonly cli: Cli
  /** Adds a command to the group. */
  readonly command: (name: string, about: string) => Command
  readonly at: (
    options: ClientOptions,
    work: (named: NamedSchool) => Promise<Outcome>,
  ) => Promise<Outcome>
}

/** The commands that decide what a client of any kind may do at a school. */
export function addStandingCommands({ cli, command, at }: Group): void {
  const standing = (
    name: string,
    about: string,
    operation: typeof disableClient,
    done: string,
  ): Command =>
    command(`${name} <client_id>`, about).action(
      cli.act((id: string, options: ClientOptions) =>
        at(options, (school) => changeStanding(school, id, operation, done)),
      ),
    )
  teach(
    standing('disable', 'switch a client off at one school', disableClient, 'is switched off'),
    'It gets no new authorizations and no new tokens at this school, and access tokens that it holds are refused at once. Works for applications, tools, vendor platforms and client metadata documents.',
    'client disable --school north chatgpt',
  )
  teach(
    standing('enable', 'switch a client on again', enableClient, 'is switched on'),
    'Refresh tokens that it still holds work again.',
    'client enable --school north chatgpt',
  )
  teach(
    standing('review', 'trust a client metadata document', reviewClient, 'is reviewed'),
    'Until then such a client may only read. Afterwards it may ask operators for write scopes as well. Look at its document and its redirect URIs first.',
    'client review --school north https://tool.example/client.json',
  )
  teach(
    standing(
      'withdraw-review',
      'leave a client metadata document only read scopes',
      withdrawReview,
      'is not reviewed any more',
    ),
    'Its next refresh gives only identity and read scopes; access tokens keep the others for two hours at most. `client end-access` stops them at once.',
    'client withdraw-review --school north https://tool.example/client.json',
  )
  teach(
    standing(
      'end-old-secret',
      'end the secret before the last renewal',
      endOldSecret,
      'has only its newest secret',
    ),
    '`client list` shows which applications have an old secret, and until when; the audit log says which one they use.',
    'client end-old-secret --school north app-1f…',
  )
  teach(
    command('end-access <client_id>', 'end all that people gave a client').action(
      cli.act((id: string, options: ClientOptions) =>
        at(options, (school) => endAccess(school, id)),
      ),
    ),
    'Its tokens stop working at once. It may ask people again; `client disable` prevents that.',
    'client end-access --school north app-1f…',
  )
}

async function endAccess(named: NamedSchool, clientId: string): Promise<Outcome> {
  const input = { client_id: clientId }
  const { people } = await named.perform(endClientAccess, input, await wordsFor(named, clientId))
  return {
    data: { clientId, people },
    text: `${clientId} has no access any more; ${peopleInWords(people)} had authorized it.`,
  }
}

async function changeStanding(
  named: NamedSchool,
  clientId: string,
  operation: typeof disableClient,
  done: string,
): Promise<Outcome> {
  const words = await wordsFor(named, clientId)
  const { changed } = await named.perform(operation, { client_id: clientId }, words)
  return { data: { clientId, changed }, text: `${clientId} ${done}${changed ? '' : ' already'}.` }
}
