import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { ValidatedRedirectUri } from '../../foundation/protocol/redirect-uri.ts'
import { record } from '../audit/audit.ts'
import { recordOnceAnHour } from '../audit/repeated-entries.ts'
import { type AuthorizingClient, admitClient } from '../clients/authorizing-client.ts'
import type { Client } from '../clients/client.ts'
import { contextOf, isContextMissing } from '../people/authentication-context.ts'
import { type FactorDemand, findMeans, isFactorDue } from '../people/factors/demand.ts'
import { mayHold } from '../people/membership.ts'
import { queueNotice } from '../people/notices.ts'
import type { BrowserSession, ProofMethod } from '../people/sessions.ts'
import { type IssuedCode, issueCode } from './codes.ts'
import type { PendingAuthorization } from './pending-authorization.ts'
import { checkRequest } from './request-checks.ts'

/** What a person is asked. The request is checked again, because the client may have changed meanwhile. */
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

/** The same request, for which the sign-in of this session no longer counts. */
export function withNewSignIn(
  pending: PendingAuthorization,
  { readAt }: BrowserSession,
): PendingAuthorization {
  return { ...pending, signInAfter: readAt.getTime() / 1000, acrAsked: true }
}

/**
 * Whether to ask for a stronger sign-in first: the client wants one, and the person has what it takes. It is voluntary, so
 * other people go on, and a person is asked once.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
export async function isStrongerSignInDue(
  at: SchoolDb,
  { methods, person }: BrowserSession,
  { acrValues, acrAsked }: PendingAuthorization,
): Promise<boolean> {
  if (acrAsked === true || !isContextMissing(methods, acrValues)) return false
  const { hasSecondFactor, hasPasskey } = await findMeans(at, person.id)
  const best: ProofMethod[] = hasPasskey ? ['passkey'] : hasSecondFactor ? ['code'] : []
  return !isContextMissing(best, acrValues)
}

export type Standing = 'allowed' | 'no_role' | 'not_operator' | 'factor_due'

/**
 * A person with any role may authorize a member client; an operator client needs an owner or admin, and the sign-in that
 * the school demands of them.
 */
export function standingOf(
  session: BrowserSession,
  client: Client,
  demand: FactorDemand,
): Standing {
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
 * The person agreed: returns the code that the client will exchange, or why there is none any more. The person is told by mail
 * of a client that is new to them: a stolen session may have allowed it, and an app outlives the session.
 */
export async function grantConsent(
  at: SchoolDb,
  question: ConsentQuestion,
  session: BrowserSession,
  { device, isTold, requestId }: Agreement,
): Promise<IssuedCode> {
  const { pending, client } = question
  await admitClient(at, client, { via: 'consent', userId: session.person.id, requestId })
  const issued = await issueCode(at, {
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
    await refuseConsent(at, question, session, issued.kind, requestId)
    return issued
  }
  await record(at, {
    action: 'authorization.granted',
    outcome: 'ok',
    actorUserId: session.person.id,
    clientId: client.clientId,
    detail: { scopes: pending.scopes },
    requestId,
  })
  if (issued.isFirst && isTold) {
    await queueNotice(at, 'app_connected', session.person, { device, app: client.name })
  }
  return issued
}

/** Records an agreement that gave nothing: no page offers it to this person, or it came too late. */
export async function refuseConsent(
  at: SchoolDb,
  { client }: ConsentQuestion,
  session: BrowserSession,
  standing: Standing | Exclude<IssuedCode['kind'], 'issued'>,
  requestId: string,
): Promise<void> {
  const entry = {
    action: 'authorization.refused',
    outcome: 'access_denied',
    actorUserId: session.person.id,
    clientId: client.clientId,
    detail: { standing },
    requestId,
  } as const
  await recordOnceAnHour(at, entry, standing)
}

export async function denyConsent(
  at: SchoolDb,
  question: ConsentQuestion,
  session: BrowserSession,
  requestId: string,
): Promise<void> {
  const { client } = question
  // A client that is new to this school gets no row: only an agreement creates one.
  await recordOnceAnHour(at, {
    action: 'authorization.denied',
    outcome: 'access_denied',
    actorUserId: session.person.id,
    clientId: client.clientId,
    requestId,
  })
}
