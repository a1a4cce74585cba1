import { type Command, Option } from 'commander'
import { recountFigures } from '../../domain/analytics/figure-rounds.ts'
import { HeadingError } from '../../domain/bulk/row-reader.ts'
import { SCHOOL_CLOCKS } from '../../domain/catalogue/school-clocks.ts'
import { deleteSchool } from '../../domain/schools/delete-school.ts'
import type { NewSchool, SchoolChanges } from '../../domain/schools/school-details.ts'
import { type ListedSchool, listSchools } from '../../domain/schools/school-directory.ts'
import { changeSettings } from '../../domain/schools/school-operations.ts'
import { resumeSchool, suspendSchool } from '../../domain/schools/suspend-school.ts'
import { createSchool } from '../../domain/schools/write-school.ts'
import { createSchoolsOfFile } from '../../domain/setup/school-file.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import { addHelp, BY_COMMAND_LINE, type Cli, commandLineAt } from '../cli.ts'
import { atSchools, type WhichSchools, withManySchools } from '../many-schools.ts'
import {
  CommandError,
  explainRefusal,
  facts,
  nothingToChange,
  type Outcome,
  table,
} from '../outcome.ts'
import { atNamedSchool, loadSchool, withDatabase } from '../with-database.ts'
import { formatFor } from './export.ts'
import { openSource, toldProblem } from './import.ts'

export function addSchoolCommand(program: Command, cli: Cli): void {
  const school = program.command('school').description('schools and their settings')

  const create = withSettings(school.command('create').description('add a school'))
    .option('--subdomain <word>', 'short name of the school, part of its token responses')
    .option('--origin <url>', 'where it is reached, such as https://school.example')
    .option('--name <name>', 'name that people read')
    .option('--file <file>', 'many schools at once: NDJSON or CSV, - for standard input')
    .option('--format <format>', 'ndjson or csv; as the name of the file ends unless given')
    .action(
      cli.act(({ file, format, ...settings }: Settings & FileOptions) =>
        file === undefined ? makeSchool(cli, settings) : makeSchools(cli, file, format, settings),
      ),
    )
  addHelp(
    create,
    'The school answers at its origin at once. It has no people, no clients and no signing key yet: go on with `user create`, `client create` and `keys publish`. A file has a school in each row, with columns named like the options with `_` (`time_zone`); switches are `true` or `false`, and a list of hosts is a JSON array, in CSV too. All of them are made, or none, and every wrong line is told.',
    'school create --subdomain north --origin https://north.example --name "North School"',
  )

  const list = school
    .command('list')
    .description('list all schools')
    .action(cli.act(() => showSchools(cli)))
  addHelp(list, 'Changes nothing.', 'school list --json')

  const set = withManySchools(
    withSettings(school.command('set [school]').description('change settings of a school')),
    true,
  )
    .option('--subdomain <word>', 'another short name')
    .option('--origin <url>', 'another origin: clients must discover it, people sign in again')
    .option('--name <name>', 'another name')
    .action(
      cli.act((name: string | undefined, { all, where, ...settings }: Settings & WhichSchools) =>
        alterSchools(cli, { school: name, all, where }, settings),
      ),
    )
  addHelp(
    set,
    'Changes only the options that you give. Running servers notice at once, at the latest after thirty seconds.',
    'school set north --mcp-connections on --document-hosts "*.tools.example"',
  )

  const suspend = school
    .command('suspend <school>')
    .description('close a school for now')
    .requiredOption('--confirm <subdomain>', CONFIRM)
    .action(cli.act((name: string, { confirm }: Confirmed) => suspendOne(cli, name, confirm)))
  addHelp(
    suspend,
    'Every address of the school answers 503 with its name and `Retry-After`, at once, at the latest after thirty seconds. Nothing of it expires: tokens, sessions, and the time in which something can be undone stand still until it is resumed. Its jobs, mails and imports wait. Commands still work on it. A server of an older version would not notice: suspend once none runs.',
    'school suspend north --confirm north',
  )

  const resume = withManySchools(
    school.command('resume [school]').description('open a school that was suspended'),
    true,
  ).action(cli.act((name: string | undefined, which: WhichSchools) => resumeMany(cli, name, which)))
  addHelp(
    resume,
    'First moves everything that was to expire behind the pause, some thousand rows a second; then the school answers. If it is interrupted, run it again: it goes on where it was.',
    'school resume --where suspended=on',
  )

  const remove = school
    .command('delete <school>')
    .description('delete a school and everything in it, for good')
    .requiredOption('--confirm <subdomain>', CONFIRM)
    .action(cli.act((name: string, { confirm }: Confirmed) => removeSchool(cli, name, confirm)))
  addHelp(
    remove,
    'Nothing answers at its origin any more, at once: every token, session and application of the school ends. A running server removes its rows and files in the background. The accounts of its people stay, without this school, and so does the audit log, for as long as it is kept. It cannot be undone: make a backup first.',
    'school delete north --confirm north',
  )

  const recount = school
    .command('recount <school>')
    .description('count its analytics anew')
    .action(cli.act((name: string) => recountSchool(cli, name)))
  addHelp(
    recount,
    'Analytics are kept and renewed by themselves. Use this after rows were changed in ways that the server cannot see, such as with triggers off. Until it ends, answers are counted from the rows, which takes long at a large school. It may be interrupted: a running server goes on.',
    'school recount north',
  )
}

