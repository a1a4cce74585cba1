import { ToolProblem } from '../tool.ts'

/** As much of one text as a model reads comfortably; the REST API gives the whole. */
const TEXT_CHARACTERS = 20_000
const ANSWER_CHARACTERS = 200_000

const CUT = '… (cut: the REST API gives the whole text)'

type Output = Record<string, unknown>

/** Keeps what was read within what a model can take in. */
export function boundReading(output: Output, restUrl: string | null): Output {
  const bounded = bound(output)
  if (bounded !== undefined) return bounded
  const whole = restUrl === null ? '' : ` The whole is at ${restUrl}, for programs.`
  throw new ToolProblem(
    `The answer is too long for a tool. Ask for fewer objects with a smaller limit, or for a part of it with another action.${whole}`,
  )
}

/** The same for what was changed: it is done, so an answer that is too long must not say that it failed. */
export function boundWriting(output: Output): Output {
  return (
    bound(output) ?? {
      ...Object.fromEntries(Object.entries(output).filter(([, value]) => isShort(value))),
      omitted: 'It is done. What is long was left out of this answer; read the object to see it.',
    }
  )
}

/** Refuses to write a text back that was cut when it was read: the rest of it would be lost. */
export function checkUncut(input: object): void {
  if (!JSON.stringify(input).includes(CUT)) return
  throw new ToolProblem(
    'Nothing was done, because the input holds a text that was cut when it was read: what is missing would be lost. Leave that field out, write it anew as a whole, or change it with the REST API.',
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
