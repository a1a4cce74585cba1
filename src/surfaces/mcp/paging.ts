import { z } from 'zod'
import { encodeKey, type Keyed, type KeysetRange, parseKey } from '../../foundation/db/keyset.ts'
import { LongAnswer, lengthInput } from './long-answer.ts'
import { ToolProblem } from './tool.ts'

export const MAX_ITEMS = 50

export const cursorInput = z
  .string()
  .max(200)
  .optional()
  .describe('nextCursor of the answer before; leave it out for the beginning')

/** The arguments of every list. */
export const pageInput = {
  cursor: cursorInput,
  limit: z.number().int().min(1).max(MAX_ITEMS).default(20).describe('items on a page'),
  ...lengthInput,
}

export const nextCursor = z
  .string()
  .nullable()
  .describe('cursor of what follows, or null at the end')

interface Asked {
  readonly cursor?: string | undefined
  readonly limit: number
  readonly max_characters: number
}

/** A page of a list: its rows, and the answer that shows them or as many of them as fit. */
export interface FoundPage<R extends Keyed> {
  readonly rows: readonly R[]
  /** `items` are the rows as the answer shows them, in the same order. */
  answer<I, A extends object>(
    items: readonly I[],
    write: (items: I[], nextCursor: string | null) => A,
  ): LongAnswer<A>
}

/**
 * Reads one page. One row more than the page shows tells whether there is a next one. An empty
 * cursor means the beginning, as in the lists of the protocol itself.
 */
export async function readPage<R extends Keyed>(
  list: string,
  { cursor, limit, max_characters }: Asked,
  read: (range: KeysetRange) => Promise<readonly R[]>,
): Promise<FoundPage<R>> {
  const after = cursor ? parseKey(list, cursor) : undefined
  if (cursor && after === undefined) throw unknownCursor()
  const found = await read({ after, limit: limit + 1, fromEnd: false })
  const rows = found.slice(0, limit)
  const cursorAfter = (shown: number): string | null => {
    const last = rows[shown - 1]
    return last !== undefined && shown < found.length ? encodeKey(list, last.key) : null
  }
  return {
    rows,
    answer: (items, write) =>
      new LongAnswer({
        max: max_characters,
        count: items.length,
        write: (shown) => write(items.slice(0, shown), cursorAfter(shown)),
      }),
  }
}

export function unknownCursor(): ToolProblem {
  return new ToolProblem(
    'The cursor is not one that this list gave: leave it out to start from the beginning.',
    'invalid_cursor',
  )
}
