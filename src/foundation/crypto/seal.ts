import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Keys derived from the installation's secret, one per purpose, so that a value sealed for one
 * purpose never opens for another.
 *
 * @see RFC 5869
 */
export class Keyring {
  readonly #secret: Buffer
  readonly #keys = new Map<string, Buffer>()

  constructor(secret: string) {
    this.#secret = Buffer.from(secret, 'utf8')
  }

  key(purpose: string): Buffer {
    const known = this.#keys.get(purpose)
    if (known !== undefined) return known
    const key = Buffer.from(hkdfSync('sha256', this.#secret, 'schoolgate', purpose, 32))
    this.#keys.set(purpose, key)
    return key
  }
}

/** Encrypts and authenticates; `context` (a school id, say) must be the same when opening. */
export function seal(key: Buffer, plain: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(context, 'utf8'))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** The plain bytes, or undefined if the key or the context is another, or if any bit was changed. */
export function unseal(key: Buffer, sealed: Uint8Array, context: string): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(context, 'utf8'))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ])
  } catch {
    return undefined
  }
}
