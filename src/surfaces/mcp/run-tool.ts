import { TooManyRowsError } from '../../foundation/db/bounded-rows.ts'
import { isDatabaseUnavailable, TOOK_TOO_LONG } from '../../foundation/db/unavailable.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { LongAnswer } from './long-answer.ts'
import { sliceText } from './parts.ts'
import { ToolProblem } from './tool.ts'

export interface ToolResult {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/** Runs a tool; each failure becomes a text that a model can act on and that tells no secret. */
export async function runTool(
  run: () => Promise<object>,
  logFault: (fault: unknown) => void,
): Promise<ToolResult> {
  try {
    const given = await run()
    const { answer, text } =
      given instanceof LongAnswer ? given.fit() : { answer: given, text: JSON.stringify(given) }
    // Older clients read only text, so the same JSON is in both places.
    return { content: [{ type: 'text', text }], structuredContent: { ...answer } }
  } catch (error) {
    return problem(describe(error, logFault))
  }
}

/** Far more than a model needs to correct a call, whatever names the call made up. */
const PROBLEM_CHARACTERS = 4000

export function problem(text: string): ToolResult {
  const told =
    text.length <= PROBLEM_CHARACTERS ? text : `${sliceText(text, 0, PROBLEM_CHARACTERS)}…`
  return { content: [{ type: 'text', text: told }], isError: true }
}

/** Only this call is refused: the school has more to look through than one call may take. */
const TOO_SLOW =
  'The call took longer than one call may at this school, so it was stopped. Ask for less: fewer or other words, a list of one kind instead of a search, or a shorter page. Try the same call again only later.'

function describe(error: unknown, logFault: (fault: unknown) => void): string {
  if (error instanceof ToolProblem || error instanceof TooManyRowsError) return error.message
  if (error instanceof OAuthError) return error.description
  if (isDatabaseUnavailable(error) && error.code === TOOK_TOO_LONG) return TOO_SLOW
  logFault(error)
  return 'The school could not answer because of a fault on its side. Try the same call again in a moment; if it keeps failing, tell the person that the school is not available now.'
}
