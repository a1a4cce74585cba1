import { randomFillSync, randomUUID } from 'node:crypto'

/** Asking the system costs the same for four thousand bytes as for sixteen. */
const supply = { bytes: Buffer.alloc(4096), used: 4096 }

/** Unguessable bytes for tokens, codes, secrets and session ids; nobody gets the same ones twice. */
export function randomSecret(bytes = 32): Buffer {
  if (bytes > supply.bytes.length) return randomFillSync(Buffer.alloc(bytes))
  const start = draw(bytes)
  const given = supply.bytes.subarray(start, start + bytes)
  const secret = Buffer.from(given)
  // What was handed out must not be found here as well.
  given.fill(0)
  return secret
}

const NAME_LENGTH = 12
const names = { text: '', used: 0 }

/** A short name that no other has and that tells nothing: 72 random bits as 12 characters. */
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

/** The first half of the ids of one millisecond, and how many there were. */
const sequence = { millisecond: -1, start: '', count: 0 }

/**
 * A time-ordered id, made here because PostgreSQL's own uuidv7() is only in version 18 and up. Those
 * of one millisecond are counted, so that what this process wrote second also sorts second. The
 * random part is that of Node's randomUUID, which draws randomness for many at once.
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
