import { createHmac } from 'node:crypto'
import { constantTimeEqual } from './digest.ts'

export const TOTP_SECONDS = 30
export const TOTP_DIGITS = 6
/** 160 bits, the length of the hash (RFC 4226 §4). */
export const TOTP_SECRET_BYTES = 20
/**
 * Steps before and after the current one whose codes count: clocks of phones differ, and people
 * type slowly.
 */
const STEPS_AROUND = 1
/**
 * The name is in the address twice. A QR code of a long one has dots too small for many cameras.
 */
const LONGEST_ISSUER = 30

/**
 * The address that authenticator apps read from a QR code. A colon separates the names, so they
 * have none.
 *
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function otpauthUrl(secret: string, issuer: string, account: string): string {
  const shown = [...issuer.replaceAll(':', ' ')].slice(0, LONGEST_ISSUER).join('').trim()
  const name = encodeURIComponent(shown)
  const label = `${name}:${encodeURIComponent(account.replaceAll(':', ' '))}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${name}&algorithm=SHA1&digits=${TOTP_DIGITS}&period=${TOTP_SECONDS}`
}

/** The step of a time in seconds since the epoch. */
export function totpStep(seconds: number): number {
  return Math.floor(seconds / TOTP_SECONDS)
}

/**
 * The code of one step. SHA-1, because several authenticator apps ignore any other choice.
 *
 * @see RFC 6238 §4, RFC 4226 §5.3
 */
export function totpCode(secret: Uint8Array, step: number, digits: number = TOTP_DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac[19] as number) & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The first step after `lastStep` whose code was typed; undefined if there is none. The caller
 * stores it, so that no code works twice.
 *
 * @see RFC 6238 §5.2
 */
export function matchingStep(
  secret: Uint8Array,
  typed: string,
  seconds: number,
  lastStep: number,
): number | undefined {
  const now = totpStep(seconds)
  for (let step = now - STEPS_AROUND; step <= now + STEPS_AROUND; step++) {
    if (constantTimeEqual(totpCode(secret, step), typed) && step > lastStep) return step
  }
  return undefined
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Base32 without padding, as authenticator apps read secrets.
 *
 * @see RFC 4648 §6
 */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(value >>> bits) & 31]
      value &= (1 << bits) - 1
    }
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31]
}
