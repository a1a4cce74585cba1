import { z } from 'zod'
import { encodeKey, type Keyed, type KeysetRange, parseKey } from '../../foundation/db/keyset.ts'
import { ToolProblem } from './tool.ts'

export const MAX_ITEMS = 50

/** The two arguments of every list. */
export const pageInput = {
  cursor: z
    .string()
    .max(200)
    .optional()
    .describe('nextCursor of the page before; leave it out for the first page'),
  limit: z.number().int().min(1).max(MAX_ITEMS).default(20).describe('items on a page'),
}

export const nextCursor = z
  .string()
  .nullable()
  .describe('cursor of the next page, or null on the last one')

/**
 * Reads one page and says where the next one starts. One row more than the page shows tells whether
 * there is a next one. An empty cursor means the beginning, as in the lists of the protocol itself.
 */
export async function readPage<R extends Keyed>(
  list: string,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  read: (range: KeysetRange) => Promise<readonly R[]>,
): Promise<{ readonly rows: readonly R[]; readonly nextCursor: string | null }> {
  const after = cursor ? parseKey(list, cursor) : undefined
  if (cursor && after === undefined) {
    throw new ToolProblem(
      'The cursor is not one that this list gave: leave it out to start from the beginning.',
    )
  }
  const found = await read({ after, limit: limit + 1, fromEnd: false })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = found.length > limit && last !== undefined
  return { rows, nextCursor: hasMore ? encodeKey(list, last.key) : null }
}
