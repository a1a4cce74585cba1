import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { LruCache } from '../cache/lru-cache.ts'
import { randomName } from '../crypto/random.ts'
import { clientAddress, type TrustProxy } from './client-address.ts'
import { type FinishedRequest, type RequestObserver, SUSPENDED } from './observe-requests.ts'
import { rawPath } from './request-body.ts'
import { OVERLOADED } from './request-line.ts'

interface Kind {
  readonly since: number
  left: number
  leftOut: number
}

/**
 * Bounds lines of the log that callers can repeat without end. Of each kind a few are written in a
 * window; the first line of the next window says how many were left out.
 */
export class RepeatedLines {
  readonly #kinds = new LruCache<Kind>(1000)
  readonly #perWindow: number
  readonly #windowMs: number
  readonly #now: () => number

  constructor(perWindow: number, windowSeconds: number, now = () => performance.now()) {
    this.#perWindow = perWindow
    this.#windowMs = windowSeconds * 1000
    this.#now = now
  }

  /** Fields for the line, or undefined if it is to be left out. */
  admit(kind: string): { readonly leftOut?: number } | undefined {
    const now = this.#now()
    const known = this.#kinds.get(kind)
    if (known !== undefined && now - known.since < this.#windowMs) {
      if (known.left > 0) {
        known.left--
        return {}
      }
      known.leftOut++
      return undefined
    }
    this.#kinds.set(kind, { since: now, left: this.#perWindow - 1, leftOut: 0 }, 1)
    return known?.leftOut ? { leftOut: known.leftOut } : {}
  }
}

const TEXT_LIMIT = 200

/**
 * Writes JSON lines. Our code passes no secrets to the log; redaction and the narrow serializers
 * are the second line of defence, in case a later change logs all headers or a form.
 */
export function createLogger(options: {
  readonly level: string
  readonly destination?: DestinationStream
}): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), bindings: redact, log: redact },
    serializers: {
      err: (error: unknown) => serializeError(error),
      error: (error: unknown) => serializeError(error),
      req: (request: { method?: unknown; id?: unknown }) => ({
        id: request.id,
        method: request.method,
      }),
      res: (reply: { statusCode?: unknown }) => ({ status: reply.statusCode }),
    },
    hooks: {
      // Without a message pino takes the error's message, from which no secret has been removed.
      logMethod(args, method) {
        const [first, message] = args as readonly unknown[]
        if (message !== undefined || !carriesError(first)) return method.apply(this, args)
        const fields = first instanceof Error ? { err: first } : first
        return method.call(this, fields, 'error')
      },
    },
  }
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination)
}

/**
 * Writes one line per finished request, but only some of those that are refused because there are
 * too many, and one a second of those that fail because something is away: a line costs more than
 * the refusal. No other line is written for every request.
 */
export function requestLog(
  logger: { readonly level: string },
  logsAddresses = false,
): RequestObserver {
  // Computed once: looking up the level costs more than counting the request.
  const logsEveryRequest = isEnabled(logger, 'info')
  const overloads = new RepeatedLines(10, 1)
  const outages = new RepeatedLines(1, 1)
  return {
    finished(finished, request) {
      // What was asked of a suspended school is answered as it should be.
      const isFault = finished.status >= 500 && finished.outcome.result !== SUSPENDED
      const level = isFault ? 'error' : 'info'
      if (level === 'info' && !logsEveryRequest) return
      const { log, outcome } = finished
      if (!isEnabled(log, level)) return
      const told = admitted(finished.status, outcome.result)
      if (told === undefined) return
      const from = logsAddresses ? { address: clientAddress(request) } : {}
      log[level]({ ...describeRequest(finished), ...from, ...told }, 'request')
    },
  }

  function admitted(status: number, result = 'failed') {
    if (result === OVERLOADED) return overloads.admit(OVERLOADED)
    return status === 503 ? outages.admit(result) : {}
  }
}

/** Avoids building a line that the level drops. The level `silent` has no number. */
function isEnabled({ level }: { readonly level: string }, wanted: 'error' | 'info'): boolean {
  const { values } = pino.levels
  return (values[wanted] ?? 0) >= (values[level] ?? Number.POSITIVE_INFINITY)
}

function describeRequest(finished: FinishedRequest): Record<string, unknown> {
  const { outcome } = finished
  return {
    method: finished.method,
    // The route pattern, not the URL: URLs hold codes, tokens and email addresses.
    ...(finished.route === undefined
      ? { path: hideSecrets(rawPath(finished.url).slice(0, TEXT_LIMIT)) }
      : { route: finished.route }),
    status: finished.status,
    ms: Math.round(finished.milliseconds * 10) / 10,
    surface: outcome.surface,
    school: outcome.school,
    clientId: outcome.clientId?.slice(0, TEXT_LIMIT),
    personId: outcome.personId,
    outcome: finished.aborted ? 'aborted' : (outcome.result ?? resultOf(finished.status)),
  }
}

function resultOf(status: number): string {
  return status < 400 ? 'ok' : 'failed'
}

function carriesError(first: unknown): first is Error | { err: Error } {
  return (
    first instanceof Error ||
    (typeof first === 'object' && first !== null && 'err' in first && first.err instanceof Error)
  )
}

