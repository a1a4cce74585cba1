import { TooManyRowsError } from '../../foundation/db/keyset.ts'
import { isDatabaseUnavailable, TOOK_TOO_LONG } from '../../foundation/db/unavailable.ts'
import { type ErrorCode, errorAddress } from '../../foundation/errors/catalogue.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { LongAnswer } from './long-answer.ts'
import { sliceText } from './parts.ts'
import { ToolProblem } from './tool.ts'

export interface ToolResult {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/**
 * Runs a tool; each failure becomes a text that a model can act on and that tells no secret. `onFault` gets a failure of ours, and
 * the refusal of a token that ended while the tool ran, which is answered with 401 instead.
 */
export async function runTool(
  origin: string,
  run: () => Promise<object>,
  onFault: (fault: unknown) => void,
): Promise<ToolResult> {
  try {
    const given = await run()
    const { answer, text } =
      given instanceof LongAnswer ? given.fit() : { answer: given, text: JSON.stringify(given) }
    // Older clients read only text, so the same JSON is in both places.
    return { content: [{ type: 'text', text }], structuredContent: { ...answer } }
  } catch (error) {
    const { text, code } = describe(error, onFault)
    return problem(origin, code, text)
  }
}

/** Far more than a model needs to correct a call, whatever names the call made up. */
const PROBLEM_CHARACTERS = 4000

/** A model reads the text alone, so the code and its address stand there. */
export function problem(origin: string, code: ErrorCode, text: string): ToolResult {
  const told =
    text.length <= PROBLEM_CHARACTERS ? text : `${sliceText(text, 0, PROBLEM_CHARACTERS)}…`
  const explained = `${told}\nError ${code}, explained at ${errorAddress(origin, code)}`
  return { content: [{ type: 'text', text: explained }], isError: true }
}

/** Only this call is refused: the school has more to look through than one call may take. */
const TOO_SLOW =
  'The call took longer than one call may at this school, so it was stopped. Ask for less: fewer or other words, a list of one kind instead of a search, or a shorter page. Try the same call again only later.'

interface Described {
  readonly text: string
  readonly code: ErrorCode
}

function describe(error: unknown, onFault: (fault: unknown) => void): Described {
  if (error instanceof ToolProblem) return { text: error.message, code: error.code }
  if (error instanceof TooManyRowsError) return { text: error.message, code: 'limit_exceeded' }
  if (error instanceof OAuthError) {
    if (error.code === 'invalid_token') onFault(error)
    return { text: error.description, code: error.code }
  }
  if (isDatabaseUnavailable(error) && error.code === TOOK_TOO_LONG) {
    return { text: TOO_SLOW, code: 'limit_exceeded' }
  }
  onFault(error)
  return { text: OUR_FAULT, code: 'server_error' }
}

const OUR_FAULT =
  'The school could not answer because of a fault on its side. Try the same call again in a moment; if it keeps failing, tell the person that the school is not available now.'
