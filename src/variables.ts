import { z } from 'zod'
import { findUrlProblem } from './foundation/db/database-url.ts'
import { parseTrustProxy, type TrustProxy } from './foundation/http/client-address.ts'
import { USUAL_COMMAND } from './foundation/text/command-name.ts'

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `a whole number from ${min} to ${max}`)

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 }

/** In seconds. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,3}[mhd]$/, 'a number of minutes, hours or days, such as 30m, 6h or 1d')
  .transform((text) => Number.parseInt(text, 10) * (SECONDS[text.slice(-1)] ?? 0))

const word = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `one of ${words.join(', ')}` })

const list = z
  .string()
  .transform((text) => text.split(',').flatMap((part) => part.trim().toLowerCase() || []))

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

const trustProxy = z.string().transform((text, context): TrustProxy => {
  try {
    return parseTrustProxy(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})

const postgresUrl = z.string().superRefine((url, context) => {
  const message = findUrlProblem(url)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

const collectorUrl = z
  .string()
  .regex(/^https?:\/\/[^?#@]+$/, 'a URL such as http://127.0.0.1:4318')
  .refine((url) => URL.canParse(url), 'a URL such as http://127.0.0.1:4318')

const namedValues = z.string().transform((text, context) => {
  const values = parseNamedValues(text)
  if (values !== undefined) return values
  context.addIssue({ code: 'custom', message: 'name=value, comma-separated, percent-encoded' })
  return z.NEVER
})

/**
 * All variables with default and purpose; a test compares the table in docs/settings.md with this.
 * A message about a wrong value does not show that of a secret.
 */
