import { uuidv7 } from '../../foundation/crypto/random.ts'
import { mintToken } from '../../foundation/protocol/token-format.ts'
import type { Audience } from '../clients/scope-catalogue.ts'

/** A pair as the client gets it. Only hashes of the two tokens are stored. */
export interface IssuedPair {
  readonly tokens: FreshTokens
  readonly expiresInSeconds: number
  readonly audience: Audience
  /** The scopes, as the client gets them. */
  readonly scope: string
  /** What the token response calls school_id; absent on operator pairs and unbound member pairs. */
  readonly boundSchoolId: string | undefined
  /** In Unix seconds. */
  readonly issuedAt: number
}

/** Two new tokens under one new id, with the hashes that are stored of them. */
export interface FreshTokens {
  readonly pairId: string
  readonly access: { readonly value: string; readonly hash: Buffer }
  readonly refresh: { readonly value: string; readonly hash: Buffer }
}

export function freshTokens(): FreshTokens {
  const pairId = uuidv7()
  return {
    pairId,
    access: mintToken('access', pairId),
    refresh: mintToken('refresh', pairId),
  }
}
