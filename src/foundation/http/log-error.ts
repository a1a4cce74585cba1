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
