import { sha256 } from '../crypto/digest.ts'
import { uuidFromBytes, uuidToBytes } from '../crypto/random.ts'

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
