import { type Command, Option } from 'commander'
import {
  changeApplication,
  createApplication,
  deleteApplication,
  OLD_SECRET_HOURS,
  rotateSecret,
} from '../../domain/clients/application-operations.ts'
import { ASSISTANT_IDS, type Assistant, filledIn } from '../../domain/clients/assistants.ts'
import { type ListedClient, listClients } from '../../domain/clients/list-clients.ts'
import { SCOPES_OF_AUDIENCE } from '../../domain/clients/scope-catalogue.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { addHelp, type Cli, collect } from '../cli.ts'
import { CommandError, facts, nothingToChange, type Outcome, table } from '../outcome.ts'
import { atNamedSchool, type NamedSchool, SCHOOL_ABOUT, SCHOOL_OPTION } from '../with-database.ts'
import { addStatusCommands, type ClientOptions, peopleInWords, wordsFor } from './client-status.ts'

interface DetailOptions extends ClientOptions {
  readonly name?: string
  readonly redirectUri?: string[]
  readonly postLogoutRedirectUri?: string[]
  readonly scopes?: string
  readonly website?: string
  readonly privacy?: string
}

interface RotateOptions extends ClientOptions {
  readonly endOld?: boolean
}

interface CreateOptions extends DetailOptions {
  readonly assistant?: Assistant
  readonly id?: string
  readonly confidential?: boolean
}

const SCOPES_ABOUT = `separated by spaces or commas, from: ${SCOPES_OF_AUDIENCE.member.toArray().join(' ')}`
const AFTER_SIGN_OUT_ABOUT = 'where people go after the app signed them out; may be repeated'
const WEBSITE_ABOUT = 'where people read about the app; the consent page links to it'
const PRIVACY_ABOUT = 'what the app does with data; the consent page links to it'
const ASSISTANT_ABOUT = 'make it for this assistant, from a template'

export function addClientCommand(program: Command, cli: Cli): void {
  const client = program.command('client').description('OAuth applications and other clients')
  const at = ({ school }: ClientOptions, work: (named: NamedSchool) => Promise<Outcome>) =>
    atNamedSchool(cli, school, work)
  const command = (name: string, about: string): Command =>
    client.command(name).description(about).requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)

  const create = command('create', 'make a member application')
    .option('--name <name>', 'what the consent page calls it')
    .option('--redirect-uri <uri>', 'where people return to; may be repeated', collect)
    .option('--post-logout-redirect-uri <uri>', AFTER_SIGN_OUT_ABOUT, collect)
    .option('--scopes <scopes>', SCOPES_ABOUT)
    .option('--website <url>', WEBSITE_ABOUT)
    .option('--privacy <url>', PRIVACY_ABOUT)
    .addOption(new Option('--assistant <assistant>', ASSISTANT_ABOUT).choices(ASSISTANT_IDS))
    .option('--confidential', 'it runs on a server and can keep a secret')
    .option('--id <client_id>', 'its client_id, if you want to choose it')
    .action(cli.act((options: CreateOptions) => at(options, (school) => make(school, options))))
  addHelp(
    create,
    'Prints the client_id, and for a confidential application its secret: that is the only time it is shown, since only a hash of it is kept. Everybody with a role at the school can authorize the application. With --assistant a template fills in the name, the redirect URIs and the scopes that you do not give, and members find the application with its steps at /account/assistants.',
    'client create --school north --name "Study Planner" --redirect-uri https://planner.example/callback --scopes "openid profile account:read"',
  )

  const list = command('list', 'list the clients of a school').action(
    cli.act((options: ClientOptions) => at(options, show)),
  )
  addHelp(
    list,
    'Changes nothing, and shows no secrets: there are none to show.',
    'client list --school north',
  )

  const set = command('set <client_id>', 'change a member application')
    .option('--name <name>', 'another name')
    .option('--redirect-uri <uri>', 'all redirect URIs from now on; may be repeated', collect)
    .option('--post-logout-redirect-uri <uri>', `${AFTER_SIGN_OUT_ABOUT}; '' for none`, collect)
    .option('--scopes <scopes>', SCOPES_ABOUT)
    .option('--website <url>', `${WEBSITE_ABOUT}; '' for none`)
    .option('--privacy <url>', `${PRIVACY_ABOUT}; '' for none`)
    .action(
      cli.act((id: string, options: DetailOptions) =>
        at(options, (school) => alter(school, id, options)),
      ),
    )
  addHelp(
    set,
    'Changes only the options that you give. A scope that you leave out is gone at the next refresh; access tokens keep it for two hours at most. `client end-access` stops them at once. A scope that you give back is given again to people who agreed to it.',
    'client set --school north app-1f… --redirect-uri https://planner.example/back',
  )

  const rotate = command(
    'rotate-secret <client_id>',
    'give a confidential application a new secret',
  )
    .option('--end-old', 'end the current secret at once, because other people may know it')
    .action(
      cli.act((id: string, options: RotateOptions) =>
        at(options, (school) => rotateOne(school, id, options)),
      ),
    )
  addHelp(
    rotate,
    `Prints the new secret, once. The old one works for ${OLD_SECRET_HOURS} hours more, unless you end it; one that is older still ends at once. Tokens that were given stay good.`,
    'client rotate-secret --school north app-1f…',
  )

  const remove = command('delete <client_id>', 'delete a member application').action(
    cli.act((id: string, options: ClientOptions) => at(options, (school) => removeOne(school, id))),
  )
  addHelp(
    remove,
    'Ends every token that people gave it, at once, and says how many people that were. This cannot be undone, and its client_id is not given out again.',
    'client delete --school north app-1f…',
  )

  addStatusCommands({ cli, command, at })
}

