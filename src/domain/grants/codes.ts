import { sql } from 'kysely'
import { constantTimeEqual } from '../../foundation/crypto/digest.ts'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { mintToken, parseToken } from '../../foundation/protocol/token-format.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import { CODE_SECONDS } from './lifetimes.ts'

/** What a person agreed to, on its way to the client. */
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

/** Keeps a consent under a new code and returns the code, the only time it is seen. */
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

export interface FoundCode extends Consent {
  readonly id: string
  readonly expired: boolean
  /** The pair it was exchanged for, if it was. */
  readonly pairId: string | undefined
}

/** The code of this school, if the whole text is right; whether it may still be used is the caller's to judge. */
export async function findCode(at: SchoolDb, value: string): Promise<FoundCode | undefined> {
  const token = parseToken('code', value)
  if (token === undefined) return undefined
  const row = await at
    .from('authorization_codes')
    .selectAll()
    .select(sql<boolean>`expires_at <= now()`.as('expired'))
    .where('id', '=', token.id)
    .executeTakeFirst()
  if (row === undefined || !constantTimeEqual(row.hash, token.hash)) return undefined
  return {
    id: row.id,
    clientId: row.client_id,
    userId: row.user_id,
    audience: row.audience,
    scopes: row.scopes,
    resource: row.resource ?? undefined,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    nonce: row.nonce ?? undefined,
    authenticatedAt: row.authenticated_at,
    device: row.device,
    expired: row.expired,
    pairId: row.pair_id ?? undefined,
  }
}
