import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Config, ConfigError, unknownVariables } from '../../config.ts'
import { findHashingProblem } from '../../foundation/crypto/password.ts'
import { hasDatabase } from '../../foundation/db/embedded/embedded-postgres.ts'
import { embeddedOf } from '../../start/embedded-place.ts'
import { INSTALL_ARGON2, NO_ARGON2 } from '../../start/prepare.ts'
import { addHelp, type Cli } from '../cli.ts'
import { checkDatabase } from '../doctor/check-database.ts'
import {
  checkBackupFolder,
  checkDataFolder,
  checkFiles,
  checkMetrics,
  checkNode,
  checkUploads,
} from '../doctor/check-installation.ts'
import { checkPort } from '../doctor/check-port.ts'
import { broken, type Finding, fine, note } from '../doctor/finding.ts'
import { explainError, limitOfFiles } from '../explain-error.ts'
import type { Outcome } from '../outcome.ts'
import { withDatabase } from '../with-database.ts'

export function addDoctorCommand(program: Command, cli: Cli): void {
  const command = program
    .command('doctor')
    .description('check this installation, and say how to repair what is broken')
    .action(cli.act(() => examine(cli)))
  addHelp(
    command,
    'Looks at Node, the configuration, the data folder, the port, the metrics, the store for uploads, the database, its schema, pooler, replication and disk, the clocks, the secret and the schools. Changes nothing. The exit code is 1 if something is broken.',
    'doctor',
  )
}

async function examine(cli: Cli): Promise<Outcome> {
  const findings = await findingsOf(cli)
  const failed = findings.some(({ status }) => status === 'broken')
  const lines = findings.flatMap(({ status, check, message, remedy }) => [
    `${MARKS[status]} ${check}: ${message}`,
    ...(remedy === undefined ? [] : [`    → ${remedy}`]),
  ])
  const verdict = failed
    ? 'Something is broken; repair it as described above.'
    : 'Nothing is broken.'
  return { data: { ok: !failed, findings }, text: [...lines, '', verdict].join('\n'), failed }
}

const MARKS = { ok: '[ ok ]', note: '[note]', broken: '[FAIL]' } as const

async function findingsOf(cli: Cli): Promise<readonly Finding[]> {
  let config: Config
  try {
    config = cli.config()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const remedy = 'correct it in the environment; docs/settings.md lists every variable'
    return error.message.split('\n').map((problem) => broken('configuration', problem, remedy))
  }
  const embedded = config.DATABASE_URL === undefined
  return [
    fine('configuration', 'Every variable has a usable value.'),
    ...unknownVariables(cli.env).map((problem) =>
      note('configuration', problem, 'correct its name, or remove it'),
    ),
    checkNode(process.versions.node, new Date()),
    ...checkFiles(limitOfFiles()),
    ...(findHashingProblem() === undefined ? [] : [broken('passwords', NO_ARGON2, INSTALL_ARGON2)]),
    ...(embedded ? await checkDataFolder(config) : []),
    await checkPort(config),
    ...checkMetrics(config),
    ...(await checkUploads(config)),
    ...(await checkBackupFolder(config)),
    ...(embedded && !(await exists(config.SCHOOLGATE_DATA_DIR))
      ? []
      : await databaseFindings(cli, config)),
  ]
}

/** Where there is no data folder there is no database; asking for it would make one. */
async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}

async function databaseFindings(cli: Cli, config: Config): Promise<readonly Finding[]> {
  try {
    if (config.DATABASE_URL === undefined && !(await hasDatabase(embeddedOf(config)))) {
      return [note('database', 'There is none yet.', 'nothing: the first start makes it')]
    }
    return await withDatabase(config, (attached) => checkDatabase(attached, config), {
      schema: 'as it is',
    })
  } catch (error) {
    const { error: message, remedy } = explainError(error, cli.env)
    return [broken('database', message, remedy)]
  }
}
