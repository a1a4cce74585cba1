import type { Command } from 'commander'
import { disableClient, enableClient } from '../../domain/clients/client-operations.ts'
import { findListedTool, listClients } from '../../domain/clients/list-clients.ts'
import { SCOPES_OF_AUDIENCE } from '../../domain/clients/scope-catalogue.ts'
import {
  changeTool,
  createTool,
  DEFAULT_TOOL_SCOPES,
  deleteTool,
  toolAddress,
} from '../../domain/clients/tool-operations.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { addHelp, type Cli, collect } from '../cli.ts'
import {
  CommandError,
  facts,
  nothingToChange,
  type Outcome,
  type RefusalWords,
  table,
} from '../outcome.ts'
import { atNamedSchool, type NamedSchool, SCHOOL_ABOUT, SCHOOL_OPTION } from '../with-database.ts'
import { peopleInWords } from './client-status.ts'

interface Options {
  readonly school: string
}

interface DetailOptions extends Options {
  readonly name?: string
  readonly redirectUri?: string[]
  readonly scopes?: string
}

interface CreateOptions extends DetailOptions {
  readonly slug: string
  readonly name: string
  readonly redirectUri: string[]
}

const SCOPES_ABOUT = `separated by spaces or commas, from: ${SCOPES_OF_AUDIENCE.operator.toArray().join(' ')}`

export function addToolCommand(program: Command, cli: Cli): void {
  const tool = program
    .command('tool')
    .description("tools of a school's owners and admins, such as scripts and MCP clients")
  const at = ({ school }: Options, work: (named: NamedSchool) => Promise<Outcome>) =>
    atNamedSchool(cli, school, work)
  const command = (name: string, about: string): Command =>
    tool.command(name).description(about).requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)

  const create = command('create', 'make a tool and publish its metadata document')
    .requiredOption('--slug <word>', 'its name in its address; cannot be changed or used again')
    .requiredOption('--name <name>', 'what the consent page calls it')
    .requiredOption('--redirect-uri <uri>', 'on loopback, any port; may be repeated', collect)
    .option('--scopes <scopes>', `${SCOPES_ABOUT}; without it, identity and all read scopes`)
    .action(cli.act((options: CreateOptions) => at(options, (school) => make(school, options))))
  addHelp(
    create,
    'Prints the client_id: the address of its metadata document, {origin}/clients/{slug}.json. Owners and admins of the school can authorize the tool at once; it needs no secret and no review. Without --scopes it holds the identity scopes and all read scopes: an MCP client asks for all of them and is refused if the tool lacks one.',
    'tool create --school north --slug reports --name "Monthly reports" --redirect-uri http://127.0.0.1/callback --scopes "orders:read analytics:read"',
  )

  const list = command('list', 'list the tools of a school').action(
    cli.act((options: Options) => at(options, show)),
  )
  addHelp(list, 'Changes nothing.', 'tool list --school north')

  const set = command('set <slug>', 'change a tool')
    .option('--name <name>', 'another name')
    .option('--redirect-uri <uri>', 'all redirect URIs from now on; may be repeated', collect)
    .option('--scopes <scopes>', SCOPES_ABOUT)
    .action(
      cli.act((slug: string, options: DetailOptions) =>
        at(options, (school) => alter(school, slug, options)),
      ),
    )
  addHelp(
    set,
    'Changes only the options that you give; the address never changes. A scope that you leave out is gone at the next refresh; access tokens keep it for two hours at most, `tool disable` stops them at once.',
    'tool set --school north reports --scopes "analytics:read"',
  )

  const statusCommand = (
    name: string,
    about: string,
    operation: typeof disableClient,
    done: string,
  ) =>
    command(`${name} <slug>`, about).action(
      cli.act((slug: string, options: Options) =>
        at(options, (school) => changeStatus(school, slug, operation, done)),
      ),
    )
  addHelp(
    statusCommand('disable', 'switch a tool off', disableClient, 'is switched off'),
    'It gets no new authorizations and no new tokens, and access tokens that it holds are refused at once. Its document stays.',
    'tool disable --school north reports',
  )
  addHelp(
    statusCommand('enable', 'switch a tool on again', enableClient, 'is switched on'),
    'Refresh tokens that it still holds work again.',
    'tool enable --school north reports',
  )

  const remove = command('delete <slug>', 'delete a tool').action(
    cli.act((slug: string, options: Options) => at(options, (school) => removeOne(school, slug))),
  )
  addHelp(
    remove,
    'Ends every token that people gave it, at once; its address answers 404 and is never used again. This cannot be undone.',
    'tool delete --school north reports',
  )
}

