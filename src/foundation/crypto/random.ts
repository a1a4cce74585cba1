import { randomFillSync, randomUUID } from 'node:crypto'

/** The system call costs the same for 4,000 bytes as for 16. */
const supply = { bytes: Buffer.alloc(4096), used: 4096 }

/** Random bytes for tokens, codes, secrets and session ids. Each byte is handed out once. */
export function randomSecret(bytes = 32): Buffer {
  if (bytes > supply.bytes.length) return randomFillSync(Buffer.alloc(bytes))
  const start = draw(bytes)
  const given = supply.bytes.subarray(start, start + bytes)
  const secret = Buffer.from(given)
  // Erase what was handed out, so that a secret has no second copy in memory.
  given.fill(0)
  return secret
}

const NAME_LENGTH = 12
const names = { text: '', used: 0 }

/** A short random name: 72 bits as 12 characters. */
export function randomName(): string {
  if (names.used === names.text.length) {
    names.text = randomFillSync(Buffer.alloc(NAME_LENGTH * 192)).toString('base64url')
    names.used = 0
  }
  names.used += NAME_LENGTH
  return names.text.slice(names.used - NAME_LENGTH, names.used)
}

function draw(bytes: number): number {
  if (supply.used + bytes > supply.bytes.length) {
    randomFillSync(supply.bytes)
    supply.used = 0
  }
  supply.used += bytes
  return supply.used - bytes
}

/**
 * The id of a person. Random, because every school that adds an email gets the id: a time in it would tell whether the
 * account is new.
 *
 * @see RFC 9562 §5.4
 */
export function randomId(): string {
  return randomUUID()
}

/** The first half of the ids of one millisecond, and their count. */
const sequence = { millisecond: -1, start: '', count: 0 }

/**
 * A time-ordered id. Made here because only PostgreSQL 18 and later have uuidv7(). Ids of the same millisecond
 * are counted, so that rows of this process sort in the order it made them. The random part comes from Node's
 * randomUUID, which draws randomness for many ids at once.
 *
 * @see RFC 9562 §5.7 and §6.2, method 1
 */
export function uuidv7(now: number = Date.now()): string {
  if (sequence.millisecond !== now) {
    const time = now.toString(16).padStart(12, '0')
    sequence.millisecond = now
    sequence.start = `${time.slice(0, 8)}-${time.slice(8)}-7`
    sequence.count = 0
  }
  const count = 0x1000 + (sequence.count++ & 0x0fff)
  return sequence.start + count.toString(16).slice(1) + randomUUID().slice(18)
}

export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function uuidToBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}
