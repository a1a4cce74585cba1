import { type RawBuilder, sql } from 'kysely'
import { constantTimeEqual, sha256 } from '../../foundation/crypto/digest.ts'
import { clockOf } from '../../foundation/db/school-clock.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { type Sweep, sweepOf } from '../../foundation/db/sweep.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { AuditedActor } from '../actor/actor.ts'
import { auditInsert, changeEntry } from '../audit/audit.ts'
import type { Audience } from './scope-catalogue.ts'

/**
 * A `tool` is an operator client that the school made; `{origin}/clients/{slug}.json` is its
 * client_id.
 */
export type ClientKind = 'application' | 'vendor' | 'document' | 'tool'

/** An OAuth client as one school knows it. */
export interface Client {
  readonly clientId: string
  readonly kind: ClientKind
  readonly audience: Audience
  readonly name: string
  readonly confidential: boolean
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  readonly scopes: ScopeSet
  /** Of a metadata document, if they are on its own host. */
  readonly websiteUrl?: string | undefined
  readonly privacyUrl?: string | undefined
  readonly reviewed: boolean
  /** By the school, or by the administrator at all schools. */
  readonly disabled: boolean
  /** By the administrator: the school cannot switch it on again. */
  readonly platformDisabled?: boolean
  readonly secretHash: Buffer | undefined
  /** Of the secret before the last renewal, while it is still accepted. */
  readonly oldSecretHash?: Buffer | undefined
}

/** The client of this school, deleted ones apart. */
export async function findClient(db: SchoolDb, clientId: string): Promise<Client | undefined> {
  const row = await db
    .from('clients')
    .select([
      'client_id',
      'kind',
      'audience',
      'name',
      'confidential',
      'redirect_uris',
      'post_logout_redirect_uris',
      'scopes',
      'secret_hash',
      'reviewed_at',
      'disabled_at',
      'platform_disabled_at',
    ])
    .select(sql<Buffer | null>`case when ${OLD_SECRET_LIVES} then old_secret_hash end`.as('old'))
    .where('client_id', '=', clientId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    clientId: row.client_id,
    kind: row.kind,
    audience: row.audience,
    name: row.name,
    confidential: row.confidential,
    redirectUris: row.redirect_uris,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    scopes: ScopeSet.of(row.scopes),
    reviewed: row.reviewed_at !== null,
    disabled: row.disabled_at !== null || row.platform_disabled_at !== null,
    platformDisabled: row.platform_disabled_at !== null,
    secretHash: row.secret_hash ?? undefined,
    oldSecretHash: row.old ?? undefined,
  }
}

const OLD_SECRET_LIVES = sql`old_secret_expires_at > now()`

declare const proven: unique symbol

/** A client that proved, as far as its kind can, that it is the one it names. */
export type AuthenticatedClient = Client & { readonly [proven]: true }

/**
 * Confidential clients prove themselves by their secret in the body; public ones have nothing to
 * prove here, PKCE does that for them. A secret sent by a public client is refused, because the
 * client has mistaken its own kind. Only a client that is proven hears that it is switched off.
 *
 * @see RFC 6749 §2.3.1 and §3.2.1
 */
export function authenticateClient(
  client: Client | undefined,
  secret: string | undefined,
): AuthenticatedClient {
  if (client === undefined) {
    // Hash in any case: the time must not show whether the client is unknown or the secret is
    // wrong.
    sha256(secret ?? '')
    throw clientNotProven()
  }
  if (client.secretHash === undefined) {
    if (secret !== undefined) throw clientNotProven()
    return switchedOn(client)
  }
  const { secretHash, oldSecretHash = secretHash } = client
  const sent = sha256(secret ?? '')
  // Always two comparisons: the time must not show which secret it is, or whether there is an old
  // one.
  const isNew = constantTimeEqual(sent, secretHash)
  const isOld = constantTimeEqual(sent, oldSecretHash)
  if (secret === undefined || !(isNew || isOld)) throw clientNotProven()
  return switchedOn(client)
}

function switchedOn(client: Client): AuthenticatedClient {
  if (client.disabled) throw clientSwitchedOff()
  return client as AuthenticatedClient
}

/** The client `c` is neither disabled nor deleted. */
export const CLIENT_IS_ON = sql<boolean>`
  c.disabled_at is null and c.platform_disabled_at is null and c.deleted_at is null`

/**
 * The check of `authenticateClient` in SQL: the sent secret is the new or the old one of `c`; a
 * public client has none and sends none. Hashes are compared, so the time tells nothing about a
 * secret.
 */
export function secretMatchesInSql(secretHash: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(c.secret_hash is not distinct from ${secretHash}
    or c.old_secret_hash = ${secretHash} and c.${OLD_SECRET_LIVES})`
}

/**
 * For the audit: which of two secrets `c` sent. Before its first renewal there is nothing to tell.
 */
export function secretUsedInSql(secretHash: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case
    when c.old_secret_hash is null or ${secretHash}::bytea is null then '{}'::jsonb
    when c.old_secret_hash = ${secretHash} then '{"client_secret": "old"}'::jsonb
    else '{"client_secret": "new"}'::jsonb end`
}

