import { OAuthError } from './errors.ts'

const MAX_PARAMETERS = 100
const MAX_VALUE_LENGTH = 8192

/** RFC 8707 §2 lets a client name several resources. */
const REPEATABLE: ReadonlySet<string> = new Set(['resource'])

/** RFC 6749 Appendix A and §8.2; a name of another shape is not repeated in an answer. */
const PARAMETER_NAME = /^[A-Za-z0-9_.-]{1,64}$/

const NOT_ASCII_TEXT = /[^\x20-\x7E]/
const CONTROL_CHARACTER = /\p{Cc}/u

/** The parameters of one request. Reading an invalid parameter throws its error. */
export class Parameters {
  readonly #values: ReadonlyMap<string, readonly string[]>
  readonly #faults: ReadonlyMap<string, OAuthError>

  constructor(
    values: ReadonlyMap<string, readonly string[]>,
    faults: ReadonlyMap<string, OAuthError>,
  ) {
    this.#values = values
    this.#faults = faults
  }

  /** The first error of any parameter, known to us or not. */
  get fault(): OAuthError | undefined {
    return this.#faults.values().next().value
  }

  get(name: string): string | undefined {
    return this.getAll(name)[0]
  }

  getAll(name: string): readonly string[] {
    const fault = this.#faults.get(name)
    if (fault !== undefined) throw fault
    return this.#values.get(name) ?? []
  }

  /** True if there is a valid value. */
  has(name: string): boolean {
    return this.#values.has(name) && !this.#faults.has(name)
  }

  names(): string[] {
    return [...this.#values.keys()]
  }

  /** A copy with these values of one parameter. */
  with(name: string, values: readonly string[]): Parameters {
    return new Parameters(new Map(this.#values).set(name, values), this.#faults)
  }
}

/**
 * Parses a form body or a query string; throws if any parameter is invalid.
 *
 * @see RFC 6749 §3.2 and Appendix B
 */
export function parseParameters(text: string): Parameters {
  const parameters = readParameters(text)
  if (parameters.fault !== undefined) throw parameters.fault
  return parameters
}

/**
 * Like `parseParameters`, but leaves the errors to the caller: the authorization endpoint first
 * validates client and redirect URI, so that it can report errors by redirect.
 *
 * @see RFC 6749 §3.1 and §4.1.2.1
 */
export function readParameters(text: string): Parameters {
  const values = new Map<string, string[]>()
  const faults = new Map<string, OAuthError>()
  let count = 0
  for (const pair of text.split('&')) {
    if (pair === '') continue
    count += 1
    if (count > MAX_PARAMETERS) {
      throw new OAuthError('invalid_request', `Send at most ${MAX_PARAMETERS} parameters.`)
    }
    readPair(pair, values, faults)
  }
  return new Parameters(values, faults)
}

function readPair(
  pair: string,
  values: Map<string, string[]>,
  faults: Map<string, OAuthError>,
): void {
  const equals = pair.indexOf('=')
  // RFC 6749 §3.1: a parameter without a value is treated as omitted.
  if (equals === -1 || equals === pair.length - 1) return
  const written = pair.slice(0, equals)
  const name = decode(written)
  const value = decode(pair.slice(equals + 1))
  const key = name ?? written
  const known = values.get(key)
  const wrong = whatIsWrong(name, value, known)
  if (wrong !== undefined) {
    if (!faults.has(key)) faults.set(key, refusal(key, wrong))
  } else if (value !== undefined) {
    if (known === undefined) values.set(key, [value])
    else known.push(value)
  }
}

/**
 * `undefined` for broken percent-encoding, bytes that are not UTF-8, or unencoded characters
 * outside ASCII.
 */
function decode(text: string): string | undefined {
  if (NOT_ASCII_TEXT.test(text)) return undefined
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

function whatIsWrong(
  name: string | undefined,
  value: string | undefined,
  known: readonly string[] | undefined,
): string | undefined {
  if (name === undefined || value === undefined) {
    return 'is not valid: encode it as UTF-8 with percent-encoding.'
  }
  if (known !== undefined && !REPEATABLE.has(name)) return 'is repeated: send it once.'
  if (value.length > MAX_VALUE_LENGTH) {
    return `is too long: send at most ${MAX_VALUE_LENGTH} characters.`
  }
  if (CONTROL_CHARACTER.test(name) || CONTROL_CHARACTER.test(value)) {
    return 'holds control characters: remove them.'
  }
  return undefined
}

function refusal(name: string, wrong: string): OAuthError {
  const shown = PARAMETER_NAME.test(name) ? `The parameter ${name}` : 'A parameter'
  return new OAuthError('invalid_request', `${shown} ${wrong}`)
}
