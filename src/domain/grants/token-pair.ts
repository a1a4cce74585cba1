import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
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

/** Lifetimes. They are compared with the time of the database, so that all processes agree. */
export const CODE_SECONDS = 5 * 60
export const ACCESS_TOKEN_SECONDS = 2 * 60 * 60
export const REFRESH_TOKEN_IDLE_DAYS = 90
export const ID_TOKEN_SECONDS = 10 * 60
/** A pending authorization: how long sign-in and consent may take. */
export const PENDING_AUTHORIZATION_SECONDS = 30 * 60

/**
 * The first use of an access token shows that its client has it, so the pairs it was refreshed from
 * are retired: every live ancestor up to and including the first that was itself used. Several
 * unused generations may lie between, and no other statement would retire them.
 *
 * The authorization row is locked first. Without that order, concurrent uses of parent and child
 * deadlock. False if another request used or revoked the pair, or ended its authorization, in the
 * meantime: the caller reads again and then decides. May run twice: a use that was counted although
 * its answer was lost gives false.
 */
export async function markFirstUse(db: SchoolDb, pairId: string): Promise<boolean> {
  const statement = sql<{ used: number }>`
    with recursive gate as materialized (
      update authorizations set last_used_at = now()
      where id = (select authorization_id from token_pairs where id = ${pairId})
        and school_id = ${db.schoolId} and revoked_at is null
      returning id),
    me as (
      update token_pairs p set first_used_at = now() from gate
      where p.id = ${pairId} and p.authorization_id = gate.id
        and p.first_used_at is null and p.revoked_at is null
      returning p.previous_id),
    up (id, previous_id, used) as (
      select id, previous_id, first_used_at is not null from token_pairs
      where id = (select previous_id from me)
      union all
      select p.id, p.previous_id, p.first_used_at is not null
      from up join token_pairs p on p.id = up.previous_id where not up.used),
    retired as (
      update token_pairs p set revoked_at = now() from up
      where p.id = up.id and p.revoked_at is null returning 1)
    select (select count(*) from me)::int as used, (select count(*) from retired) as retired`
  const { rows } = await retryLostConnection(() => db.run(statement))
  return rows[0]?.used === 1
}