async function make({ perform }: NamedSchool, options: CreateOptions): Promise<Outcome> {
  const { slug, name, redirectUri } = options
  const made = await perform(createTool, {
    slug,
    name,
    redirect_uris: redirectUri,
    scopes: options.scopes === undefined ? [...DEFAULT_TOOL_SCOPES] : scopesOf(options.scopes),
  })
  const { client_id: clientId, redirect_uris: redirectUris, scopes } = made
  return {
    data: { slug, clientId, name: made.name, redirectUris, scopes },
    text: facts([
      ['client_id', clientId],
      ['redirect URIs', redirectUris.join(' ')],
      ['scopes', scopes.join(' ')],
    ]),
  }
}

async function show({ schoolDb: db, school }: NamedSchool): Promise<Outcome> {
  const tools = await listClients(db, 'tool')
  const text = table(
    ['slug', 'name', 'state', 'client_id', 'scopes'],
    tools.map(({ slug, name, disabled, clientId, scopes }) => [
      slug,
      name,
      disabled ? 'off' : 'on',
      clientId,
      scopes.length > 6 ? `${scopes.length} scopes` : scopes.join(' '),
    ]),
    `This school has no tools yet. Make one with ${commandText(`tool create --school ${school.subdomain}`)}.`,
  )
  return { data: { tools }, text }
}

async function alter(named: NamedSchool, given: string, options: DetailOptions): Promise<Outcome> {
  const slug = slugOf(named, given)
  const { name, redirectUri, scopes } = options
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(redirectUri === undefined ? {} : { redirect_uris: redirectUri }),
    ...(scopes === undefined ? {} : { scopes: scopesOf(scopes) }),
  }
  const changed = Object.keys(changes)
  if (changed.length === 0) throw nothingToChange()
  await named.perform(changeTool, { slug, ...changes }, wordsFor(named, slug))
  return { data: { slug, changed }, text: `${slug} is changed.` }
}

async function changeStatus(
  named: NamedSchool,
  given: string,
  operation: typeof disableClient,
  done: string,
): Promise<Outcome> {
  const slug = slugOf(named, given)
  const tool = await findListedTool(named.schoolDb, slug)
  if (tool === undefined) throw new CommandError(...unknownTool(named, slug))
  const input = { client_id: tool.clientId }
  const { changed } = await named.perform(operation, input, wordsFor(named, slug))
  return { data: { slug, changed }, text: `${slug} ${done}${changed ? '' : ' already'}.` }
}

async function removeOne(named: NamedSchool, given: string): Promise<Outcome> {
  const slug = slugOf(named, given)
  const words = wordsFor(named, slug)
  const { client_id: clientId, people } = await named.perform(deleteTool, { slug }, words)
  return {
    data: { slug, clientId, people },
    text: `${slug} is deleted; ${peopleInWords(people)} had authorized it.`,
  }
}

/** A tool is named by its slug or by its whole client_id. */
function slugOf({ school }: NamedSchool, given: string): string {
  const slug = given.slice(given.lastIndexOf('/') + 1).replace(/\.json$/, '')
  return given === toolAddress(school.origin, slug) ? slug : given
}

const unknownTool = ({ school }: NamedSchool, slug: string) =>
  [
    `This school has no tool ${slug}.`,
    `${commandText(`tool list --school ${school.subdomain}`)} shows the tools that it has`,
  ] as const

const wordsFor = (named: NamedSchool, slug: string): RefusalWords => ({
  not_found: unknownTool(named, slug),
})

function scopesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '')
}
