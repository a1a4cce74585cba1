import type pg from 'pg'
import { SIGNING_KEY_PURPOSE } from '../../src/domain/schools/signing.ts'
import { generateEs256Key } from '../../src/foundation/crypto/es256.ts'
import { Keyring, seal } from '../../src/foundation/crypto/seal.ts'
import { idOf } from './ids.ts'

/** Any 32 characters: the secret that seals the signing keys of the schools. */
export const SECRET = 'not-a-secret-but-the-same-in-every-run'

/** An active key for every school that gets requests, by its number. */
export async function addSigningKeys(
  client: pg.ClientBase,
  schools: readonly number[],
): Promise<void> {
  const key = new Keyring(SECRET).key(SIGNING_KEY_PURPOSE)
  for (const school of schools) {
    const { kid, publicJwk, privateKey } = generateEs256Key()
    const schoolId = idOf('school', school)
    await client.query(
      `insert into signing_keys (school_id, kid, stage, public_jwk, sealed_private_key, published_at, activated_at)
       values ($1, $2, 'active', $3, $4, now() - interval '2 days', now())`,
      [schoolId, kid, JSON.stringify(publicJwk), seal(key, privateKey, schoolId)],
    )
  }
}
