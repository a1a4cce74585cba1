import { filterFields } from '../../domain/bulk/bulk-operations.ts'
import { type ExportKind, shapeOf } from '../../domain/bulk/kind.ts'
import { judgeInput } from '../../domain/operation/refusal.ts'
import { CommandError } from '../outcome.ts'

/** Parses filters such as `state=published` for the list of a kind. */
export function parseFilters(
  kind: ExportKind,
  given: readonly string[],
): Readonly<Record<string, unknown>> {
  const fields = filterFields(kind)
  const known = Object.keys(fields).join(', ') || 'none'
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', ...rest] = text.split('=')
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field === undefined || rest.length === 0) {
        throw new CommandError(
          `--where ${text} names no filter of ${kind.name}.`,
          `write filter=value; there are: ${known}`,
          2,
        )
      }
      const judged = judgeInput(field, valueFrom(shapeOf(field).type, rest.join('=')))
      if (judged.problems === undefined) return [name, judged.data]
      const detail = judged.problems[0]?.detail ?? 'Another value is needed.'
      throw new CommandError(`--where ${text}: ${detail}`, 'correct the value', 2)
    }),
  )
}

function valueFrom(type: string, text: string): unknown {
  if (type === 'boolean') return { true: true, false: false }[text] ?? text
  return type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}
