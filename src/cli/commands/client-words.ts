import { findListedClient, type ListedClient } from '../../domain/clients/list-clients.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import type { NamedSchool } from '../at-named-school.ts'
import type { RefusalWords } from '../refusal-error.ts'

/** What the commands of `client` say if one is refused. */
export async function wordsFor(named: NamedSchool, clientId: string): Promise<RefusalWords> {
  const at = `--school ${named.school.subdomain}`
  const found = await findListedClient(named.at, clientId)
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
