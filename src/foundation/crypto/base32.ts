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
