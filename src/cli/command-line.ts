import { Command, CommanderError } from 'commander'
import { VERSION } from '../version.ts'
import { Cli, type CommandIo, type Environment } from './cli.ts'
import { addBackupCommand } from './commands/backup.ts'
import { addClientCommand } from './commands/client.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addExportCommand } from './commands/export.ts'
import { addImportCommand } from './commands/import.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addPlatformCommand } from './commands/platform.ts'
import { addPurgeCommand } from './commands/purge.ts'
import { addSchoolCommand } from './commands/school.ts'
import { addSecretsCommand } from './commands/secrets.ts'
import { addSetupCodeCommand } from './commands/setup-code.ts'
import { addStartCommand } from './commands/start.ts'
import { addToolCommand } from './commands/tool.ts'
import { addUserCommand } from './commands/user.ts'
import { type Explanation, explainError } from './explain-error.ts'
import { separateHyphenArguments } from './hyphen-arguments.ts'

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
    const program = buildProgram(cli, complaints)
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

function buildProgram(cli: Cli, complaints: string[]): Command {
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
  addStartCommand(program, cli)
  addDoctorCommand(program, cli)
  addMigrateCommand(program, cli)
  addDemoCommand(program, cli)
  addSetupCodeCommand(program, cli)
  addSchoolCommand(program, cli)
  addUserCommand(program, cli)
  addClientCommand(program, cli)
  addToolCommand(program, cli)
  addPlatformCommand(program, cli)
  addKeysCommand(program, cli)
  addSecretsCommand(program, cli)
  addImportCommand(program, cli)
  addExportCommand(program, cli)
  addBackupCommand(program, cli)
  addPurgeCommand(program, cli)
  return program
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
