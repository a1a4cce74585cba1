import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { hideSecrets, serializeError } from './log-error.ts'
import type { FinishedRequest, RequestObserver } from './observe-requests.ts'
import { rawPath } from './raw-url.ts'
import { redact } from './redact.ts'

const TEXT_LIMIT = 200

/**
 * JSON lines. Nothing secret is meant to reach the log; redaction and the narrow serializers are
 * the second line of defence, for the day somebody logs a header bag or a form.
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
      // Without a message pino copies the error's own, which the serializer would have cleaned.
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

/** One line per finished request, and the only one that a request writes by itself. */
export function requestLog(logger: { readonly level: string }): RequestObserver {
  // Asked once: pino takes longer to tell than it takes to count a request.
  const tellsAll = isEnabled(logger, 'info')
  return {
    finished(finished) {
      const level = finished.status >= 500 ? 'error' : 'info'
      if (level === 'info' && !tellsAll) return
      const { log } = finished
      if (isEnabled(log, level)) log[level](describeRequest(finished), 'request')
    },
  }
}

/** A line that nobody will read need not be put together. `silent` has no number. */
function isEnabled({ level }: { readonly level: string }, wanted: 'error' | 'info'): boolean {
  const { values } = pino.levels
  return (values[wanted] ?? 0) >= (values[level] ?? Number.POSITIVE_INFINITY)
}

function describeRequest(finished: FinishedRequest): Record<string, unknown> {
  const { outcome } = finished
  return {
    method: finished.method,
    // The pattern, not the URL: codes, tokens and email addresses travel in URLs.
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
