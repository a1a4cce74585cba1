import { type PublicJwk, parseEs256 } from '../../foundation/crypto/es256.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { School } from './school.ts'

/** What an ID token of this school says about the client and the person it was issued for. */
export interface IdTokenHint {
  readonly clientId: string
  readonly userId: string
}

/**
 * Reads an ID token that a client kept since its sign-in. Its lifetime is not checked, and keys that
 * were retired long ago count, because a session outlives both. Undefined if this school did not issue it.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export async function verifyIdTokenHint(
  at: SchoolDb,
  school: School,
  text: string,
): Promise<IdTokenHint | undefined> {
  const token = parseEs256(text)
  if (token === undefined) return undefined
  const key = await at
    .from('signing_keys')
    .select('public_jwk')
    .where('kid', '=', token.kid)
    .executeTakeFirst()
  if (key === undefined) return undefined
  const claims = token.claimsIfSignedBy(key.public_jwk as PublicJwk)
  if (claims === undefined || claims.iss !== school.origin) return undefined
  const { aud: clientId, sub: userId } = claims
  if (typeof clientId !== 'string' || typeof userId !== 'string') return undefined
  return { clientId, userId }
}
