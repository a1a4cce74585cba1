import { ToolProblem } from '../tool.ts'

/** The part of one text that a model can read well; the REST API gives the whole text. */
const TEXT_CHARACTERS = 20_000
const ANSWER_CHARACTERS = 200_000

const CUT = '… (cut: the REST API gives the whole text)'

type Output = Record<string, unknown>

/** Limits the answer of a read to a size that a model can handle. */
export function boundReading(output: Output, restUrl: string | null): Output {
  const bounded = bound(output)
  if (bounded !== undefined) return bounded
  const whole = restUrl === null ? '' : ` The whole is at ${restUrl}, for programs.`
  throw new ToolProblem(
    `The answer is too long for a tool. Ask for fewer objects with a smaller limit, or for a part of it with another action.${whole}`,
  )
}

/** The same for a write: it is done, so an answer that is too long must not look like a failure. */
export function boundWriting(output: Output): Output {
  return (
    bound(output) ?? {
      ...Object.fromEntries(Object.entries(output).filter(([, value]) => isShort(value))),
      omitted: 'It is done. Long parts were left out of this answer; read the object to see them.',
    }
  )
}

/** Refuses to write a text back that was cut when it was read: the rest of it would be lost. */
export function checkUncut(input: object): void {
  if (!JSON.stringify(input).includes(CUT)) return
  throw new ToolProblem(
    'Nothing was done, because the input contains a text that was cut when it was read, and the rest would be lost. Leave that field out, write the whole text, or change it with the REST API.',
  )
}

function bound(output: Output): Output | undefined {
  const text = JSON.stringify(output, (_name, value: unknown) =>
    typeof value === 'string' && value.length > TEXT_CHARACTERS
      ? value.slice(0, TEXT_CHARACTERS) + CUT
      : value,
  )
  return text.length <= ANSWER_CHARACTERS ? JSON.parse(text) : undefined
}

function isShort(value: unknown): boolean {
  return typeof value === 'string'
    ? value.length <= 300
    : typeof value !== 'object' || value === null
}
