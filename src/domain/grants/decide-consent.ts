import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import {
  findRedirectUri,
  type ValidatedRedirectUri,
} from '../../foundation/protocol/redirect-uri.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { record } from '../audit/audit.ts'
import { admitClient, findAuthorizingClient } from '../clients/authorizing-client.ts'
import type { Client } from '../clients/client.ts'
import type { DocumentClients } from '../clients/document-clients.ts'
import { mayHold } from '../people/membership.ts'
import type { BrowserSession } from '../people/sessions.ts'
import type { School } from '../schools/school.ts'
import { issueCode } from './codes.ts'
import type { PendingAuthorization } from './pending-authorization.ts'

/** What a person is asked, with everything checked again: time has passed since the request came. */
export interface ConsentQuestion {
  readonly pending: PendingAuthorization
  readonly client: Client
  readonly redirectUri: ValidatedRedirectUri
}

/** The question, or undefined if the client, its address or its scopes are no longer what they were. */
export async function findConsentQuestion(
  db: Db,
  at: SchoolDb,
  school: School,
  documents: DocumentClients,
  pending: PendingAuthorization,
  address: string,
): Promise<ConsentQuestion | undefined> {
  const found = await findAuthorizingClient(db, at, school, documents, pending.clientId, address)
  if (found.kind !== 'known') return undefined
  const { client } = found
  const redirectUri = findRedirectUri(client.redirectUris, pending.redirectUri)
  const allowed = ScopeSet.of(pending.scopes).isSubsetOf(client.scopes)
  return redirectUri === undefined || !allowed ? undefined : { pending, client, redirectUri }
}

/** Whether the client asked for a sign-in newer than this session's (`prompt=login`, `max_age`). */
export function isSignInDue(session: BrowserSession, pending: PendingAuthorization): boolean {
  return (
    pending.signInAfter !== undefined &&
    session.authenticatedAt.getTime() < pending.signInAfter * 1000
  )
}

export type Standing = 'allowed' | 'no_role' | 'not_operator'

/** Anyone with a role may authorize a member client; an operator client takes an owner or admin. */
export function standingOf(session: BrowserSession, client: Client): Standing {
  if (session.roles.length === 0) return 'no_role'
  return mayHold(client.audience, session.roles) ? 'allowed' : 'not_operator'
}

/** The person said yes: the code that the client will exchange. */
export async function grantConsent(
  at: SchoolDb,
  question: ConsentQuestion,
  session: BrowserSession,
  device: string,
  requestId: string,
): Promise<string> {
  const { pending, client } = question
  await admitClient(at, client, { via: 'consent', userId: session.person.id, requestId })
  const code = await issueCode(at, {
    clientId: client.clientId,
    userId: session.person.id,
    audience: client.audience,
    scopes: pending.scopes,
    resource: pending.resource,
    redirectUri: pending.redirectUri,
    codeChallenge: pending.codeChallenge,
    nonce: pending.nonce,
    authenticatedAt: session.authenticatedAt,
    device,
  })
  await record(at, {
    action: 'authorization.granted',
    outcome: 'ok',
    actorUserId: session.person.id,
    clientId: client.clientId,
    detail: { scopes: pending.scopes },
    requestId,
  })
  return code
}

/** A person without the role it takes said yes all the same: no page of ours offers them that. */
export async function refuseConsent(
  at: SchoolDb,
  { client }: ConsentQuestion,
  session: BrowserSession,
  standing: Standing,
  requestId: string,
): Promise<void> {
  await record(at, {
    action: 'authorization.refused',
    outcome: 'access_denied',
    actorUserId: session.person.id,
    clientId: client.clientId,
    detail: { standing },
    requestId,
  })
}

export async function denyConsent(
  at: SchoolDb,
  question: ConsentQuestion,
  session: BrowserSession,
  requestId: string,
): Promise<void> {
  const { client } = question
  // A client that this school meets for the first time has no row yet, and a refusal makes none.
  await record(at, {
    action: 'authorization.denied',
    outcome: 'access_denied',
    actorUserId: session.person.id,
    clientId: client.clientId,
    requestId,
  })
}