/** The next step wherever a client hears that it is switched off. */
export const SWITCH_ON_AGAIN =
  'An owner or admin of the school can switch it on again in the admin area, under Apps and assistants; if the administrator of this server switched it off, only they can.'

/** Only for a client that is public or sent the right secret. */
export function clientSwitchedOff(): OAuthError {
  return new OAuthError(
    'invalid_client',
    `This client is switched off at this school. ${SWITCH_ON_AGAIN}`,
  )
}

/** One text for every reason, so that it helps no search for client ids or secrets. */
export function clientNotProven(): OAuthError {
  return new OAuthError(
    'invalid_client',
    'The client is not known at this origin, or its client_secret is missing, wrong or not expected. Confidential applications send client_secret in the form body; public ones send none.',
  )
}

/**
 * What `whatChanged` says of two objects, for two rows of one statement. A document of an app may
 * have long lists.
 */
const WHAT_CHANGED = sql`(
  select jsonb_strip_nulls(jsonb_build_object(
    'changed', jsonb_object_agg(member, jsonb_build_array(was, became)) filter (where is_short),
    'also_changed', jsonb_agg(member) filter (where not is_short)))
  from (
    select o.member, was, became, length(was::text) <= 200 and length(became::text) <= 200 as is_short
    from before, admitted, jsonb_each(to_jsonb(before)) o (member, was), jsonb_each(to_jsonb(admitted)) n (member, became)
    where o.member = n.member and was <> became) c)`

/**
 * Runs the INSERT that gives a school its own row of a client, or brings it up to date, and writes
 * the audit entry in the same statement. `upsert` touches the row only if something is different;
 * a row that was deleted before counts as created.
 */
export async function admitAudited(
  db: SchoolDb,
  client: { readonly clientId: string; readonly kind: ClientKind },
  by: AuditedActor,
  upsert: RawBuilder<unknown>,
): Promise<void> {
  const { clientId, kind } = client
  const entry = (action: 'client.created' | 'client.changed', when: RawBuilder<unknown>) => {
    const change = changeEntry(by, { action, clientId, detail: { kind } })
    const stated = sql`${JSON.stringify(change.detail)}::jsonb`
    const detail = action === 'client.changed' ? sql`(${stated} || ${WHAT_CHANGED})` : stated
    return auditInsert({ ...change, schoolId: db.schoolId, detail }, sql`where ${when}`)
  }
  const written = sql`exists (select from admitted)`
  await db.run(sql`
    with before as (
      select name, redirect_uris, scopes from clients
      where school_id = ${db.schoolId} and client_id = ${clientId} and deleted_at is null),
    admitted as (${upsert} returning name, redirect_uris, scopes),
    created as (${entry('client.created', sql`${written} and not exists (select from before)`)}),
    changed as (${entry('client.changed', sql`${written} and exists (select from before)`)})
    select`)
}

/** From now on a consent to this client that began before gives no code (`issueCode`). */
export async function refuseEarlierConsentsTo(tx: SchoolTx, clientId: string): Promise<void> {
  await tx
    .update('clients')
    .set({ codes_withdrawn_at: sql<Date>`now()` })
    .where('client_id', '=', clientId)
    .execute()
}

/**
 * As `refuseEarlierConsentsTo`, for all clients of the school, locked in the order of their ids.
 */
export async function refuseEarlierConsents(tx: SchoolTx): Promise<void> {
  await tx.run(sql`
    with locked as materialized (
      select client_id from clients where school_id = ${tx.schoolId} and deleted_at is null
      order by client_id for no key update)
    update clients set codes_withdrawn_at = now()
    where school_id = ${tx.schoolId} and client_id in (select client_id from locked)`)
}

/** A month: operators may want to read back what the metadata of a client said. */
const DOCUMENT_MEMORY_DAYS = 30

/** Longer than a person may take to sign in and agree. */
const UNUSED_DOCUMENT_MINUTES = 60

/**
 * Crosses schools: kept client metadata that no authorization has used for long. Metadata to which
 * no operator ever agreed goes soon, because a stranger can publish any number of documents and
 * have them fetched.
 */
export const clientSweeps: readonly Sweep[] = [
  sweepOf({
    table: 'client_documents',
    key: { column: 'url', type: 'text' },
    dead: sql`t.failure is not null
      or t.expires_at < now() - make_interval(days => ${DOCUMENT_MEMORY_DAYS})
      or (t.fetched_at < now() - make_interval(mins => ${UNUSED_DOCUMENT_MINUTES})
        -- Not "not exists": that would read the clients once for each document.
        and t.url not in (select client_id from clients where kind = 'document'))`,
  }),
]

/** For how long the secret before a renewal is still accepted. */
export const clientClock = clockOf({
  table: 'clients',
  until: { column: 'old_secret_expires_at', began: 'secret_rotated_at' },
  running: ({ from }) => sql`t.old_secret_expires_at > ${from}`,
})
