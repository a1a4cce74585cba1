import { exec } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Config } from '../config.ts'
import { oneLine } from '../foundation/text/one-line.ts'
import { StartError } from './start-error.ts'

/** The secret that seals, and the one that it replaces. */
type SecretName = 'SCHOOLGATE_SECRET' | 'SCHOOLGATE_OLD_SECRET'

const SHORTEST = 32
/** A key management service answers within seconds, or is away. */
const COMMAND_MS = 30_000

/** The secret that the environment gives: itself, in a file, or as the output of a command. */
export async function readGivenSecret(
  config: Config,
  name: SecretName,
): Promise<string | undefined> {
  const file = config[`${name}_FILE`]
  if (file !== undefined) return long(`${name}_FILE`, await readSecretFile(name, file))
  const command = config[`${name}_COMMAND`]
  if (command !== undefined) return long(`${name}_COMMAND`, await runSecretCommand(name, command))
  return config[name]
}

/** How to speak of it in an error, or undefined if the environment gives none. */
export function placeOfGiven(config: Config, name: SecretName): string | undefined {
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
