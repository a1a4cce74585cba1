import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { ValidatedRedirectUri } from '../../foundation/protocol/redirect-uri.ts'
import { mintToken } from '../../foundation/protocol/token-format.ts'
import { mayHold, mayHoldInSql } from '../actor/actor.ts'
import { record } from '../audit/audit.ts'
import { recordOnceAnHour } from '../audit/repeated-entries.ts'
import { type AuthorizingClient, admitClient } from '../clients/authorizing-client.ts'
import { CLIENT_IS_ON, type Client } from '../clients/client.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import {
  type AuthenticationContext,
  contextOf,
  isContextMissing,
} from '../people/authentication-context.ts'
import { type FactorDemand, findMeans, isFactorDue } from '../people/factors/demand.ts'
import { queueNotice } from '../people/notices.ts'
import type { BrowserSession, ProofMethod } from '../people/sessions.ts'
import type { PendingAuthorization } from './pending-authorization.ts'
import { checkRequest } from './request-checks.ts'
import { CODE_SECONDS } from './token-pair.ts'

/**
 * What a person is asked. The request is checked again, because the client may have changed
 * meanwhile.
 */
export interface ConsentQuestion {
  readonly pending: PendingAuthorization
  readonly client: Client
  readonly redirectUri: ValidatedRedirectUri
}

