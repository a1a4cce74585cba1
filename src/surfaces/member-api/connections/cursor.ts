import { sha256 } from '../../../foundation/crypto/digest.ts'
import { uuidFromBytes, uuidToBytes } from '../../../foundation/crypto/random.ts'
import type { KeysetKey } from '../../../foundation/db/keyset.ts'
import { refusal } from '../refusal.ts'

const TIME_BYTES = 6
const ID_BYTES = 16
const CHECK_BYTES = 4
/** Keeps times before 1970 positive; places reach from the year 855 to 9770. */
const TIME_OFFSET = 2 ** 45

/**
 * A row's place in one list, opaque to clients: time, id, and a few check bytes over both and the
 * list's name, so that a typo or another list's cursor is told apart from a place. It is no secret
 * and no permission: a made-up one could only start a page of the caller's own rows elsewhere.
 */
export function encodeCursor(list: string, { at, id }: KeysetKey): string {
  const place = Buffer.alloc(TIME_BYTES + ID_BYTES)
  place.writeUIntBE(at.getTime() + TIME_OFFSET, 0, TIME_BYTES)
  uuidToBytes(id).copy(place, TIME_BYTES)
  return Buffer.concat([place, checkBytes(list, place)]).toString('base64url')
}

export function parseCursor(list: string, argument: string, cursor: string): KeysetKey {
  const bytes = Buffer.from(cursor, 'base64url')
  const place = bytes.subarray(0, TIME_BYTES + ID_BYTES)
  const isOurs =
    bytes.length === TIME_BYTES + ID_BYTES + CHECK_BYTES &&
    bytes.toString('base64url') === cursor &&
    checkBytes(list, place).equals(bytes.subarray(place.length))
  if (!isOurs) {
    throw refusal(
      'bad_cursor',
      `${argument} is not a cursor of ${list}: pass a cursor exactly as edges or pageInfo of ${list} gave it.`,
      { argument },
    )
  }
  const milliseconds = place.readUIntBE(0, TIME_BYTES) - TIME_OFFSET
  return { at: new Date(milliseconds), id: uuidFromBytes(place.subarray(TIME_BYTES)) }
}

function checkBytes(list: string, place: Buffer): Buffer {
  return sha256(`${list} ${place.toString('hex')}`).subarray(0, CHECK_BYTES)
}
