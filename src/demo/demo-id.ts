import { sha256 } from '../foundation/crypto/digest.ts'
import { uuidFromBytes } from '../foundation/crypto/random.ts'

/**
 * One name has one id on every machine, so that documents and tests may quote it.
 *
 * @see RFC 9562 §5.8 (version 8: the content is the maker's own)
 */
export function demoId(name: string): string {
  const bytes = sha256(`schoolgate-demo:${name}`).subarray(0, 16)
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return uuidFromBytes(bytes)
}