const DEPTH_SHOWN = 4
const ENTRIES_SHOWN = 50

const SECRET_FIELDS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'cookies',
  'set-cookie',
  'password',
  'token',
  'access_token',
  'accesstoken',
  'refresh_token',
  'refreshtoken',
  'id_token',
  'idtoken',
  'code',
  'code_verifier',
  'codeverifier',
  'secret',
  'client_secret',
  'clientsecret',
  'session',
  'body',
])

/**
 * Replaces the values of fields whose name stands for a secret. Our own code, because pino's
 * redaction with the wildcards that this needs makes a line about thirty times slower.
 */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  return redactObject(fields, 0)
}

function redactObject(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  let count = 0
  for (const name in fields) {
    const value = fields[name]
    const shown = ++count > ENTRIES_SHOWN ? undefined : redactField(name, value, depth)
    if (shown === value) continue
    copy ??= { ...fields }
    copy[name] = shown
  }
  return copy ?? fields
}

function redactField(name: string, value: unknown, depth: number): unknown {
  if (value === undefined || value === null) return value
  if (SECRET_FIELDS.has(name) || SECRET_FIELDS.has(name.toLowerCase())) return '[redacted]'
  if (typeof value === 'string') return name === 'url' ? hideSecrets(value) : value
  // The logger's serializers take two harmless fields from these and need the original object.
  if (depth === 0 && (name === 'req' || name === 'res')) return value
  return typeof value === 'object' ? redactValue(value, depth) : value
}

function redactValue(value: object, depth: number): unknown {
  // The logger's serializers take care of errors.
  if (value instanceof Error || value instanceof Date) return value
  if (value instanceof URL) return hideSecrets(value.href)
  if (ArrayBuffer.isView(value)) return '[bytes]'
  if (depth >= DEPTH_SHOWN) return '[…]'
  if (Array.isArray(value)) {
    return value.slice(0, ENTRIES_SHOWN).map((entry) => redactField('', entry, depth + 1))
  }
  return redactObject(value as Record<string, unknown>, depth + 1)
}

const PLAIN_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Gives each request an id. The id that a trusted proxy sends is kept, so that its log and ours can
 * be joined. From any other peer it is ignored: a client could put text into our log or use the id
 * of another request. Our ids are random: a counter would reveal how many requests there are.
 */
export function requestIds(trust: TrustProxy): (message: IncomingMessage) => string {
  return (message) => {
    const received = message.headers['x-request-id']
    return typeof received === 'string' &&
      PLAIN_ID.test(received) &&
      trust.trusts(message.socket.remoteAddress)
      ? received
      : randomName()
  }
}

const MESSAGE_LIMIT = 2000
const CAUSES_SHOWN = 3
// PostgreSQL's messages repeat the invalid value for errors of this class only.
const DATA_EXCEPTION = /^22[0-9A-Z]{3}$/
// Long runs of mixed case and digits: tokens, codes and hashes, but no UUIDs and no names.
const TOKEN_LIKE = /\b(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{40,}/g
const URL_QUERY = /\?[^\s"'<>]+/g

export type LoggedError = {
  readonly type: string
  readonly message: string
  readonly stack: string
  // Not `code`: a field of that name is redacted, since it would be an authorization code.
  readonly errorCode?: string
  readonly table?: string
  readonly constraint?: string
  readonly cause?: LoggedError
  readonly errors?: readonly LoggedError[]
}

/**
 * Turns an error into fields for the log. Takes listed fields only: drivers attach statements,
 * parameter values and whole requests to their errors, and the log keeps a leaked value for months.
 */
export function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: 'Something other than an Error was thrown.', stack: '' }
  }
  const code = findText(error, 'code')
  const table = findText(error, 'table')
  const constraint = findText(error, 'constraint')
  const isDeep = depth >= CAUSES_SHOWN
  return {
    type: error.constructor.name,
    message: hideValues(error.message, code),
    stack: stackFrames(error),
    ...(code === undefined ? {} : { errorCode: code }),
    ...(table === undefined ? {} : { table }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(error.cause instanceof Error && !isDeep
      ? { cause: serializeError(error.cause, depth + 1) }
      : {}),
    ...(error instanceof AggregateError && !isDeep
      ? { errors: error.errors.slice(0, CAUSES_SHOWN).map((one) => serializeError(one, depth + 1)) }
      : {}),
  }
}

/** Removes what looks like a token, and the query of any URL, from text for the log. */
export function hideSecrets(text: string): string {
  return text.slice(0, MESSAGE_LIMIT).replace(URL_QUERY, '?…').replace(TOKEN_LIKE, '[hidden]')
}

function hideValues(message: string, code: string | undefined): string {
  const hidden = hideSecrets(message)
  return code !== undefined && DATA_EXCEPTION.test(code) ? hidden.replace(/".*"/gs, '"…"') : hidden
}

/** The first line of a stack repeats the message, so only the frames are kept. */
function stackFrames(error: Error): string {
  const lines = typeof error.stack === 'string' ? error.stack.split('\n') : []
  return lines.filter((line) => /^\s+at /.test(line)).join('\n')
}

function findText(error: Error, key: string): string | undefined {
  const value: unknown = Reflect.get(error, key)
  return typeof value === 'string' ? value.slice(0, 100) : undefined
}
