import { ToolProblem } from '../tool.ts'

/** As much of one text as a model reads comfortably; the REST API gives the whole. */
const TEXT_CHARACTERS = 20_000
const ANSWER_CHARACTERS = 200_000

/** Keeps an answer within what a model can take in. */
export function boundAnswer(output: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(output, (_name, value: unknown) =>
    typeof value === 'string' && value.length > TEXT_CHARACTERS
      ? `${value.slice(0, TEXT_CHARACTERS)}… (cut: the REST API gives the whole text)`
      : value,
  )
  if (text.length <= ANSWER_CHARACTERS) return JSON.parse(text)
  throw new ToolProblem('The answer is too long. Ask for fewer objects with a smaller limit.')
}
