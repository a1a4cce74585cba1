import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { mintToken } from '../../foundation/protocol/token-format.ts'
import { CLIENT_IS_ON } from '../clients/client.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import type { AuthenticationContext } from '../people/authentication-context.ts'
import { mayHoldInSql } from '../people/membership.ts'
import { CODE_SECONDS } from './lifetimes.ts'

/** Codes of one person for one client that wait to be exchanged; the oldest give way. */
const MOST_PENDING = 20

/** What a person agreed to, stored until the client exchanges the code. */
export interface Consent {
  readonly clientId: string
  readonly userId: string
  /** The browser session in which the person pressed Allow. */
  readonly sessionId: string
  readonly audience: Audience
  readonly scopes: readonly string[]
  readonly resource: string | undefined
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly nonce: string | undefined
  readonly authenticatedAt: Date
  /** How the person had signed in, if the client asked. */
  readonly context: AuthenticationContext | undefined
  readonly device: string
  /** The time of the database when the server began to handle the person's Allow. */
  readonly allowedAt: Date
}

export type IssuedCode =
  | {
      readonly kind: 'issued'
      readonly code: string
      /** The person has not allowed this client before. */
      readonly isFirst: boolean
    }
  /** The session has ended meanwhile, by signing out or by a new password. */
  | { readonly kind: 'signed_out' }
  /** The client was switched off or deleted, the person lost the role, or codes of either were withdrawn. */
  | { readonly kind: 'changed' }

/**
 * Stores a consent under a new code and returns the code; only its hash is stored. Waits for a transaction that takes
 * away what it needs (docs/architecture.md has the order of locks). The session is locked too: a new password ends all
 * sessions first and then deletes codes, so it finds this code, or this statement finds no session.
 */
export async function issueCode(at: SchoolDb, consent: Consent): Promise<IssuedCode> {
  const id = uuidv7()
  const code = mintToken('code', id)
  const { clientId, userId, audience, allowedAt } = consent
  const ofBoth = sql`
    where school_id = ${at.schoolId} and client_id = ${clientId} and user_id = ${userId}`
  const { rows } = await at.run(sql<{ isSignedIn: boolean; isStored: boolean; isFirst: boolean }>`
    with alive as materialized (
      select school_id, user_id from browser_sessions
      where id = ${consent.sessionId} and school_id = ${at.schoolId} and user_id = ${userId}
      for key share),
    stored as (
      insert into authorization_codes (id, hash, school_id, client_id, user_id, audience, scopes, resource,
        redirect_uri, code_challenge, nonce, authenticated_at, acr, amr, device, expires_at)
      select ${id}, ${code.hash}, m.school_id, c.client_id, m.user_id, ${audience}, ${[...consent.scopes]},
        ${consent.resource ?? null}, ${consent.redirectUri}, ${consent.codeChallenge}, ${consent.nonce ?? null},
        ${consent.authenticatedAt}, ${consent.context?.acr ?? null}, ${consent.context?.amr ?? null}::text[], ${consent.device.slice(0, 200)},
        now() + make_interval(secs => ${CODE_SECONDS})
      from alive
        join school_members m on m.school_id = alive.school_id and m.user_id = alive.user_id
        join clients c on c.school_id = m.school_id
      where c.client_id = ${clientId}
        and ${CLIENT_IS_ON} and ${mayHoldInSql(sql`${audience}::text`, sql`m.roles`)}
        and coalesce(greatest(m.codes_withdrawn_at, c.codes_withdrawn_at) < ${allowedAt}, true)
      for share of m, c
      returning 1),
    surplus as (
      delete from authorization_codes where id in (
        select id from authorization_codes
        where school_id = ${at.schoolId} and client_id = ${clientId} and user_id = ${userId}
          and consumed_at is null
        order by id desc offset ${MOST_PENDING - 1})
      and exists (select from stored))
    select exists (select from alive) as "isSignedIn", exists (select from stored) as "isStored",
      not exists (select from authorizations ${ofBoth})
        and not exists (select from authorization_codes ${ofBoth}) as "isFirst"`)
  const [done] = rows
  if (done?.isStored) return { kind: 'issued', code: code.value, isFirst: done.isFirst }
  return { kind: done?.isSignedIn ? 'changed' : 'signed_out' }
}
