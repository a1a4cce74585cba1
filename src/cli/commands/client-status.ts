import type { Command } from 'commander'
import { endOldSecret } from '../../domain/clients/application-operations.ts'
import {
  disableClient,
  enableClient,
  endClientAccess,
  reviewClient,
  withdrawReview,
} from '../../domain/clients/client-operations.ts'
import { findListedClient, type ListedClient } from '../../domain/clients/list-clients.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { addHelp, type Cli } from '../cli.ts'
import type { Outcome, RefusalWords } from '../outcome.ts'
import type { NamedSchool } from '../with-database.ts'

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
export function addStatusCommands({ cli, command, at }: Group): void {
  const statusCommand = (
    name: string,
    about: string,
    operation: typeof disableClient,
    done: string,
  ): Command =>
    command(`${name} <client_id>`, about).action(
      cli.act((id: string, options: ClientOptions) =>
        at(options, (school) => changeStatus(school, id, operation, done)),
      ),
    )
  addHelp(
    statusCommand('disable', 'switch a client off at one school', disableClient, 'is switched off'),
    'It gets no new authorizations and no new tokens at this school, and access tokens that it holds are refused at once. Works for applications, tools, vendor platforms and client metadata documents.',
    'client disable --school north chatgpt',
  )
  addHelp(
    statusCommand('enable', 'switch a client on again', enableClient, 'is switched on'),
    'Refresh tokens that it still holds work again.',
    'client enable --school north chatgpt',
  )
  addHelp(
    statusCommand('review', 'trust a client metadata document', reviewClient, 'is reviewed'),
    'Until then such a client may only read. Afterwards it may ask operators for write scopes as well. Look at its document and its redirect URIs first.',
    'client review --school north https://tool.example/client.json',
  )
  addHelp(
    statusCommand(
      'withdraw-review',
      'leave a client metadata document only read scopes',
      withdrawReview,
      'is not reviewed any more',
    ),
    'Its next refresh gives only identity and read scopes; access tokens keep the others for two hours at most. `client end-access` stops them at once.',
    'client withdraw-review --school north https://tool.example/client.json',
  )
  addHelp(
    statusCommand(
      'end-old-secret',
      'end the secret before the last renewal',
      endOldSecret,
      'has only its newest secret',
    ),
    '`client list` shows which applications have an old secret, and until when; the audit log says which one they use.',
    'client end-old-secret --school north app-1f…',
  )
  addHelp(
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

async function changeStatus(
  named: NamedSchool,
  clientId: string,
  operation: typeof disableClient,
  done: string,
): Promise<Outcome> {
  const words = await wordsFor(named, clientId)
  const { changed } = await named.perform(operation, { client_id: clientId }, words)
  return { data: { clientId, changed }, text: `${clientId} ${done}${changed ? '' : ' already'}.` }
}

/** What the commands of `client` say if one is refused. */
export async function wordsFor(named: NamedSchool, clientId: string): Promise<RefusalWords> {
  const at = `--school ${named.school.subdomain}`
  const found = await findListedClient(named.schoolDb, clientId)
  return {
    not_found:
      found === undefined
        ? [
            `This school has no such client: ${clientId}`,
            `${commandText(`client list ${at}`)} shows the clients that it has`,
          ]
        : noApplication(found, at),
    platform_disabled: `${commandText('platform enable')} switches it on at every school`,
    public: 'make a confidential application if it runs on a server',
    built_in: `${commandText(`client disable ${at} ${clientId}`)} switches it off`,
    no_client_metadata: `${commandText(`client list ${at}`)} shows which clients have`,
  }
}

/** A client of another kind, given to a command for applications. */
function noApplication(
  { clientId, kind, slug }: ListedClient,
  at: string,
): readonly [error: string, remedy: string] {
  const off = `${commandText(`client disable ${at} ${clientId}`)} switches it off at this school`
  if (kind === 'tool') {
    return [
      `${clientId} is a tool, not an application.`,
      `${commandText(`tool set ${at} ${slug}`)} changes it, \`tool delete\` deletes it`,
    ]
  }
  return kind === 'vendor'
    ? [
        `${clientId} is a platform, not an application of this school.`,
        `${commandText(`platform set ${clientId}`)} changes it at every school; ${off}`,
      ]
    : [
        `${clientId} is an app with a metadata document of its own, not an application of this school.`,
        off,
      ]
}

/** Null: too many to count. */
export function peopleInWords(people: number | null): string {
  if (people === null) return 'many people'
  return `${people} ${people === 1 ? 'person' : 'people'}`
}