export const variables = {
  NODE_ENV: {
    fallback: 'development',
    schema: word(['development', 'production', 'test']),
    about: '`production` never creates the demo world',
  },
  HOST: {
    fallback: '127.0.0.1',
    schema: z.string().min(1, 'an address to listen on, such as 0.0.0.0'),
    about: 'address to listen on; loopback unless told otherwise',
  },
  PORT: { fallback: '3000', schema: wholeNumber(1, 65_535), about: 'port to listen on' },
  WORKERS: {
    fallback: '1',
    schema: wholeNumber(1, 64),
    about: 'processes that share the port on this machine',
  },
  DATABASE_URL: {
    fallback: undefined,
    schema: postgresUrl,
    about:
      'PostgreSQL 15 or newer to use instead of the embedded one; several hosts as host1:5432,host2:5432, of which the primary is used',
  },
  DATABASE_LISTEN_URL: {
    fallback: undefined,
    schema: postgresUrl,
    about: 'direct connection for LISTEN where DATABASE_URL goes through a transaction pooler',
  },
  DATABASE_POOL_SIZE: {
    fallback: '12',
    schema: wholeNumber(2, 500),
    about:
      'connections of each process: half for signed-in callers, a quarter for strangers, a third for batch work; up to half as many more are shared by all requests',
  },
  DATABASE_STRANGER_TIMEOUT_MS: {
    fallback: '300',
    schema: wholeNumber(50, 600_000),
    about:
      'PostgreSQL cancels a statement of a caller without a proven credential that runs longer',
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    fallback: '4000',
    schema: wholeNumber(100, 600_000),
    about: 'the same for callers with one, and for token requests',
  },
  DATABASE_BATCH_TIMEOUT_MS: {
    fallback: '10000',
    schema: wholeNumber(100, 600_000),
    about:
      'the same for imports, exports, analytics, searches of operators and maintenance; each statement counts by itself',
  },
  SCHOOLGATE_DATA_DIR: {
    fallback: './data',
    schema: z.string().min(1, 'a folder'),
    about: 'folder of the embedded database, the generated secret and uploads',
  },
  SCHOOLGATE_DEMO: {
    fallback: undefined,
    schema: word(['on', 'off']),
    about:
      '`on`: an empty database gets the demo world; `off`: it stays empty. Without it, on for the embedded database and off with DATABASE_URL',
  },
  SCHOOLGATE_NEWER_SCHEMA: {
    fallback: 'refuse',
    schema: word(['refuse', 'serve']),
    about:
      'a database that a newer version has migrated: `refuse` to start; `serve`, while servers are replaced one after another',
  },
  SCHOOLGATE_SECRET: {
    fallback: undefined,
    isSecret: true,
    schema: z.string().min(32, 'at least 32 characters, the same on every process'),
    about:
      'seals signing keys and pending sign-ins; generated into the data folder for the embedded database, required with DATABASE_URL',
  },
  SCHOOLGATE_SECRET_FILE: {
    fallback: undefined,
    schema: z.string().min(1, 'the path of a file'),
    about: 'a file with that secret, instead of the variable',
  },
  SCHOOLGATE_SECRET_COMMAND: {
    fallback: undefined,
    schema: z.string().min(1, 'a command'),
    about:
      'a command for the shell that prints that secret, such as one that asks a key management service; run once at the start of each process',
  },
  SCHOOLGATE_OLD_SECRET: {
    fallback: undefined,
    isSecret: true,
    schema: z.string().min(32, 'at least 32 characters, the same on every process'),
    about:
      'the secret that SCHOOLGATE_SECRET replaces, until `schoolgate secrets rotate` has run; it opens and never seals',
  },
  SCHOOLGATE_OLD_SECRET_FILE: {
    fallback: undefined,
    schema: z.string().min(1, 'the path of a file'),
    about: 'a file with the old secret, instead of the variable',
  },
  SCHOOLGATE_OLD_SECRET_COMMAND: {
    fallback: undefined,
    schema: z.string().min(1, 'a command'),
    about: 'a command that prints the old secret, instead of the variable',
  },
  SCHOOLGATE_COMMAND: {
    fallback: USUAL_COMMAND,
    schema: z.string().regex(/^[!-~][ -~]{0,199}$/, 'a command of up to 200 visible characters'),
    about: 'how the command is typed on this machine; messages to its operator name it like this',
  },
  TRUST_PROXY: {
    fallback: '',
    schema: trustProxy,
    about:
      'addresses or networks whose X-Forwarded headers are believed, comma-separated; `loopback` is a name for 127.0.0.0/8 and ::1',
  },
  CLIENT_DOCUMENT_HOSTS: {
    fallback: '',
    schema: list,
    about: 'hosts whose client metadata documents resolve at every school, comma-separated',
  },
  PASSKEY_DOMAIN: {
    fallback: undefined,
    schema: z
      .string()
      .regex(
        /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/,
        'a domain such as schools.example.com',
      ),
    about:
      'passkeys of schools at this domain and below it belong to the domain, so they survive a move of their school to another name below it; without it each school has its own. Decide before people make passkeys: those of another setting are no longer offered',
  },
  PASSKEY_ORIGINS: {
    fallback: '',
    schema: list.refine(
      (origins) => origins.every((text) => text.startsWith('https://') && isOrigin(text)),
      'origins such as https://north.example.com, comma-separated',
    ),
    about:
      'origins of schools elsewhere that use passkeys of PASSKEY_DOMAIN too, comma-separated; /.well-known/webauthn at that domain lists them for everyone. Browsers accept five different names at most',
  },
  SMTP_URL: {
    fallback: undefined,
    schema: z
      .string()
      .regex(/^smtps?:\/\/.+/, 'a URL such as smtp://user:password@mail.example.com:587'),
    about:
      'mail server for mails to people: links for passwords, invitations and sign-ups, changes of an email address, and notices about their account; without it the demo world prints them in the log, and other installations send none',
  },
  MAIL_FROM: {
    fallback: undefined,
    schema: z
      .string()
      .regex(/^[^\r\n@]*@[^\r\n]+$/, 'an address such as "School <no-reply@example.com>"'),
    about: 'sender of those mails; required with SMTP_URL',
  },
  SECURITY_CONTACT: {
    fallback: undefined,
    schema: z
      .string()
      .regex(/^(mailto:|https:\/\/)[!-~]+$/, 'a URI such as mailto:security@example.com'),
    about:
      'where to report a vulnerability; every school then has /.well-known/security.txt (RFC 9116)',
  },
  BACKUP_EVERY: {
    fallback: undefined,
    schema: duration,
    about:
      'how often one of the processes backs the database up, such as 6h or 1d; without it none does',
  },
  BACKUP_DIR: {
    fallback: undefined,
    schema: z.string().min(1, 'a folder'),
    about:
      'folder of these backups, best on another disk; only the user of the server can read them',
  },
  BACKUP_KEEP: {
    fallback: '7',
    schema: wholeNumber(1, 1000),
    about: 'how many of these backups stay; older ones are removed after a good one',
  },
  LOG_LEVEL: {
    fallback: 'info',
    schema: word(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    about: 'how much is logged',
  },
  LOG_ADDRESSES: {
    fallback: 'off',
    schema: word(['off', 'on']),
    about: "`on`: the line of each request has the caller's address, which is personal data",
  },
  METRICS_PORT: {
    fallback: undefined,
    schema: wholeNumber(0, 65_535),
    about: 'port of its own for Prometheus metrics at /metrics',
  },
  METRICS_HOST: {
    fallback: '127.0.0.1',
    schema: z.string().min(1, 'an address to listen on, such as 0.0.0.0'),
    about:
      'address that METRICS_PORT listens on; loopback unless told otherwise, whatever HOST says',
  },
  METRICS_TOKEN: {
    fallback: undefined,
    isSecret: true,
    schema: z.string().min(16, 'at least 16 characters'),
    about: 'bearer token that /metrics asks for; with it the main port serves /metrics as well',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    fallback: undefined,
    schema: collectorUrl,
    about:
      'collector of OpenTelemetry that gets traces by OTLP over HTTP, at /v1/traces below this URL; without it there are none',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    fallback: undefined,
    schema: collectorUrl,
    about: 'the same as a complete URL, used as it is',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    fallback: '',
    isSecret: true,
    schema: namedValues,
    about:
      'headers for the collector, such as a key: name=value, comma-separated, values percent-encoded',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    fallback: 'http/json',
    schema: word(['http/json']),
    about: 'the form of OTLP that is sent; collectors accept it at the port for HTTP, 4318',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    fallback: '10000',
    schema: wholeNumber(1, 600_000),
    about:
      'milliseconds after which the collector counts as away; spans that it does not take are dropped',
  },
  OTEL_SDK_DISABLED: {
    fallback: 'false',
    schema: word(['true', 'false']),
    about: '`true` turns traces off, whatever the other variables say',
  },
  OTEL_SERVICE_NAME: {
    fallback: 'schoolgate',
    schema: z.string().max(200, 'at most 200 characters'),
    about: 'name of this service in traces',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    fallback: '',
    schema: namedValues,
    about:
      'what further describes it, such as deployment.environment.name=production, in the form of the headers',
  },
  OTEL_TRACES_SAMPLER: {
    fallback: 'parentbased_always_on',
    schema: word([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ]),
    about:
      'which requests are traced; the decision of a caller counts only if an address of TRUST_PROXY sends it',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    fallback: '1',
    schema: z
      .string()
      .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'a share from 0 to 1, such as 0.05')
      .transform(Number),
    about: 'share of requests that the samplers with `traceidratio` trace',
  },
  SHUTDOWN_TIMEOUT_SECONDS: {
    fallback: '20',
    schema: wholeNumber(1, 600),
    about: 'how long running requests may take to finish after SIGTERM',
  },
  PURGE_INTERVAL_SECONDS: {
    fallback: '600',
    schema: wholeNumber(10, 86_400),
    about: 'pause between two rounds of removing dead rows',
  },
  AUDIT_RETENTION_DAYS: {
    fallback: '365',
    schema: wholeNumber(1, 36_500),
    about: 'audit entries older than this are removed',
  },
  TOKEN_RATE_PER_SECOND: {
    fallback: '100',
    schema: wholeNumber(1, 100_000),
    about: 'token, revocation and introspection requests per client and address',
  },
  REGISTRATION_RATE_PER_MINUTE: {
    fallback: '120',
    schema: wholeNumber(1, 100_000),
    about: 'registration requests per address',
  },
  DOCUMENT_RATE_PER_MINUTE: {
    fallback: '60',
    schema: wholeNumber(1, 100_000),
    about: 'client metadata documents fetched per address',
  },
  FORM_BODY_BYTES: {
    fallback: '65536',
    schema: wholeNumber(4_096, 10_000_000),
    about: 'largest form body, at OAuth endpoints and on pages',
  },
  JSON_BODY_BYTES: {
    fallback: '1048576',
    schema: wholeNumber(4_096, 100_000_000),
    about: 'largest JSON body',
  },
  GRAPHQL_MAX_DEPTH: {
    fallback: '20',
    schema: wholeNumber(15, 100),
    about: 'levels of fields in a Member API document; introspection takes 15',
  },
  GRAPHQL_MAX_COST: {
    fallback: '50000',
    schema: wholeNumber(1_000, 10_000_000),
    about:
      'cost of a Member API document, roughly the objects its answer may hold; estimated before and counted while it is executed',
  },
  MEMBER_API_COST_PER_MINUTE: {
    fallback: '300000',
    schema: wholeNumber(1_000, 999_999_999),
    about: 'cost of all Member API requests of an authorization in a minute',
  },
  NEWS_MAILS_PER_DAY: {
    fallback: '20000',
    schema: wholeNumber(0, 100_000_000),
    about:
      'emails with notifications that one school sends in a day (UTC); further ones wait for the next. Emails about accounts do not count',
  },
  TOOL_CALL_RATE_PER_MINUTE: {
    fallback: '600',
    schema: wholeNumber(1, 100_000),
    about:
      'tool calls at /mcp per authorization, and per address for callers without a token; every message counts too: twice as many per address without a token, ten times as many per school and address in all. As many searches of public pages per address',
  },
  API_CALL_RATE_PER_MINUTE: {
    fallback: '6000',
    schema: wholeNumber(1, 1_000_000),
    about: 'calls of /api/v1 per authorization; ten times as many per address',
  },
  UPLOAD_BYTES: {
    fallback: '52428800',
    schema: wholeNumber(1024, 2_000_000_000),
    about: 'largest file that can be uploaded',
  },
  S3_ENDPOINT: {
    fallback: undefined,
    schema: z.string().regex(/^https?:\/\/[^?#@]+$/, 'a URL such as https://s3.example.com'),
    about:
      'S3-compatible store for uploads, without the bucket; without it they are stored in the data folder',
  },
  S3_BUCKET: {
    fallback: undefined,
    schema: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
    about: 'bucket for uploads; required with S3_ENDPOINT, as are both keys',
  },
  S3_REGION: {
    fallback: 'us-east-1',
    schema: z.string().regex(/^[a-z0-9-]{1,50}$/, 'a region such as eu-central-1'),
    about: 'region that requests to the store are signed for',
  },
  S3_ACCESS_KEY_ID: {
    fallback: undefined,
    schema: z.string().regex(/^[!-~]{1,200}$/, 'visible characters'),
    about: 'which key signs requests to the store',
  },
  S3_SECRET_ACCESS_KEY: {
    fallback: undefined,
    isSecret: true,
    schema: z.string().regex(/^[!-~]{1,200}$/, 'visible characters'),
    about: 'the secret half of that key',
  },
} as const

const PAIR = /^([\w!#$%&'*+.^`|~-]+)=([ -~]*)$/
const VISIBLE = /^[ -~]*$/

/**
 * Reads `name=value,name=value` with percent-encoded values, the form in which OpenTelemetry has
 * such lists. Undefined if it does not fit.
 *
 * @see https://www.w3.org/TR/baggage/#header-content
 */
export function parseNamedValues(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').flatMap((part) => part.trim() || [])
  const parsed = pairs.flatMap((pair) => {
    const [, name = '', value = ''] = PAIR.exec(pair) ?? []
    const decoded = decode(value)
    return name === '' || decoded === undefined ? [] : [[name, decoded] as const]
  })
  return parsed.length === pairs.length ? Object.fromEntries(parsed) : undefined
}

function decode(value: string): string | undefined {
  try {
    const decoded = decodeURIComponent(value.trim())
    return VISIBLE.test(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}
