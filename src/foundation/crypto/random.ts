import { randomBytes } from 'node:crypto'

/** Unguessable bytes for tokens, codes, secrets and session ids. */
export function randomSecret(bytes = 32): Buffer {
  return randomBytes(bytes)
}

/**
 * A time-ordered id, made here because PostgreSQL's own uuidv7() is only in version 18 and up.
 *
 * @see RFC 9562 §5.7
 */
export function uuidv7(now: number = Date.now()): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return uuidFromBytes(bytes)
}

export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function uuidToBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}
