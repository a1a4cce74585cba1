import type { School } from '../../domain/schools/school.ts'
import { publishedKeys } from '../../domain/schools/signing.ts'

/** @see RFC 7517 §5 */
export function jsonWebKeySet(school: School): Record<string, unknown> {
  return {
    keys: publishedKeys(school).map(({ kid, publicJwk }) => ({
      ...publicJwk,
      kid,
      use: 'sig',
      alg: 'ES256',
    })),
  }
}
