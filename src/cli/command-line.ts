import { Command, CommanderError } from 'commander'
import { VERSION } from '../version.ts'
import { Cli, type CommandIo, type Environment } from './cli.ts'
import { type Explanation, explainError } from './explain-error.ts'

type LoadCommand = () => Promise<(program: Command, cli: Cli) => void>

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  start: async () => (await import('./commands/start.ts')).addStartCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrateCommand,
  demo: async () => (await import('./commands/start.ts')).addDemoCommand,
  'setup-code': async () => (await import('./commands/start.ts')).addSetupCodeCommand,
  school: async () => (await import('./commands/school.ts')).addSchoolCommand,
  user: async () => (await import('./commands/user.ts')).addUserCommand,
  client: async () => (await import('./commands/client.ts')).addClientCommand,
  tool: async () => (await import('./commands/tool.ts')).addToolCommand,
  platform: async () => (await import('./commands/platform.ts')).addPlatformCommand,
  usage: async () => (await import('./commands/usage.ts')).addUsageCommand,
  keys: async () => (await import('./commands/keys.ts')).addKeysCommand,
  secrets: async () => (await import('./commands/start.ts')).addSecretsCommand,
  import: async () => (await import('./commands/import.ts')).addImportCommand,
  export: async () => (await import('./commands/export.ts')).addExportCommand,
  'new-database': async () => (await import('./commands/new-database.ts')).addNewDatabaseCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  purge: async () => (await import('./commands/migrate.ts')).addPurgeCommand,
}

/**
 * Runs one command and returns the exit code: 0 if it succeeded, 1 if it failed, 2 if the command
 * line is wrong. Uses nothing of the process except its arguments.
 */
export async function runCommandLine(
  argv: readonly string[],
  env: Environment,
  io: CommandIo,
): Promise<number> {
  const cli = new Cli(env, io, argv.includes('--json'))
  const complaints: string[] = []
  try {
    const program = await buildProgram(cli, argv, complaints)
    await program.parseAsync(separateHyphenArguments(program, argv), { from: 'user' })
    return cli.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const explained =
      error instanceof CommanderError ? usage(error, complaints) : explainError(error, env)
    io.stderr.write(cli.json ? asJson(explained) : asText(explained))
    return explained.exitCode
  }
}

async function buildProgram(
  cli: Cli,
  argv: readonly string[],
  complaints: string[],
): Promise<Command> {
  const program = new Command('schoolgate')
    .description('The authorization service for online schools.')
    .version(VERSION, '--version', 'show the version')
    .option('--json', 'answer with JSON, and errors as {"error", "remedy"} on stderr')
    .helpOption('-h, --help', 'show help for this command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => cli.io.stdout.write(text),
      writeErr: (text) => complaints.push(text),
      outputError: (text) => complaints.push(text),
    })
    .exitOverride()
  for (const load of namedIn(argv)) (await load())(program, cli)
  return program
}

/**
 * Only the command that is called, because loading all of them takes longer than most commands. All
 * of them for the help.
 */
function namedIn(argv: readonly string[]): readonly LoadCommand[] {
  const [name] = argv.filter((word) => word !== '--json')
  const [, called] = Object.entries(COMMANDS).find(([known]) => known === name) ?? []
  return called === undefined ? Object.values(COMMANDS) : [called]
}

/** For a wrong command line; without a command the answer is the help. */
function usage(error: CommanderError, complaints: readonly string[]): Explanation {
  const said = complaints
    .join('')
    .trim()
    .replace(/^error: /, '')
  if (error.code === 'commander.help') {
    return { error: said, remedy: 'name one of the commands above', exitCode: 2 }
  }
  return {
    error: said === '' ? error.message : said,
    remedy: 'add --help to the command to see what it takes',
    exitCode: 2,
  }
}

function asJson({ error, remedy }: Explanation): string {
  return `${JSON.stringify({ error, remedy })}\n`
}

function asText({ error, remedy }: Explanation): string {
  return `${error}\n→ ${remedy}\n`
}

/**
 * Writes arguments that begin with a hyphen behind `--`, where commander reads them as arguments: a
 * base64url id begins with one now and then. An unknown option is taken for an argument only while
 * a required argument is missing, so a misspelt option is still refused by its name.
 */
function separateHyphenArguments(program: Command, argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  const read = readWords(program, end === -1 ? argv : argv.slice(0, end))
  const given = read.words.filter(({ kind }) => kind === 'argument').length
  const behind = end === -1 ? [] : argv.slice(end + 1)
  const missing = read.required - given - behind.length
  const unknown = read.words.filter(({ kind }) => kind === 'unknown').slice(0, Math.max(0, missing))
  if (unknown.length === 0) return [...argv]
  const isArgument = (word: Word) => word.kind === 'argument' || unknown.includes(word)
  const textOf = ({ text }: Word) => text
  return [
    ...read.words.filter((word) => !isArgument(word)).flatMap(textOf),
    '--',
    ...read.words.filter(isArgument).flatMap(textOf),
    ...behind,
  ]
}

interface Word {
  readonly kind: 'command' | 'option' | 'argument' | 'unknown'
  /** With its value, if it is an option that takes one. */
  readonly text: readonly string[]
}

function readWords(program: Command, argv: readonly string[]) {
  const words: Word[] = []
  let command = program
  for (let i = 0; i < argv.length; i += 1) {
    const text = argv[i] ?? ''
    const inner = words.every(({ kind }) => kind !== 'argument')
      ? command.commands.find((candidate) => candidate.name() === text)
      : undefined
    if (inner !== undefined) {
      words.push({ kind: 'command', text: [text] })
      command = inner
    } else if (!text.startsWith('-') || text === '-') {
      words.push({ kind: 'argument', text: [text] })
    } else if (takesNext(command, program, text)) {
      words.push({ kind: 'option', text: argv.slice(i, i + 2) })
      i += 1
    } else {
      const kind = isOption(command, program, text) ? 'option' : 'unknown'
      words.push({ kind, text: [text] })
    }
  }
  // Without a school by name, the command is about many.
  const isAboutMany = words.some(({ text: [word] }) => /^--(all|where)(=|$)/.test(word ?? ''))
  const namesOne = command.options.some(({ long }) => long === '--all') && !isAboutMany
  const required = command.registeredArguments.filter(
    (argument) => argument.required || namesOne,
  ).length
  return { words, required }
}

const optionsOf = (command: Command, program: Command) => [...command.options, ...program.options]

function takesNext(command: Command, program: Command, text: string): boolean {
  return optionsOf(command, program).some(
    ({ required, long, short }) => required && (text === long || text === short),
  )
}

/** An option as commander reads it: by its name, or with its value in the same word. */
function isOption(command: Command, program: Command, text: string): boolean {
  if (text === '-h' || text === '--help') return true
  const [name] = text.split('=')
  return optionsOf(command, program).some(
    ({ long, short }) => name === long || (short !== undefined && text.startsWith(short)),
  )
}