async function make({ perform, school }: NamedSchool, options: CreateOptions): Promise<Outcome> {
  const { assistant, id: client_id, confidential = false } = options
  const { name, redirect_uris, scopes } = detailsOf(options, school.origin)
  const post_logout_redirect_uris = options.postLogoutRedirectUri ?? []
  const links = { website_url: options.website || null, privacy_url: options.privacy || null }
  const made = await perform(
    createApplication,
    {
      ...{ name, redirect_uris, post_logout_redirect_uris, scopes, ...links },
      ...{ confidential, client_id, assistant },
    },
    { taken: 'choose another with --id, or leave it out' },
  )
  const { client_id: clientId, client_secret: clientSecret } = made
  return {
    data: {
      ...{ clientId, clientSecret, confidential, assistant, redirectUris: redirect_uris },
      ...{ postLogoutRedirectUris: post_logout_redirect_uris, scopes },
    },
    text: facts([
      ['client_id', clientId],
      ...(clientSecret === null ? [] : [secretFact(clientSecret)]),
      ['kind', confidential ? 'confidential' : 'public, no secret'],
      ['redirect URIs', redirect_uris.join(' ')],
      ['scopes', scopes.join(' ')],
      ['issuer, resource', school.origin],
      ...(school.mcpConnections ? [] : [NOT_LISTED]),
    ]),
  }
}

/** The application works; only its area is hidden. */
const NOT_LISTED = [
  'admin area',
  'shows applications when MCP connections are on (school set --mcp-connections on)',
] as const

/** What was typed, else what the template of the assistant has. */
function detailsOf({ assistant, ...typed }: CreateOptions, origin: string) {
  const template = assistant === undefined ? undefined : filledIn(assistant, origin)
  const need = <T>(option: string, value: T | undefined): T => {
    if (value !== undefined) return value
    throw new CommandError(`${option} is missing.`, 'give it, or choose an --assistant', 2)
  }
  return {
    name: need('--name', typed.name ?? template?.name),
    redirect_uris: [...need('--redirect-uri', typed.redirectUri ?? template?.redirectUris)],
    scopes: [...need('--scopes', typed.scopes ? scopesOf(typed.scopes) : template?.scopes)],
  }
}

const secretFact = (secret: string) => ['client_secret', `${secret} (shown this once)`] as const

async function show({ schoolDb: db, school }: NamedSchool): Promise<Outcome> {
  const clients = await listClients(db)
  const text = table(
    ['client_id', 'name', 'kind', 'for', 'secret', 'state', 'scopes'],
    clients.map((client) => [
      client.clientId,
      client.name,
      client.builtIn ? 'built in' : client.kind,
      client.audience,
      client.confidential ? secretState(client) : 'public',
      client.disabled
        ? 'off'
        : client.kind === 'document' && !client.reviewed
          ? 'unreviewed'
          : 'on',
      client.scopes.length > 6 ? `${client.scopes.length} scopes` : client.scopes.join(' '),
    ]),
    `This school has no clients yet. Make one with ${commandText(`client create --school ${school.subdomain}`)}.`,
  )
  return { data: { clients }, text }
}

async function alter(
  named: NamedSchool,
  clientId: string,
  options: DetailOptions,
): Promise<Outcome> {
  const { name, redirectUri, postLogoutRedirectUri, scopes, website, privacy } = options
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(redirectUri === undefined ? {} : { redirect_uris: redirectUri }),
    ...(postLogoutRedirectUri === undefined
      ? {}
      : { post_logout_redirect_uris: postLogoutRedirectUri.filter((uri) => uri !== '') }),
    ...(scopes === undefined ? {} : { scopes: scopesOf(scopes) }),
    ...(website === undefined ? {} : { website_url: website || null }),
    ...(privacy === undefined ? {} : { privacy_url: privacy || null }),
  }
  const changed = Object.keys(changes)
  if (changed.length === 0) throw nothingToChange()
  const words = await wordsFor(named, clientId)
  await named.perform(changeApplication, { client_id: clientId, ...changes }, words)
  return { data: { clientId, changed }, text: `${clientId} is changed.` }
}

function secretState({ oldSecretExpiresAt }: ListedClient): string {
  if (oldSecretExpiresAt === undefined) return 'confidential'
  return `confidential, old secret until ${oldSecretExpiresAt.toISOString()}`
}

async function rotateOne(
  named: NamedSchool,
  clientId: string,
  { endOld = false }: RotateOptions,
): Promise<Outcome> {
  const { client_secret: clientSecret, old_secret_expires_at: oldSecretExpiresAt } =
    await named.perform(
      rotateSecret,
      { client_id: clientId, end_old: endOld },
      await wordsFor(named, clientId),
    )
  return {
    data: { clientId, clientSecret, oldSecretExpiresAt },
    text: facts([
      ['client_id', clientId],
      secretFact(clientSecret),
      ['old secret', oldSecretExpiresAt === null ? 'ended' : `works until ${oldSecretExpiresAt}`],
    ]),
  }
}

async function removeOne(named: NamedSchool, clientId: string): Promise<Outcome> {
  const input = { client_id: clientId }
  const { people } = await named.perform(deleteApplication, input, await wordsFor(named, clientId))
  return {
    data: { clientId, people },
    text: `${clientId} is deleted; ${peopleInWords(people)} had authorized it.`,
  }
}

function scopesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '')
}
