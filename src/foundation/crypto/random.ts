import { randomFillSync, randomUUID } from 'node:crypto'

/** The system call costs the same for 4,000 bytes as for 16. */
const supply = { bytes: Buffer.alloc(4096), used: 4096 }

/** Random bytes for tokens, codes, secrets and session ids. Each byte is handed out once. */
export function randomSecret(bytes = 32): Buffer {
  if (bytes > supply.bytes.length) return randomFillSync(Buffer.alloc(bytes))
  const secret = Buffer.allocUnsafe(bytes)
  writeSecret(secret, 0)
  return secret
}

/** Fills a buffer with random bytes from `offset` on: as many as the supply holds, at most. */
export function writeSecret(target: Buffer, offset: number): void {
  const start = draw(target.length - offset)
  const end = supply.used
  supply.bytes.copy(target, offset, start, end)
  // Erase what was handed out, so that a secret has no second copy in memory.
  supply.bytes.fill(0, start, end)
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
 * When people got a uuidv7 of the time when their account was made. The end is fixed: it must not
 * move with time.
 */
const OLD_IDS = { from: Date.UTC(2026, 10, 15), to: Date.UTC(2026, 11, 1) }

/**
 * The id of a person. Every school that adds an email gets it, so it must not tell whether the
 * account is new. It looks like the ids from before, which never change, but its time is any of
 * theirs, whenever it is made, and its count too is one that they may have: half of them have 0.
 *
 * @see RFC 9562 §5.7
 */
export function randomId(): string {
  const { from, to } = OLD_IDS
  const time = from + Math.floor(randomFraction() * (to - from))
  const count = Math.min(0xfff, Math.floor(1 / (1 - randomFraction())) - 1)
  return startOfUuidv7(time) + count.toString(16).padStart(3, '0') + randomUUID().slice(18)
}

/** At least 0 and below 1. */
function randomFraction(): number {
  return randomSecret(6).readUIntBE(0, 6) / 2 ** 48
}

/** The first 15 characters of every uuidv7 of this millisecond. */
export function startOfUuidv7(millisecond: number): string {
  const time = millisecond.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7`
}

/** The first half of the ids of one millisecond, and their count. */
const sequence = { millisecond: -1, start: '', count: 0 }

/**
 * A time-ordered id. Made here because only PostgreSQL 18 and later have uuidv7(). Ids of the same
 * millisecond are counted, so that rows of this process sort in the order it made them. The random
 * part comes from Node's randomUUID, which draws randomness for many ids at once.
 *
 * @see RFC 9562 §5.7 and §6.2, method 1
 */
export function uuidv7(now: number = Date.now()): string {
  if (sequence.millisecond !== now) {
    sequence.millisecond = now
    sequence.start = startOfUuidv7(now)
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
  return Buffer.from(withoutHyphens(uuid), 'hex')
}

/** Writes the bytes of a uuid to the start of a buffer, and tells how many it wrote. */
export function writeUuid(uuid: string, target: Buffer): number {
  return target.write(withoutHyphens(uuid), 'hex')
}

/** Pieces, because `replaceAll` takes twice as long. */
function withoutHyphens(uuid: string): string {
  const firstHalf = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18)
  return firstHalf + uuid.slice(19, 23) + uuid.slice(24)
}
