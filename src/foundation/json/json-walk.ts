/** Bounds on what costs more in a JSON text than its length shows. */
export interface JsonLimits {
  /** Levels of lists and objects. Less than what overflows the stack of a recursive function. */
  readonly depth: number
  /** Names and values together. Schemas cost more for each of them than the parser does. */
  readonly parts: number
}

/** For callers whose token or key was checked, and for the files that they send. */
export const KNOWN_CALLER: JsonLimits = { depth: 64, parts: 20_000 }

/** For callers without a token. The longest honest message has a few hundred parts. */
export const STRANGER: JsonLimits = { depth: 64, parts: 2000 }

export interface JsonWalk {
  /** A sentence for the caller if the text exceeds a limit. */
  readonly excess?: string | undefined
  /** Whether a string in it holds U+0000, which PostgreSQL cannot store. */
  readonly holdsNul: boolean
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const SMALL_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Reads a JSON text once, before any parser or schema does: the cost of parsers, schemas and copies
 * grows with depth and with the number of members, and some of it faster than the text. It does not
 * check the grammar, which the parser does.
 *
 * @see RFC 8259 §9: a parser may set limits
 */
export function walkJson(text: string, limits: JsonLimits): JsonWalk {
  let depth = 0
  let parts = 0
  let holdsNul = false
  let isString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isString) {
      if (code === QUOTE) isString = false
      else if (code === BACKSLASH) {
        at += 1
        if (text.charCodeAt(at) === SMALL_U && text.startsWith('0000', at + 1)) holdsNul = true
      }
      continue
    }
    switch (code) {
      case QUOTE:
        isString = true
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        parts += 1
        if (depth > limits.depth) return { excess: tooDeep(limits), holdsNul }
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
      case COLON:
        parts += 1
        if (parts > limits.parts) return { excess: tooMany(limits), holdsNul }
        break
    }
  }
  return { holdsNul }
}

function tooDeep({ depth }: JsonLimits): string {
  return `The JSON is nested deeper than ${depth} levels.`
}

function tooMany({ parts }: JsonLimits): string {
  return `The JSON holds more than ${parts} names and values. Send less at once.`
}

/** Formats that are clearer for a reader than their regular expression. */
const CLEAR_FORMATS = new Set(['uuid', 'date-time', 'date', 'email'])

/**
 * Whether a member of a JSON Schema tells its reader nothing: a pattern beside such a format, or
 * the bounds of every integer.
 */
export function isSchemaNoise(name: string, member: unknown, schema: object): boolean {
  if (name === 'pattern' && typeof member === 'string') {
    return CLEAR_FORMATS.has(String(Reflect.get(schema, 'format')))
  }
  return member === Number.MAX_SAFE_INTEGER || member === Number.MIN_SAFE_INTEGER
}
