/** Members of a JWK that only its owner may know (RFC 7518 §6.2.2, §6.3.2, §6.4.1; `priv` of AKP). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/**
 * True if a published key set contains a private or symmetric key. Every reader of such a document can
 * act as its client, so the client is refused.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §4.1
 */
export function revealsPrivateKey(jwks: unknown): boolean {
  if (!isRecord(jwks) || !Array.isArray(jwks.keys)) return false
  return jwks.keys.some(
    (key: unknown) => isRecord(key) && privateMembers.some((member) => Object.hasOwn(key, member)),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
