import type { KeysetKey } from '../../../foundation/db/keyset.ts'
import { refusal } from '../refusal.ts'
import { parseCursor } from './cursor.ts'

export const DEFAULT_PAGE_SIZE = 20

/** Relay's arguments; null counts as left out. */
export interface PageArguments {
  readonly first?: number | null | undefined
  readonly last?: number | null | undefined
  readonly after?: string | null | undefined
  readonly before?: string | null | undefined
}

export interface PageWish {
  readonly first: number | undefined
  readonly last: number | undefined
  readonly after: KeysetKey | undefined
  readonly before: KeysetKey | undefined
}

/** Who wants more than a page may hold gets a full page; who wants less than nothing is told so. */
export function parsePageArguments(
  list: string,
  maximum: number,
  { first, last, after, before }: PageArguments,
): PageWish {
  const wish = {
    first: parseSize('first', first, maximum),
    last: parseSize('last', last, maximum),
    after: isGiven(after) ? parseCursor(list, 'after', after) : undefined,
    before: isGiven(before) ? parseCursor(list, 'before', before) : undefined,
  }
  if (wish.first === undefined && wish.last === undefined) {
    return { ...wish, first: Math.min(DEFAULT_PAGE_SIZE, maximum) }
  }
  return wish
}

function parseSize(
  argument: string,
  size: number | null | undefined,
  maximum: number,
): number | undefined {
  if (!isGiven(size)) return undefined
  if (size < 0) {
    throw refusal('bad_argument', `${argument} must not be negative, but was ${size}.`, {
      argument,
    })
  }
  return Math.min(size, maximum)
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined
}
