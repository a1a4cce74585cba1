import type { Command } from 'commander'
import {
  disableClient,
  enableClient,
  reviewDocumentClient,
  type StandingChange,
} from '../../domain/clients/client-standing.ts'
import { listClients } from '../../domain/clients/list-clients.ts'
import {
  changeApplication,
  createApplication,
  deleteApplication,
  rotateSecret,
} from '../../domain/clients/manage-application.ts'
import { SCOPES_OF_AUDIENCE } from '../../domain/clients/scope-catalogue.ts'
import { atSchool, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import { withDatabase } from '../attach.ts'
import { BY_COMMAND_LINE } from '../by-command-line.ts'
import type { Cli } from '../cli.ts'
import { loadSchool, SCHOOL_ABOUT, SCHOOL_OPTION } from '../load-school.ts'
import { CommandError, invalidValues, nothingToChange, type Outcome } from '../outcome.ts'
import { facts, table } from '../table.ts'
import { teach } from '../teach.ts'

interface Options {
  readonly school: string
}

interface DetailOptions extends Options {
  readonly name?: string
  readonly redirectUri?: string[]
  readonly scopes?: string
}

interface CreateOptions extends DetailOptions {
  readonly name: string
  readonly redirectUri: string[]
  readonly scopes: string
  readonly id?: string
  readonly confidential?: boolean
}

const SCOPES_ABOUT = `separated by spaces or commas, from: ${SCOPES_OF_AUDIENCE.member.toArray().join(' ')}`
const gather = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

export function addClientCommand(program: Command, cli: Cli): void {
  const client = program.command('client').description('OAuth applications and other clients')
  const at = <R>({ school }: Options, work: (at: SchoolDb) => Promise<R>): Promise<R> =>
    withDatabase(cli.config(), async ({ db }) =>
      work(atSchool(db, (await loadSchool(db, school)).id)),
    )
  const command = (name: string, about: string): Command =>
    client.command(name).description(about).requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)

  const create = command('create', 'make a member application')
    .requiredOption('--name <name>', 'what the consent page calls it')
    .requiredOption('--redirect-uri <uri>', 'where people return to; may be repeated', gather)
    .requiredOption('--scopes <scopes>', SCOPES_ABOUT)
    .option('--confidential', 'it runs on a server and can keep a secret')
    .option('--id <client_id>', 'its client_id, if you want to choose it')
    .action(cli.act((options: CreateOptions) => at(options, (school) => make(school, options))))
  teach(
    create,
    'Prints the client_id, and for a confidential application its secret: that is the only time it is shown, since only a hash of it is kept. Everybody with a role at the school can authorize the application.',
    'client create --school north --name "Study Planner" --redirect-uri https://planner.example/callback --scopes "openid profile account:read"',
  )

  const list = command('list', 'list the clients of a school').action(
    cli.act((options: Options) => at(options, show)),
  )
  teach(
    list,
    'Changes nothing, and shows no secrets: there are none to show.',
    'client list --school north',
  )

  const set = command('set <client_id>', 'change a member application')
    .option('--name <name>', 'another name')
    .option('--redirect-uri <uri>', 'all redirect URIs from now on; may be repeated', gather)
    .option('--scopes <scopes>', SCOPES_ABOUT)
    .action(
      cli.act((id: string, options: DetailOptions) =>
        at(options, (school) => alter(school, id, options)),
      ),
    )
  teach(
    set,
    'Changes what is given and leaves the rest. People who already agreed keep what they agreed to.',
    'client set --school north app-1f… --redirect-uri https://planner.example/back',
  )

  const rotate = command(
    'rotate-secret <client_id>',
    'give a confidential application a new secret',
  ).action(
    cli.act((id: string, options: Options) => at(options, (school) => rotateOne(school, id))),
  )
  teach(
    rotate,
    'Prints the new secret, once. The old one stops working at once; tokens that were given stay good.',
    'client rotate-secret --school north app-1f…',
  )

  const remove = command('delete <client_id>', 'delete a member application').action(
    cli.act((id: string, options: Options) => at(options, (school) => removeOne(school, id))),
  )
  teach(
    remove,
    'Ends every token that people gave it, at once, and says how many people that were. This cannot be undone, and its client_id is not given out again.',
    'client delete --school north app-1f…',
  )

  const standing = (name: string, about: string, work: Standing, done: string): Command =>
    command(`${name} <client_id>`, about).action(
      cli.act((id: string, options: Options) =>
        at(options, (school) => changeStanding(school, id, work, done)),
      ),
    )
  teach(
    standing('disable', 'switch a client off at one school', disableClient, 'is switched off'),
    'It gets no new authorizations and no new tokens at this school, and access tokens that it holds are refused at once. Works for applications, vendor platforms and client metadata documents.',
    'client disable --school north chatgpt',
  )
  teach(
    standing('enable', 'switch a client on again', enableClient, 'is switched on'),
    'Refresh tokens that it still holds work again.',
    'client enable --school north chatgpt',
  )
  teach(
    standing('review', 'trust a client metadata document', reviewDocumentClient, 'is reviewed'),
    'Until then such a client may only read. Afterwards it may ask operators for write scopes as well. Look at its document and its redirect URIs first.',
    'client review --school north https://tool.example/client.json',
  )
}

