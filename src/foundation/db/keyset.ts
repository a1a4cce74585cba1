import { type RawBuilder, sql } from 'kysely'
import { sha256 } from '../crypto/digest.ts'
import { uuidFromBytes, uuidToBytes } from '../crypto/random.ts'

/** A row's place in a list: its time, and its id among rows of the same millisecond. */
export interface KeysetKey {
  readonly at: Date
  readonly id: string
}

export interface Keyed {
  readonly key: KeysetKey
}

/** A part of a list that runs from the newest row to the oldest, without the rows of both ends. */
export interface KeysetRange {
  readonly after?: KeysetKey | undefined
  readonly before?: KeysetKey | undefined
  readonly limit: number
  /** Take the oldest rows of the part; they still come newest first. */
  readonly fromEnd: boolean
}

const LOWEST_ID = '00000000-0000-0000-0000-000000000000'
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export function encodeKey(list: string, { at, id }: KeysetKey): string {
  return encodeCursor(list, { value: at, id })
}

/** Undefined if the cursor is not one of this list. */
export function parseKey(list: string, cursor: string): KeysetKey | undefined {
  const place = parseCursor(list, 'time', cursor)
  return place && { at: place.value, id: place.id }
}

/**
 * The range as a condition. Unlike an offset, it gives the same rows if others are added or removed
 * between two pages. Open ends are infinite bounds, so that each list has one SQL text per
 * direction and PostgreSQL one plan for it.
 */
export function inRange(time: string, id: string, range: KeysetRange): RawBuilder<boolean> {
  const { after, before } = range
  const key = sql`(${sql.ref(time)}, ${sql.ref(id)})`
  return sql<boolean>`
    ${key} < (${after?.at ?? 'infinity'}::timestamptz, ${after?.id ?? HIGHEST_ID}::uuid)
    and ${key} > (${before?.at ?? '-infinity'}::timestamptz, ${before?.id ?? LOWEST_ID}::uuid)`
}

/** The order and the limit that go with `inRange`. */
export function rangeOrder(time: string, id: string, range: KeysetRange): RawBuilder<unknown> {
  const direction = range.fromEnd ? sql`asc` : sql`desc`
  return sql`
    order by ${sql.ref(time)} ${direction}, ${sql.ref(id)} ${direction} limit ${range.limit}`
}

/** Rows with their place in a list that is sorted by this time. */
export function withKeys<
  R extends { readonly id: string } & { readonly [K in T]: Date },
  T extends string,
>(rows: readonly R[], time: T): (R & Keyed)[] {
  return rows.map((row) => ({ ...row, key: { at: row[time], id: row.id } }))
}

export function newestFirst<R>(rows: R[], range: KeysetRange): R[] {
  return range.fromEnd ? rows.reverse() : rows
}

/** What the rows of a list can be sorted by. */
export interface CursorValues {
  readonly time: Date
  readonly text: string
  readonly number: number
}

export type CursorType = keyof CursorValues

/** A row's place in a list: the value that sorts it, and its id among rows of the same value. */
export interface CursorPlace<T extends CursorType> {
  readonly value: CursorValues[T]
  readonly id: string
}

const CHECK_BYTES = 4
const ID_BYTES = 16

/**
 * A place as a text that clients pass back unread. Check bytes over the place and the name of the
 * list tell a mistyped cursor and a cursor of another list from a place. A cursor is neither a
 * secret nor a permission: a forged one only starts a page of the caller's own rows elsewhere.
 */
export function encodeCursor<T extends CursorType>(list: string, place: CursorPlace<T>): string {
  const { value, id } = place
  const text = String(value instanceof Date ? value.getTime() : value)
  const bytes = Buffer.concat([uuidToBytes(id), Buffer.from(text)])
  return Buffer.concat([checkBytes(list, bytes), bytes]).toString('base64url')
}

/** Undefined if the cursor is not one that `encodeCursor` made for this list. */
export function parseCursor<T extends CursorType>(
  list: string,
  type: T,
  cursor: string,
): CursorPlace<T> | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length < CHECK_BYTES + ID_BYTES || bytes.toString('base64url') !== cursor) {
    return undefined
  }
  const place = bytes.subarray(CHECK_BYTES)
  if (!checkBytes(list, place).equals(bytes.subarray(0, CHECK_BYTES))) return undefined
  const value = parseValue[type](place.subarray(ID_BYTES).toString())
  return value === undefined ? undefined : { value, id: uuidFromBytes(place) }
}

function checkBytes(list: string, place: Buffer): Buffer {
  return sha256(`${list} ${place.toString('hex')}`).subarray(0, CHECK_BYTES)
}

/** A client can compute the check bytes, so a value must also be one that PostgreSQL accepts. */
const parseValue: { readonly [T in CursorType]: (text: string) => CursorValues[T] | undefined } = {
  time: (text) => {
    const milliseconds = parseInteger(text)
    if (milliseconds === undefined) return undefined
    return milliseconds >= YEAR_1 && milliseconds < YEAR_10000 ? new Date(milliseconds) : undefined
  },
  text: (text) => (text.includes('\0') ? undefined : text),
  number: parseInteger,
}

const YEAR_1 = Date.parse('0001-01-01T00:00:00Z')
const YEAR_10000 = Date.parse('+010000-01-01T00:00:00Z')

function parseInteger(text: string): number | undefined {
  const number = /^-?\d{1,16}$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(number) ? number : undefined
}

/**
 * The rows of a page, of a statement that asked for one row more; `last` is the last of them, if
 * others follow.
 */
export function cutPage<R>(
  rows: readonly R[],
  limit: number,
): { readonly shown: R[]; readonly last: R | undefined } {
  const shown = rows.slice(0, limit)
  return { shown, last: rows.length > limit ? shown.at(-1) : undefined }
}

/** A list that a caller cannot page is longer than one request may read. */
export class TooManyRowsError extends Error {
  override readonly name = 'TooManyRowsError'
  readonly maximum: number

  constructor(maximum: number) {
    super(`More than ${maximum} rows would have to be read at once. Ask for fewer objects.`)
    this.maximum = maximum
  }
}

/** Checks the rows of a statement that ends in `limit maximum + 1`. */
export function atMost<R>(rows: readonly R[], maximum: number): readonly R[] {
  if (rows.length > maximum) throw new TooManyRowsError(maximum)
  return rows
}

/** Rows by the owner that each names, in the order they came. */
export function groupRows<R>(rows: readonly R[], ownerOf: (row: R) => string): Map<string, R[]> {
  const groups = new Map<string, R[]>()
  for (const row of rows) {
    const owner = ownerOf(row)
    const group = groups.get(owner)
    if (group === undefined) groups.set(owner, [row])
    else group.push(row)
  }
  return groups
}
