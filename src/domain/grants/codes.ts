import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { mintToken } from '../../foundation/protocol/token-format.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import { CODE_SECONDS } from './lifetimes.ts'

/** What a person agreed to, stored until the client exchanges the code. */
export interface Consent {
  readonly clientId: string
  readonly userId: string
  readonly audience: Audience
  readonly scopes: readonly string[]
  readonly resource: string | undefined
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly nonce: string | undefined
  readonly authenticatedAt: Date
  readonly device: string
}

/** Stores a consent under a new code and returns the code; only its hash is stored. */
export async function issueCode(at: SchoolDb, consent: Consent): Promise<string> {
  const id = uuidv7()
  const code = mintToken('code', id)
  await at
    .insert('authorization_codes', {
      id,
      hash: code.hash,
      client_id: consent.clientId,
      user_id: consent.userId,
      audience: consent.audience,
      scopes: [...consent.scopes],
      resource: consent.resource ?? null,
      redirect_uri: consent.redirectUri,
      code_challenge: consent.codeChallenge,
      nonce: consent.nonce ?? null,
      authenticated_at: consent.authenticatedAt,
      device: consent.device.slice(0, 200),
      expires_at: sql<Date>`now() + make_interval(secs => ${CODE_SECONDS})`,
    })
    .execute()
  return code.value
}
