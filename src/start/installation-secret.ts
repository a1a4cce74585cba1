import { exec } from 'node:child_process'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../config.ts'
import { judgeSecret, keepSecretCheck } from '../domain/setup/installation-secret.ts'
import { randomSecret } from '../foundation/crypto/random.ts'
import { Keyring } from '../foundation/crypto/seal.ts'
import type { Db } from '../foundation/db/database.ts'
import { SECRET_FILE } from '../foundation/db/embedded/data-folder.ts'
import { commandText } from '../foundation/text/command-name.ts'
import { oneLine } from '../foundation/text/visible-text.ts'
import { StartError } from './start-error.ts'

/**
 * The secret that seals signing keys: from the environment, or, with the embedded database, made
 * once and kept beside it. Two processes that start at once get the same one, because the file is
 * created atomically.
 */
export async function loadInstallationSecret(config: Config): Promise<string> {
  const known = await findInstallationSecret(config)
  if (known !== undefined) return known
  const path = secretPath(config)
  try {
    return await makeSecret(config.SCHOOLGATE_DATA_DIR, path)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(
      `The installation secret cannot be kept in ${path}: ${(cause as Error).message}`,
      'Make the data folder writable, or set SCHOOLGATE_SECRET.',
      { cause },
    )
  }
}

/**
 * The keyring of a migrated database. Refuses a secret that is not the one it was made with, unless
 * the old one is given too: signing keys would stay closed, and new ones would be sealed with
 * another secret.
 */
export async function openKeyring(config: Config, db: Db): Promise<Keyring> {
  const found = await findInstallationSecret(config)
  const old = await findOldSecrets(config)
  refuse(await problemOf(config, db, found, old))
  const secret = found ?? (await loadInstallationSecret(config))
  const keyring = new Keyring(secret, ...old)
  await keepSecretCheck(db, keyring)
  // Again: another process may have kept the check of another secret meanwhile.
  refuse(await problemOf(config, db, secret, old))
  return keyring
}

/** None, or the one that is being replaced. */
export async function findOldSecrets(config: Config): Promise<readonly string[]> {
  const old = await readGivenSecret(config, 'SCHOOLGATE_OLD_SECRET')
  return old === undefined ? [] : [old]
}

/** Why a start on this migrated database would refuse the secret, or undefined. Changes nothing. */
export async function secretProblem(config: Config, db: Db): Promise<StartError | undefined> {
  try {
    const old = await findOldSecrets(config)
    return await problemOf(config, db, await findInstallationSecret(config), old)
  } catch (error) {
    if (error instanceof StartError) return error
    throw error
  }
}

async function problemOf(
  config: Config,
  db: Db,
  secret: string | undefined,
  old: readonly string[],
): Promise<StartError | undefined> {
  // An empty secret opens nothing.
  const judged = await judgeSecret(db, new Keyring(secret ?? '', ...old))
  if (secret === undefined && judged !== 'new') {
    return new StartError(
      `The file ${secretPath(config)} is missing, and the database was made with the secret in it.`,
      BRING_BACK,
    )
  }
  if (judged !== 'wrong') return undefined
  const where = placeOfGiven(config, 'SCHOOLGATE_SECRET') ?? `in ${secretPath(config)}`
  return new StartError(
    `The secret ${where} is not the one that this database was made with.`,
    BRING_BACK,
  )
}

function refuse(problem: StartError | undefined): void {
  if (problem !== undefined) throw problem
}

const BRING_BACK = `Bring the right one back from a backup. If you are replacing it, set SCHOOLGATE_OLD_SECRET to the one before and run ${commandText('secrets rotate')}. If it is lost: ${commandText('keys accept-secret')}, then publish and activate new signing keys at every school.`

/** The secret of this installation; undefined if none was created yet. */
export async function findInstallationSecret(config: Config): Promise<string | undefined> {
  const given = await readGivenSecret(config, 'SCHOOLGATE_SECRET')
  if (given !== undefined) return given
  const path = secretPath(config)
  try {
    return await readKept(path)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(
      `The installation secret in ${path} cannot be read: ${(cause as Error).message}`,
      'Run this as the user that runs the server, or set SCHOOLGATE_SECRET.',
      { cause },
    )
  }
}

/** The file of the secret, used with the embedded database. */
export function secretPath(config: Config): string {
  return join(config.SCHOOLGATE_DATA_DIR, SECRET_FILE)
}

async function readKept(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const secret = text.trim()
  if (secret.length >= 32) return secret
  throw new StartError(
    `The file ${path} does not hold an installation secret.`,
    'Restore it from a backup: signing keys in the database open with it alone.',
  )
}

async function makeSecret(folder: string, path: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  // Two containers on one volume may have the same process id.
  const draft = `${path}.${randomSecret(9).toString('base64url')}`
  const text = `${randomSecret(48).toString('base64url')}\n`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await chmod(draft, 0o600)
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  const kept = await readKept(path)
  if (kept === undefined) throw new Error('the file vanished')
  return kept
}

/** The secret that seals, and the one that it replaces. */
type SecretName = 'SCHOOLGATE_SECRET' | 'SCHOOLGATE_OLD_SECRET'

const SHORTEST = 32
/** A key management service answers within seconds, or is away. */
const COMMAND_MS = 30_000

/** The secret that the environment gives: itself, in a file, or as the output of a command. */
async function readGivenSecret(config: Config, name: SecretName): Promise<string | undefined> {
  const file = config[`${name}_FILE`]
  if (file !== undefined) return long(`${name}_FILE`, await readSecretFile(name, file))
  const command = config[`${name}_COMMAND`]
  if (command !== undefined) return long(`${name}_COMMAND`, await runSecretCommand(name, command))
  return config[name]
}

/** How to speak of it in an error, or undefined if the environment gives none. */
function placeOfGiven(config: Config, name: SecretName): string | undefined {
  if (config[`${name}_FILE`] !== undefined) return `in ${config[`${name}_FILE`]}`
  if (config[`${name}_COMMAND`] !== undefined) return `of ${name}_COMMAND`
  return config[name] === undefined ? undefined : name
}

async function readSecretFile(name: SecretName, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new StartError(
      `The file of ${name}_FILE cannot be read: ${(cause as Error).message}`,
      'Correct the path, or let the user that runs the server read it.',
      { cause },
    )
  }
}

/** Its output is never shown, only what it complains about. */
async function runSecretCommand(name: SecretName, command: string): Promise<string> {
  try {
    const { stdout } = await promisify(exec)(command, { timeout: COMMAND_MS, maxBuffer: 64 * 1024 })
    return stdout
  } catch (error) {
    const {
      code,
      killed,
      stderr = '',
    } = error as { code?: number; killed?: boolean; stderr?: string }
    const end = killed ? `had no answer after ${COMMAND_MS / 1000} seconds` : `ended with ${code}`
    throw new StartError(
      `The command of ${name}_COMMAND ${end}. ${oneLine(stderr.trim())}`.trim(),
      'Run it by hand as the user that runs the server; it prints the secret and nothing else.',
    )
  }
}

function long(variable: string, text: string): string {
  const secret = text.trim()
  if (secret.length >= SHORTEST) return secret
  throw new StartError(
    `${variable} gives ${secret.length} characters, but a secret has at least ${SHORTEST}.`,
    'Make one with `openssl rand -base64 48`, the same for every process.',
  )
}
