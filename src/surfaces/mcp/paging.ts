import { z } from 'zod'
import type { Keyed, KeysetKey, KeysetRange } from '../../foundation/db/keyset.ts'
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

const keySchema = z.tuple([z.number().int().min(-8.64e15).max(8.64e15), z.uuid()])

/** An empty cursor means the beginning, as in the protocol's own lists. */
function parseCursor(cursor: string | undefined): KeysetKey | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const parsed = keySchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!parsed.success) {
    throw new ToolProblem(
      'The cursor is not one that this list gave: leave it out to start from the beginning.',
    )
  }
  const [time, id] = parsed.data
  return { at: new Date(time), id }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What to read for a page: one row more than it shows, which tells whether there is another. */
export function rangeOf(page: {
  readonly cursor?: string | undefined
  readonly limit: number
}): KeysetRange {
  return { after: parseCursor(page.cursor), limit: page.limit + 1, fromEnd: false }
}

/** Cuts what was read by `rangeOf`, and says where the next page starts. */
export function pageOf<R extends Keyed>(
  rows: readonly R[],
  limit: number,
): { readonly rows: readonly R[]; readonly nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  if (rows.length <= limit || last === undefined) return { rows: shown, nextCursor: null }
  const { at, id } = last.key
  const cursor = Buffer.from(JSON.stringify([at.getTime(), id])).toString('base64url')
  return { rows: shown, nextCursor: cursor }
}