const CONFIRM = 'its subdomain, to make sure that it is the right one'

interface Confirmed {
  readonly confirm: string
}

interface Settings {
  readonly subdomain?: string
  readonly origin?: string
  readonly name?: string
  readonly description?: string
  readonly contactEmail?: string
  readonly locale?: string
  readonly timeZone?: string
  readonly currency?: string
  readonly variant?: 'newer' | 'older'
  readonly mcpConnections?: 'on' | 'off'
  readonly openRegistration?: 'on' | 'off'
  readonly documentHosts?: string
  readonly endAuthorizationOnReplay?: 'on' | 'off'
  readonly signUp?: 'on' | 'off'
  readonly invitePeople?: 'on' | 'off'
  readonly videoHosts?: string
}

const onOff = (flags: string, about: string): Option =>
  new Option(`${flags} <on|off>`, about).choices(['on', 'off'])

function withSettings(command: Command): Command {
  return command
    .option('--description <text>', 'what the school is about')
    .option('--contact-email <email>', 'whom people write to; empty for none')
    .option('--locale <tag>', 'language of its pages, such as en or pt-BR')
    .option('--time-zone <name>', 'such as Europe/Lisbon')
    .option('--currency <code>', 'three letters, such as EUR')
    .addOption(new Option('--variant <variant>', 'which interface').choices(['newer', 'older']))
    .addOption(onOff('--mcp-connections', 'show operators the OAuth applications area'))
    .addOption(onOff('--open-registration', 'client metadata from any host'))
    .option('--document-hosts <hosts>', 'hosts whose client metadata is accepted, comma-separated')
    .addOption(onOff('--end-authorization-on-replay', 'a replayed refresh token ends everything'))
    .addOption(onOff('--sign-up', 'people may make an account and become students'))
    .addOption(onOff('--invite-people', 'people whom the school adds get an invitation by mail'))
    .option('--video-hosts <hosts>', 'hosts whose videos lectures play, comma-separated')
}

function detailsOf(settings: Settings): SchoolChanges {
  const { subdomain, origin, name, description, locale, currency, variant } = settings
  const { contactEmail } = settings
  return {
    subdomain,
    origin,
    name,
    description,
    locale,
    currency,
    variant,
    time_zone: settings.timeZone,
    contact_email: contactEmail === '' ? null : contactEmail,
    mcp_connections: switchOf(settings.mcpConnections),
    open_registration: switchOf(settings.openRegistration),
    document_hosts: hostsIn(settings.documentHosts),
    end_authorization_on_replay: switchOf(settings.endAuthorizationOnReplay),
    sign_up: switchOf(settings.signUp),
    invites_people: switchOf(settings.invitePeople),
    video_hosts: hostsIn(settings.videoHosts),
  }
}

function hostsIn(list: string | undefined): string[] | undefined {
  return list?.split(',').flatMap((host) => host.trim() || [])
}

function switchOf(value: 'on' | 'off' | undefined): boolean | undefined {
  return value === undefined ? undefined : value === 'on'
}

const TAKEN = { taken: `choose another; ${commandText('school list')} shows what is taken` }

async function makeSchool(cli: Cli, settings: Settings): Promise<Outcome> {
  for (const name of ['subdomain', 'origin', 'name'] as const) {
    if (settings[name] !== undefined) continue
    throw new CommandError(`--${name} is missing.`, 'give it, or many schools with --file', 2)
  }
  return await withDatabase(cli.config(), async ({ db }) => {
    const details = detailsOf(settings) as NewSchool
    const making = db.transaction().execute((tx) => createSchool(tx, details, BY_COMMAND_LINE))
    const id = await explainRefusal(making, TAKEN)
    return described(await loadSchool(db, id), 'Added.')
  })
}

interface FileOptions {
  readonly file?: string
  readonly format?: string
}

async function makeSchools(
  cli: Cli,
  file: string,
  format: string | undefined,
  settings: Settings,
): Promise<Outcome> {
  if (Object.keys(settings).length > 0) {
    throw new CommandError('A file and a school were given.', 'give one of them', 2)
  }
  const reading = formatFor(file === '-' ? undefined : file, format)
  const source = await openSource(cli, file)
  return await withDatabase(cli.config(), async ({ db }) => {
    const made = await createSchoolsOfFile(db, source, reading, BY_COMMAND_LINE).catch((error) => {
      throw error instanceof HeadingError ? wrongHeading(error) : error
    })
    if (made.kind === 'made') {
      const { schools } = made
      return { data: { schools }, text: `Added ${schools.length} schools.` }
    }
    const lines = made.lines.flatMap(({ line, problems }) =>
      problems.map((problem) => `line ${line}: ${toldProblem(problem)}`),
    )
    const text = [...lines, 'No school was added: correct the file and run it again.'].join('\n')
    return { data: { schools: [], lines: made.lines }, text, failed: true }
  })
}

