import type { Command } from 'commander'
import {
  addPlatform,
  changePlatform,
  switchPlatform,
} from '../../domain/clients/change-platforms.ts'
import { listPlatforms } from '../../domain/clients/vendor-platforms.ts'
import type { Db } from '../../foundation/db/database.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { addHelp, BY_COMMAND_LINE, type Cli, collect } from '../cli.ts'
import {
  explainRefusal,
  nothingToChange,
  type Outcome,
  type RefusalWords,
  table,
} from '../outcome.ts'
import { withDatabase } from '../with-database.ts'

interface Details {
  readonly name?: string
  readonly redirectUri?: string[]
}

interface NewPlatform {
  readonly id: string
  readonly name: string
  readonly redirectUri: string[]
}

export function addPlatformCommand(program: Command, cli: Cli): void {
  const platform = program
    .command('platform')
    .description('vendor platforms that every school of this installation knows')
  const inDatabase = (work: (db: Db) => Promise<Outcome>): Promise<Outcome> =>
    withDatabase(cli.config(), ({ db }) => work(db))

  const list = platform
    .command('list')
    .description('list the platforms')
    .action(cli.act(() => inDatabase(show)))
  addHelp(
    list,
    'Changes nothing. "shipped" rows follow the list of this program; "changed" and "added" ones are yours, and no update of the program touches them.',
    'platform list',
  )

  const add = platform
    .command('add')
    .description('let a platform register at every school')
    .requiredOption('--name <name>', 'the client_name that it registers with, exactly')
    .requiredOption('--id <client_id>', 'the client_id that it is given')
    .requiredOption('--redirect-uri <uri>', 'where people return to; may be repeated', collect)
    .action(cli.act((options: NewPlatform) => inDatabase((db) => addOne(db, options))))
  addHelp(
    add,
    'Owners and admins of every school can then connect it, with every operator scope that it asks for. Add only a vendor whose redirect URIs you took from its documentation. A generic tool such as mcp-remote is no platform: use `tool create`.',
    'platform add --name "Windsurf" --id windsurf --redirect-uri windsurf://codeium.windsurf/oauth',
  )

  const set = platform
    .command('set <client_id>')
    .description('correct the name or the redirect URIs of a platform')
    .option('--name <name>', 'another name')
    .option('--redirect-uri <uri>', 'all redirect URIs from now on; may be repeated', collect)
    .action(cli.act((id: string, options: Details) => inDatabase((db) => alter(db, id, options))))
  addHelp(
    set,
    'Holds at once at every school. Tokens that it has stay good. From now on the row is yours: updates of the program leave it as it is.',
    'platform set chatgpt --redirect-uri https://chatgpt.com/connector/oauth/abc',
  )

  const statusCommand = (name: 'disable' | 'enable', about: string): Command =>
    platform
      .command(`${name} <client_id>`)
      .description(about)
      .action(cli.act((id: string) => inDatabase((db) => change(db, id, name))))
  addHelp(
    statusCommand('disable', 'switch a platform off at every school'),
    'It can no longer register, gets no new authorizations and no new tokens, and the access tokens that it holds are refused at once. No authorization ends. Updates of the program leave it as it is. One school does the same for itself with `client disable`.',
    'platform disable cursor',
  )
  addHelp(
    statusCommand('enable', 'switch a platform on again'),
    'Refresh tokens that it still holds work again, except at schools that switched it off themselves.',
    'platform enable cursor',
  )
}

async function show(db: Db): Promise<Outcome> {
  const platforms = await listPlatforms(db)
  const text = table(
    ['client_id', 'name', 'state', 'from', 'redirect URIs'],
    platforms.map(({ clientId, clientName, disabled, source, shippedVersion, redirectUris }) => [
      clientId,
      clientName,
      disabled ? 'off' : 'on',
      source === 'shipped' ? `shipped, list ${shippedVersion}` : source,
      redirectUris.join(' '),
    ]),
    `There are no platforms. ${commandText('migrate')} adds those of its list.`,
  )
  return { data: { platforms }, text }
}

async function addOne(db: Db, options: NewPlatform): Promise<Outcome> {
  const { id: clientId, name, redirectUri: redirectUris } = options
  const details = { client_id: clientId, name, redirect_uris: redirectUris }
  await explainRefusal(addPlatform(db, details, BY_COMMAND_LINE), {})
  return {
    data: { clientId, clientName: name.trim(), redirectUris },
    text: `${name.trim()} can register at every school; its client_id is ${clientId}.`,
  }
}

async function alter(db: Db, clientId: string, options: Details): Promise<Outcome> {
  const { name, redirectUri } = options
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(redirectUri === undefined ? {} : { redirect_uris: redirectUri }),
  }
  const changed = Object.keys(changes)
  if (changed.length === 0) throw nothingToChange()
  await explainRefusal(
    changePlatform(db, clientId, changes, BY_COMMAND_LINE),
    unknownPlatform(clientId),
  )
  return { data: { clientId, changed }, text: `${clientId} is changed.` }
}

async function change(db: Db, clientId: string, name: 'disable' | 'enable'): Promise<Outcome> {
  const status = name === 'enable' ? 'on' : 'off'
  const changed = await explainRefusal(
    switchPlatform(db, clientId, status, BY_COMMAND_LINE),
    unknownPlatform(clientId),
  )
  return {
    data: { clientId, changed },
    text: `${clientId} is switched ${status}${changed ? '' : ' already'}.`,
  }
}

const unknownPlatform = (clientId: string): RefusalWords => ({
  not_found: [
    `There is no platform ${clientId}.`,
    `${commandText('platform list')} shows the platforms that there are`,
  ],
})
