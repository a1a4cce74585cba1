import { type KeysetKey, parseKey } from '../../../foundation/db/keyset.ts'
import { refusal } from '../refusal.ts'

export const DEFAULT_PAGE_SIZE = 20

/** Relay's arguments; null counts as left out. */
export interface PageArguments {
  readonly first?: number | null | undefined
  readonly last?: number | null | undefined
  readonly after?: string | null | undefined
  readonly before?: string | null | undefined
}

/** The arguments after their check. */
export interface PageRequest {
  readonly first: number | undefined
  readonly last: number | undefined
  readonly after: KeysetKey | undefined
  readonly before: KeysetKey | undefined
}

/** A size above the maximum counts as the maximum; a negative size is refused. */
export function parsePageArguments(
  list: string,
  maximum: number,
  { first, last, after, before }: PageArguments,
): PageRequest {
  const page = {
    first: parseSize('first', first, maximum),
    last: parseSize('last', last, maximum),
    after: isGiven(after) ? parseCursor(list, 'after', after) : undefined,
    before: isGiven(before) ? parseCursor(list, 'before', before) : undefined,
  }
  if (page.first === undefined && page.last === undefined) {
    return { ...page, first: Math.min(DEFAULT_PAGE_SIZE, maximum) }
  }
  return page
}

function parseCursor(list: string, argument: string, cursor: string): KeysetKey {
  const key = parseKey(list, cursor)
  if (key !== undefined) return key
  throw refusal(
    'bad_cursor',
    `${argument} is not a cursor of ${list}: pass a cursor exactly as edges or pageInfo of ${list} gave it.`,
    { argument },
  )
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