function wrongHeading({ problems }: HeadingError): CommandError {
  return new CommandError(problems.map(toldProblem).join('\n'), 'no school was added')
}

async function showSchools(cli: Cli): Promise<Outcome> {
  return await withDatabase(cli.config(), async ({ db }) => {
    const schools = await listSchools(db)
    const text = table(
      ['subdomain', 'origin', 'name', 'variant', 'ID tokens', 'MCP connections', 'suspended'],
      schools.map((school) => [
        school.subdomain,
        school.origin,
        school.name,
        school.variant,
        school.signsIdTokens,
        school.mcpConnections,
        school.suspendedAt !== null,
      ]),
      `There are no schools yet. Make one with ${commandText('school create')}.`,
    )
    return { data: { schools }, text }
  })
}

async function alterSchools(cli: Cli, which: WhichSchools, settings: Settings): Promise<Outcome> {
  if (Object.keys(settings).length === 0) throw nothingToChange()
  const own = ['subdomain', 'origin', 'name'].find((name) => Object.hasOwn(settings, name))
  if (own !== undefined && which.school === undefined) {
    throw new CommandError(
      `--${own} is of one school alone.`,
      'name the school instead of --all or --where',
      2,
    )
  }
  return await atSchools(cli, which, async ({ db, school, perform }) => {
    await perform(changeSettings, detailsOf(settings), TAKEN)
    return described(await loadSchool(db, school.id), 'Changed.')
  })
}

async function recountSchool(cli: Cli, name: string): Promise<Outcome> {
  return await atNamedSchool(cli, name, async ({ schoolDb: db, school }) => {
    await recountFigures(db)
    const { subdomain } = school
    return { data: { school: subdomain }, text: `The analytics of ${subdomain} are counted anew.` }
  })
}

function checkConfirmed({ subdomain, origin }: ListedSchool, confirm: string): void {
  if (confirm === subdomain) return
  throw new CommandError(
    `Nothing was done: the subdomain of ${origin} is ${subdomain}, not "${oneLine(confirm, 80)}".`,
    `if it is the right school, add --confirm ${subdomain}`,
  )
}

async function suspendOne(cli: Cli, name: string, confirm: string): Promise<Outcome> {
  return await atNamedSchool(cli, name, async ({ schoolDb: db, school }) => {
    checkConfirmed(school, confirm)
    const { subdomain, origin } = school
    if (!(await db.transaction((tx) => suspendSchool(tx, commandLineAt(school))))) {
      throw new CommandError(
        `${subdomain} is suspended already.`,
        `${commandText(`school resume ${subdomain}`)} opens it`,
      )
    }
    const text = `${subdomain} is suspended: ${origin} answers 503 until ${commandText(`school resume ${subdomain}`)}.`
    return { data: { suspended: subdomain }, text }
  })
}

async function resumeMany(
  cli: Cli,
  name: string | undefined,
  { all, where }: WhichSchools,
): Promise<Outcome> {
  return await atSchools(cli, { school: name, all, where }, async ({ schoolDb: db, school }) => {
    const { subdomain, origin, suspendedAt } = school
    if (!(await resumeSchool(db, SCHOOL_CLOCKS, commandLineAt(school)))) {
      throw new CommandError(
        `${subdomain} is not suspended.`,
        `${commandText('school list')} shows which schools are`,
      )
    }
    const text = `${subdomain} is open again: ${origin} answers, and everything that was to expire has moved by the time since ${suspendedAt?.toISOString()}.`
    return { data: { resumed: subdomain }, text }
  })
}

async function removeSchool(cli: Cli, name: string, confirm: string): Promise<Outcome> {
  return await atNamedSchool(cli, name, async ({ schoolDb: db, school }) => {
    checkConfirmed(school, confirm)
    const { subdomain, origin } = school
    const by = commandLineAt(school)
    // What people at other schools can still stop has the time left that it had.
    if (!(await resumeSchool(db, SCHOOL_CLOCKS, by, (tx) => deleteSchool(tx, by)))) {
      await db.transaction((tx) => deleteSchool(tx, by))
    }
    const text = `${subdomain} is deleted. Nothing answers at ${origin} any more; a running server removes its rows and files.`
    return { data: { deleted: subdomain }, text }
  })
}

function described(school: ListedSchool, word: string): Outcome {
  const text = facts([
    ['school', school.name],
    ['subdomain', school.subdomain],
    ['origin', school.origin],
    ['id', school.id],
    ['variant', school.variant],
    ['MCP connections', school.mcpConnections],
    ['open registration', school.openRegistration],
    ['document hosts', school.documentHosts.join(', ') || undefined],
    ['signs ID tokens', school.signsIdTokens],
    ['suspended since', school.suspendedAt?.toISOString()],
  ])
  return { data: { school }, text: `${word}\n\n${text}` }
}
