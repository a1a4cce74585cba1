import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { hideSecrets, serializeError } from './log-error.ts'
import type { FinishedRequest, RequestObserver } from './observe-requests.ts'
import { rawPath } from './raw-url.ts'
import { redact } from './redact.ts'
import { RepeatedLines } from './repeated-lines.ts'
import { OVERLOADED } from './request-line.ts'

const TEXT_LIMIT = 200

/**
 * Writes JSON lines. Our code passes no secrets to the log; redaction and the narrow serializers are
 * the second line of defence, in case a later change logs all headers or a form.
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
 * Writes one line per finished request, but only some of those that are refused because there are too many: a line costs more than the
 * refusal. No other line is written for every request.
 */
export function requestLog(logger: { readonly level: string }): RequestObserver {
  // Computed once: looking up the level costs more than counting the request.
  const logsEveryRequest = isEnabled(logger, 'info')
  const overloads = new RepeatedLines(10, 1)
  return {
    finished(finished) {
      const level = finished.status >= 500 ? 'error' : 'info'
      if (level === 'info' && !logsEveryRequest) return
      const { log, outcome } = finished
      if (!isEnabled(log, level)) return
      const told = outcome.result === OVERLOADED ? overloads.admit(OVERLOADED) : {}
      if (told !== undefined) log[level]({ ...describeRequest(finished), ...told }, 'request')
    },
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