/** The question, or undefined if the client, its redirect URI or its scopes no longer allow it. */
export function readConsentQuestion(
  found: AuthorizingClient,
  pending: PendingAuthorization,
): ConsentQuestion | undefined {
  try {
    return { pending, ...checkRequest(found, pending) }
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

/** Whether the client asked for a sign-in newer than this session's (`prompt=login`, `max_age`). */
export function isSignInDue(
  session: BrowserSession,
  { signInAfter }: Pick<PendingAuthorization, 'signInAfter'>,
): boolean {
  return signInAfter !== undefined && session.authenticatedAt.getTime() <= signInAfter * 1000
}

/** The request once more, for which the sign-in of this session no longer counts. */
export function withNewSignIn(
  pending: PendingAuthorization,
  { readAt }: BrowserSession,
): PendingAuthorization {
  return { ...pending, signInAfter: readAt.getTime() / 1000, acrAsked: true }
}

/**
 * Whether to ask for a stronger sign-in first: the client wants one, and the person has what it
 * takes. It is voluntary, so other people go on, and a person is asked once.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
export async function isStrongerSignInDue(
  db: SchoolDb,
  { methods, person }: BrowserSession,
  { acrValues, acrAsked }: PendingAuthorization,
): Promise<boolean> {
  if (acrAsked === true || !isContextMissing(methods, acrValues)) return false
  const { hasSecondFactor, hasPasskey } = await findMeans(db, person.id)
  const best: ProofMethod[] = hasPasskey ? ['passkey'] : hasSecondFactor ? ['code'] : []
  return !isContextMissing(best, acrValues)
}

export type ConsentVerdict = 'allowed' | 'no_role' | 'not_operator' | 'factor_due'

/**
 * A person with any role may authorize a member client; an operator client needs an owner or admin,
 * and the sign-in that the school demands of them.
 */
export function consentVerdict(
  session: BrowserSession,
  client: Client,
  demand: FactorDemand,
): ConsentVerdict {
  if (session.roles.length === 0) return 'no_role'
  if (!mayHold(client.audience, session.roles)) return 'not_operator'
  const isDue = client.audience === 'operator' && isFactorDue(demand, session)
  return isDue ? 'factor_due' : 'allowed'
}

interface Agreement {
  /** The browser in which the person pressed Allow. */
  readonly device: string
  /** Whether this installation sends mail. */
  readonly isTold: boolean
  readonly requestId: string
}

/**
 * The person agreed: returns the code that the client will exchange, or why there is none any more.
 * The person is told by mail of a client that is new to them: a stolen session may have allowed it,
 * and an app outlives the session.
 */
export async function grantConsent(
  db: SchoolDb,
  question: ConsentQuestion,
  session: BrowserSession,
  { device, isTold, requestId }: Agreement,
): Promise<IssuedCode> {
  const { pending, client } = question
  await admitClient(db, client, { via: 'consent', userId: session.person.id, requestId })
  const issued = await issueCode(db, {
    clientId: client.clientId,
    userId: session.person.id,
    sessionId: session.id,
    audience: client.audience,
    scopes: pending.scopes,
    resource: pending.resource,
    redirectUri: pending.redirectUri,
    codeChallenge: pending.codeChallenge,
    nonce: pending.nonce,
    authenticatedAt: session.authenticatedAt,
    context:
      pending.acrValues === undefined ? undefined : contextOf(session.methods, pending.acrValues),
    device,
    allowedAt: session.readAt,
  })
  if (issued.kind !== 'issued') {
    await refuseConsent(db, question, session, issued.kind, requestId)
    return issued
  }
  await record(db, {
    action: 'authorization.granted',
    outcome: 'ok',
    actorUserId: session.person.id,
    clientId: client.clientId,
    detail: { scopes: pending.scopes },
    requestId,
  })
  if (issued.isFirst && isTold) {
    await queueNotice(db, 'app_connected', session.person, { device, app: client.name })
  }
  return issued
}

/**
 * Records an agreement that gave nothing: no page offers it to this person, or it came too late.
 */
export async function refuseConsent(
  db: SchoolDb,
  { client }: ConsentQuestion,
  session: BrowserSession,
  reason: ConsentVerdict | Exclude<IssuedCode['kind'], 'issued'>,
  requestId: string,
): Promise<void> {
  const entry = {
    action: 'authorization.refused',
    outcome: 'access_denied',
    actorUserId: session.person.id,
    clientId: client.clientId,
    detail: { standing: reason },
    requestId,
  } as const
  await recordOnceAnHour(db, entry, reason)
}

export async function denyConsent(
  db: SchoolDb,
  question: ConsentQuestion,
  session: BrowserSession,
  requestId: string,
): Promise<void> {
  const { client } = question
  // A client that is new to this school gets no row: only an agreement creates one.
  await recordOnceAnHour(db, {
    action: 'authorization.denied',
    outcome: 'access_denied',
    actorUserId: session.person.id,
    clientId: client.clientId,
    requestId,
  })
}

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

type IssuedCode =
  | {
      readonly kind: 'issued'
      readonly code: string
      /** The person has not allowed this client before. */
      readonly isFirst: boolean
    }
  /** The session has ended meanwhile, by signing out or by a new password. */
  | { readonly kind: 'signed_out' }
  /**
   * The client was switched off or deleted, the person lost the role, or codes of either were
   * withdrawn.
   */
  | { readonly kind: 'changed' }

/**
 * Stores a consent under a new code and returns the code; only its hash is stored. Waits for a
 * transaction that takes away what it needs (docs/architecture.md has the order of locks). The
 * session is locked too: a new password ends all sessions first and then deletes codes, so it finds
 * this code, or this statement finds no session.
 */
export async function issueCode(db: SchoolDb, consent: Consent): Promise<IssuedCode> {
  const id = uuidv7()
  const code = mintToken('code', id)
  const { clientId, userId, audience, allowedAt } = consent
  const ofBoth = sql`
    where school_id = ${db.schoolId} and client_id = ${clientId} and user_id = ${userId}`
  const { rows } = await db.run(sql<{ isSignedIn: boolean; isStored: boolean; isFirst: boolean }>`
    with alive as materialized (
      select school_id, user_id from browser_sessions
      where id = ${consent.sessionId} and school_id = ${db.schoolId} and user_id = ${userId}
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
        where school_id = ${db.schoolId} and client_id = ${clientId} and user_id = ${userId}
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
