import { isLoopbackHost } from '../../../foundation/net/loopback.ts'

export type RedirectPlace = 'document-host' | 'loopback'

export const MAX_REDIRECT_URI_LENGTH = 1024

/** What RFC 3986 lets a URI consist of: no space, no backslash, nothing a header could break on. */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

/** Parsers also take `https:host` and `https://@host`; here each URI says its host in the open. */
const plainAuthority = /^https?:\/\/[^/?#@]+([/?]|$)/

/**
 * Says where a document's redirect URI leads, undefined if it may not be used: only the host that
 * published the document may receive its codes, or the person's own machine. A private-use scheme is
 * neither: any program on that machine may claim it, and no host vouches for it.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §8.1
 * @see RFC 8252 §8.4
 */
export function placeRedirectUri(uri: string, documentHost: string): RedirectPlace | undefined {
  if (uri.length > MAX_REDIRECT_URI_LENGTH || !uriCharacters.test(uri)) return undefined
  // RFC 6749 §3.1.2 forbids fragments, even empty ones.
  if (uri.includes('#') || !plainAuthority.test(uri) || !URL.canParse(uri)) return undefined
  const { protocol, hostname } = new URL(uri)
  if (isLoopbackHost(hostname)) return 'loopback'
  return protocol === 'https:' && hostname === documentHost ? 'document-host' : undefined
}
