import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Keyring, seal, unseal } from './seal.ts'

/** Only base64url: a lenient decoder would accept a sealed text with other text appended. */
const SEALED = /^[A-Za-z0-9_-]+$/
/** Far above the size of any accepted request. Only we can seal, so this is a guard against our own mistakes. */
const MAX_PLAIN_BYTES = 256 * 1024

/**
 * A value that travels through a browser: a sealed value cannot be read or changed there, and it opens only for the
 * same purpose and context until it expires. Compressed before it is sealed: base64 adds a third, and
 * proxies and this server limit the length of a URL. The browser that carries it sent all of it, so its
 * compressed length reveals no secret.
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
