import { OAuthError } from '../../foundation/protocol/errors.ts'
import { type Tool, type ToolCall, ToolProblem } from './tool.ts'

export interface ToolResult {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/** Runs a tool; whatever goes wrong becomes a text that a model can act on, and tells no secret. */
export async function runTool(
  tool: Tool,
  call: ToolCall,
  given: unknown,
  logFault: (fault: unknown) => void,
): Promise<ToolResult> {
  // PostgreSQL keeps no NUL character in text, so none fits any argument of any tool.
  if (holdsNul(given)) {
    return problem(
      'The arguments hold a NUL character (U+0000). Remove it from every text and call the tool again.',
    )
  }
  try {
    const answer = await tool.run(call, given)
    // Older clients read only text, so the same JSON is in both places.
    return {
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: { ...answer },
    }
  } catch (error) {
    return problem(describe(error, logFault))
  }
}

export function problem(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function holdsNul(given: unknown): boolean {
  if (typeof given === 'string') return given.includes('\0')
  if (typeof given !== 'object' || given === null) return false
  return Object.entries(given).some(([name, value]) => name.includes('\0') || holdsNul(value))
}

function describe(error: unknown, logFault: (fault: unknown) => void): string {
  if (error instanceof ToolProblem) return error.message
  if (error instanceof OAuthError) return error.description
  logFault(error)
  return 'The school could not answer because of a fault on its side. Try the same call again in a moment; if it keeps failing, tell the person that the school is not available now.'
}
