import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Keys derived from the installation's secret, one per purpose, so that a value sealed for one
 * purpose never opens for another.
 *
 * @see RFC 5869
 */
export class Keyring {
  readonly #secrets: readonly Buffer[]
  readonly #keys = new Map<string, readonly [Buffer, ...Buffer[]]>()

  /** Only `secret` seals. `others` open too, while one secret replaces another. */
  constructor(secret: string, ...others: readonly string[]) {
    this.#secrets = [secret, ...others].map((text) => Buffer.from(text, 'utf8'))
  }

  /** What seals and signs. */
  key(purpose: string): Buffer {
    return this.keys(purpose)[0]
  }

  /** What opens and verifies; the first one seals. */
  keys(purpose: string): readonly [Buffer, ...Buffer[]] {
    const known = this.#keys.get(purpose)
    if (known !== undefined) return known
    const [first, ...others] = this.#secrets.map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, 'schoolgate', purpose, 32)),
    )
    if (first === undefined) throw new Error('a keyring has a secret')
    const keys = [first, ...others] as const
    this.#keys.set(purpose, keys)
    return keys
  }
}

/** Encrypts and authenticates; `context` (a school id, say) must be the same when opening. */
export function seal(key: Buffer, plain: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(context, 'utf8'))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** The plain bytes, or undefined if no key fits, the context is another, or any bit was changed. */
export function unseal(
  keys: readonly Buffer[],
  sealed: Uint8Array,
  context: string,
): Buffer | undefined {
  for (const key of keys) {
    const plain = open(key, sealed, context)
    if (plain !== undefined) return plain
  }
  return undefined
}

function open(key: Buffer, sealed: Uint8Array, context: string): Buffer | undefined {
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

/**
 * A column whose values are sealed with the secret of the installation. It is described beside the
 * code that writes it and listed in `domain/setup/installation-secret.ts`, so that the values can
 * be sealed again with another secret.
 */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** Of the keyring. */
  readonly purpose: string
  /** The primary key with its types, and what `context` needs. */
  readonly key: Readonly<Record<string, 'uuid' | 'text'>>
  /** What each value was sealed for. */
  readonly context: (row: Readonly<Record<string, string>>) => string
}

/** Only base64url: a lenient decoder would accept a sealed text with other text appended. */
const SEALED = /^[A-Za-z0-9_-]+$/
/**
 * Far above the size of any accepted request. Only we can seal, so this is a guard against our own
 * mistakes.
 */
const MAX_PLAIN_BYTES = 256 * 1024

/**
 * A value that travels through a browser: a sealed value cannot be read or changed there, and it
 * opens only for the same purpose and context until it expires. Compressed before it is sealed:
 * base64 adds a third, and proxies and this server limit the length of a URL. The browser that
 * carries it sent all of it, so its compressed length reveals no secret.
 */
export function sealMessage(
  keyring: Keyring,
  purpose: string,
  context: string,
  value: object,
  expiresAt: number,
): string {
  const plain = deflateRawSync(JSON.stringify({ ...value, expires: Math.floor(expiresAt / 1000) }))
  return seal(keyring.key(purpose), plain, context).toString('base64url')
}

/** The value, or undefined if it is forged, from elsewhere, or too old. */
export function openMessage(
  keyring: Keyring,
  purpose: string,
  context: string,
  sealed: string | undefined,
  now: number,
  maxPlainBytes = MAX_PLAIN_BYTES,
): unknown {
  if (sealed === undefined || !SEALED.test(sealed)) return undefined
  const plain = unseal(keyring.keys(purpose), Buffer.from(sealed, 'base64url'), context)
  if (plain === undefined) return undefined
  const text = inflateRawSync(plain, { maxOutputLength: maxPlainBytes }).toString()
  const { expires, ...value } = JSON.parse(text)
  return expires * 1000 > now ? value : undefined
}
