import { sha256 } from '../foundation/crypto/digest.ts'
import { uuidFromBytes } from '../foundation/crypto/random.ts'

/**
 * The same id for the same name on every machine, so that documents and tests may quote it.
 *
 * @see RFC 9562 §5.8 (version 8: the content is the maker's own)
 */
export function demoId(name: string): string {
  const bytes = sha256(`schoolgate-demo:${name}`).subarray(0, 16)
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return uuidFromBytes(bytes)
}

/** A number of that many digits that looks like one of a payment provider and is always the same. */
export function demoDigits(name: string, digits: number): string {
  const number = sha256(`schoolgate-demo:${name}`).readBigUInt64BE() % 10n ** BigInt(digits)
  return number.toString().padStart(digits, '0')
}
