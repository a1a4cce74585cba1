import { isListOperation } from '../../../domain/operation/list-operation.ts'
import type { CheckedInput, Operation } from '../../../domain/operation/operation.ts'
import { LongAnswer } from '../long-answer.ts'
import { sliceText, Whole } from '../parts.ts'

type Output = Record<string, unknown>

interface Reading {
  readonly operation: Operation
  readonly input: CheckedInput
  readonly output: Output
  readonly restUrl: string | null
}

interface Asked {
  readonly cursor?: string | undefined
  readonly max_characters: number
}

interface ReadingAnswer {
  readonly action: string
  readonly result?: Output
  readonly part?: string
  readonly nextCursor: string | null
  readonly restUrl: string | null
}

/**
 * What a read answers: of a list as many objects as fit, with the `next` that leads on; of anything else the
 * whole. What does not fit even so comes as JSON text in parts.
 */
export function answerReading(reading: Reading, asked: Asked): LongAnswer<ReadingAnswer> {
  if (asked.cursor) return inParts(reading, asked)
  const { operation, restUrl } = reading
  return new LongAnswer({
    max: asked.max_characters,
    count: Math.max(1, rowsIn(reading).length),
    write: (shown): ReadingAnswer => ({
      action: operation.name,
      result: firstRows(reading, shown),
      nextCursor: null,
      restUrl,
    }),
    orElse: () => inParts(reading, asked),
  })
}

function inParts(reading: Reading, asked: Asked): LongAnswer<ReadingAnswer> {
  const { operation, input, restUrl } = reading
  const text = JSON.stringify(firstRows(reading, 1))
  const whole = new Whole(`${operation.name} ${JSON.stringify(input)}`, text, text.length)
  const from = whole.placeOf(asked.cursor)
  return new LongAnswer({
    max: asked.max_characters,
    count: text.length - from,
    write: (shown): ReadingAnswer => {
      const part = sliceText(text, from, shown)
      const nextCursor = whole.cursorAt(from + part.length)
      return { action: operation.name, part, nextCursor, restUrl }
    },
  })
}

/** The page of a list that ends after these rows; anything but a list stays as it is. */
function firstRows(reading: Reading, shown: number): Output {
  const { operation, input, output } = reading
  const rows = rowsIn(reading)
  const last = rows[shown - 1]
  if (!isListOperation(operation) || last === undefined || shown >= rows.length) return output
  const next = operation.cursorAfter(input, last)
  return { ...output, data: rows.slice(0, shown), has_more: true, next }
}

function rowsIn({ operation, output }: Reading): readonly Output[] {
  return isListOperation(operation) ? (output.data as Output[]) : []
}