async function make(at: SchoolDb, options: CreateOptions): Promise<Outcome> {
  const { name, redirectUri: redirectUris, id: clientId, confidential = false } = options
  const scopes = scopesOf(options.scopes)
  const made = await at.transaction((tx) =>
    createApplication(tx, { name, redirectUris, scopes, confidential, clientId }, BY_COMMAND_LINE),
  )
  if (made.kind === 'invalid') throw invalidValues(made.problems)
  if (made.kind === 'taken') {
    throw new CommandError(
      `The client_id ${clientId} is taken at this school.`,
      'choose another with --id, or leave it out',
    )
  }
  const { secret } = made
  return {
    data: {
      clientId: made.clientId,
      clientSecret: secret ?? null,
      confidential,
      redirectUris,
      scopes,
    },
    text: facts([
      ['client_id', made.clientId],
      ...(secret === undefined ? [] : [['client_secret', `${secret} (shown this once)`] as const]),
      ['kind', confidential ? 'confidential' : 'public, no secret'],
      ['redirect URIs', redirectUris.join(' ')],
      ['scopes', scopes.join(' ')],
    ]),
  }
}

async function show(at: SchoolDb): Promise<Outcome> {
  const clients = await listClients(at)
  const text = table(
    ['client_id', 'name', 'kind', 'for', 'secret', 'state', 'scopes'],
    clients.map((client) => [
      client.clientId,
      client.name,
      client.kind,
      client.audience,
      client.confidential ? 'confidential' : 'public',
      client.disabled
        ? 'off'
        : client.kind === 'document' && !client.reviewed
          ? 'unreviewed'
          : 'on',
      client.scopes.length > 6 ? `${client.scopes.length} scopes` : client.scopes.join(' '),
    ]),
    'This school has no clients yet. Make one with `npx schoolgate client create`.',
  )
  return { data: { clients }, text }
}

async function alter(at: SchoolDb, clientId: string, options: DetailOptions): Promise<Outcome> {
  const { name, redirectUri, scopes } = options
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(redirectUri === undefined ? {} : { redirectUris: redirectUri }),
    ...(scopes === undefined ? {} : { scopes: scopesOf(scopes) }),
  }
  if (Object.keys(changes).length === 0) throw nothingToChange()
  const done = await at.transaction((tx) =>
    changeApplication(tx, clientId, changes, BY_COMMAND_LINE),
  )
  if (done.kind === 'unknown') throw unknownClient(clientId)
  if (done.kind === 'invalid') throw invalidValues(done.problems)
  return { data: { clientId, changed: Object.keys(changes) }, text: `${clientId} is changed.` }
}

async function rotateOne(at: SchoolDb, clientId: string): Promise<Outcome> {
  const done = await at.transaction((tx) => rotateSecret(tx, clientId, BY_COMMAND_LINE))
  if (done.kind === 'unknown') throw unknownClient(clientId)
  if (done.kind === 'public') {
    throw new CommandError(
      `${clientId} is a public application and has no secret.`,
      'make a confidential application if it runs on a server',
    )
  }
  return {
    data: { clientId, clientSecret: done.secret },
    text: facts([
      ['client_id', clientId],
      ['client_secret', `${done.secret} (shown this once)`],
    ]),
  }
}

async function removeOne(at: SchoolDb, clientId: string): Promise<Outcome> {
  const done = await at.transaction((tx) => deleteApplication(tx, clientId, BY_COMMAND_LINE))
  if (done.kind === 'unknown') throw unknownClient(clientId)
  const { people } = done
  return {
    data: { clientId, people },
    text: `${clientId} is deleted; ${people} ${people === 1 ? 'person' : 'people'} had authorized it.`,
  }
}

type Standing = (
  tx: SchoolTx,
  clientId: string,
  by: typeof BY_COMMAND_LINE,
) => Promise<StandingChange | { readonly kind: 'no_document' }>

async function changeStanding(
  at: SchoolDb,
  clientId: string,
  work: Standing,
  done: string,
): Promise<Outcome> {
  const { kind } = await at.transaction((tx) => work(tx, clientId, BY_COMMAND_LINE))
  if (kind === 'unknown') throw unknownClient(clientId)
  if (kind === 'no_document') {
    throw new CommandError(
      `${clientId} is no client metadata document, so there is nothing to review.`,
      '`npx schoolgate client list` shows which clients are',
    )
  }
  const changed = kind === 'changed'
  return { data: { clientId, changed }, text: `${clientId} ${done}${changed ? '' : ' already'}.` }
}

function scopesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '')
}

function unknownClient(clientId: string): CommandError {
  return new CommandError(
    `This school has no such client: ${clientId}`,
    '`npx schoolgate client list` shows those that it has',
  )
}
