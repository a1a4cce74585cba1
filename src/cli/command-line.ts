import { Command, CommanderError } from 'commander'
import { VERSION } from '../version.ts'
import { Cli, type CommandIo, type Environment } from './cli.ts'
import { type Explanation, explainError } from './explain-error.ts'
import { separateHyphenArguments } from './hyphen-arguments.ts'

type LoadCommand = () => Promise<(program: Command, cli: Cli) => void>

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  start: async () => (await import('./commands/start.ts')).addStartCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrateCommand,
  demo: async () => (await import('./commands/demo.ts')).addDemoCommand,
  'setup-code': async () => (await import('./commands/setup-code.ts')).addSetupCodeCommand,
  school: async () => (await import('./commands/school.ts')).addSchoolCommand,
  user: async () => (await import('./commands/user.ts')).addUserCommand,
  client: async () => (await import('./commands/client.ts')).addClientCommand,
  tool: async () => (await import('./commands/tool.ts')).addToolCommand,
  platform: async () => (await import('./commands/platform.ts')).addPlatformCommand,
  keys: async () => (await import('./commands/keys.ts')).addKeysCommand,
  secrets: async () => (await import('./commands/secrets.ts')).addSecretsCommand,
  import: async () => (await import('./commands/import.ts')).addImportCommand,
  export: async () => (await import('./commands/export.ts')).addExportCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  purge: async () => (await import('./commands/purge.ts')).addPurgeCommand,
}

/**
 * Runs one command and returns the exit code: 0 if it succeeded, 1 if it failed, 2 if the command line is wrong.
 * Uses nothing of the process except its arguments.
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

/** Only the command that is called, because loading all of them takes longer than most commands. All of them for the help. */
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
