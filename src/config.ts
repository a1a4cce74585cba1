import type { z } from 'zod'
import { variables } from './variables.ts'

/** The only place that reads the environment, once. */

type Variables = typeof variables
type VariableName = keyof Variables
type Values = {
  readonly [N in VariableName]: Variables[N]['fallback'] extends undefined
    ? z.output<Variables[N]['schema']> | undefined
    : z.output<Variables[N]['schema']>
}

export type Config = Values

/** The server cannot start with this value of an environment variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(variables)) {
    const given = env[name] === '' ? undefined : env[name]
    const text = given ?? variable.fallback
    if (text === undefined) continue
    const parsed = variable.schema.safeParse(text)
    if (parsed.success) {
      values[name] = parsed.data
      continue
    }
    const shown = 'isSecret' in variable ? `${text.length} characters` : `"${masked(text)}"`
    const wanted = parsed.error.issues[0]?.message ?? 'another value'
    problems.push(`${name} is ${shown}, but must be ${wanted}.`)
  }
  const config = values as Config
  problems.push(...contradictions(config))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

const OURS = 'SCHOOLGATE_'

/**
 * A misspelt variable would silently leave its default in force. Only our own prefix is ours to
 * judge.
 */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = Object.keys(variables)
  const ours = known.filter((name) => name.startsWith(OURS)).join(', ')
  return Object.keys(env)
    .filter((name) => name.startsWith(OURS) && !known.includes(name))
    .sort()
    .map((name) => `${name} is no setting, so it is ignored. There are ${ours}.`)
}

/** Even an invalid URL may contain a password. */
function masked(text: string): string {
  return text.replace(/:[^:@/]*@/, ':…@').slice(0, 100)
}

/** The ways to give the secret, and the old one. */
const SECRETS = [
  ['SCHOOLGATE_SECRET', 'SCHOOLGATE_SECRET_FILE', 'SCHOOLGATE_SECRET_COMMAND'],
  ['SCHOOLGATE_OLD_SECRET', 'SCHOOLGATE_OLD_SECRET_FILE', 'SCHOOLGATE_OLD_SECRET_COMMAND'],
] as const

function contradictions(config: Config): string[] {
  const found: string[] = []
  const given = SECRETS.map((names) => names.filter((name) => config[name] !== undefined))
  for (const names of given.filter(({ length }) => length > 1)) {
    found.push(`${names.join(' and ')} are set, but only one of them can give the secret.`)
  }
  if (config.DATABASE_URL !== undefined && given[0]?.length === 0) {
    found.push(
      'SCHOOLGATE_SECRET is missing, but DATABASE_URL is set: every process on that database must share one secret. Make one with `openssl rand -base64 48`.',
    )
  }
  if (config.SMTP_URL !== undefined && config.MAIL_FROM === undefined) {
    found.push('MAIL_FROM is missing, but SMTP_URL is set: mails need a sender.')
  }
  if (config.BACKUP_EVERY !== undefined && config.BACKUP_DIR === undefined) {
    found.push('BACKUP_DIR is missing, but BACKUP_EVERY is set: backups need a folder.')
  }
  if (config.PASSKEY_ORIGINS.length > 0 && config.PASSKEY_DOMAIN === undefined) {
    found.push('PASSKEY_DOMAIN is missing, but PASSKEY_ORIGINS is set: they use its passkeys.')
  }
  const s3 = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
  const missing = s3.filter((name) => config[name] === undefined)
  if (missing.length > 0 && missing.length < s3.length) {
    const given = s3.filter((name) => !missing.includes(name))
    found.push(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing, but ${given.join(' and ')} ${given.length === 1 ? 'is' : 'are'} set: a store for uploads takes all four.`,
    )
  }
  return found
}
