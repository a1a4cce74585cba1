import { type RawBuilder, sql } from 'kysely'
import { cutPage, groupRows } from '../../foundation/db/keyset.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { record } from '../audit/audit.ts'
import { logoUrlOf } from '../clients/application-details.ts'
import type { ClientKind } from '../clients/client.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import { isNotEnded, withdrawCodesOfApp } from './authorizations.ts'

/** One completed authorization that can still be used: an app on one device. */
export interface LiveAuthorization {
  readonly id: string
  readonly authorizedAt: Date
  /** May be up to two hours before the real last use; absent before the first use. */
  readonly lastUsedAt: Date | undefined
  readonly device: string
}

/** An app that a person authorized, with its live authorizations. */
export interface ConnectedApp {
  readonly clientId: string
  readonly name: string
  readonly kind: ClientKind
  readonly audience: Audience
  readonly reviewed: boolean
  readonly logoUrl: string | undefined
  /** Switched off at this school, by itself or with all others: what lives cannot be used. */
  readonly disabled: boolean
  /**
   * Whether it was used for this person, or may have their name from an ID token, which it gets
   * without a use. Also in an authorization that has ended and is not purged yet.
   */
  readonly wasUsed: boolean
  /** The scopes of these authorizations together. */
  readonly scopes: readonly string[]
  readonly authorizations: readonly LiveAuthorization[]
}

/**
 * An authorization `a` of the client `c` is alive while one of its pairs could still be refreshed.
 */
export const isLive = sql<boolean>`(${isNotEnded('a', 'c')} and exists (
  select from token_pairs p
  where p.authorization_id = a.id and p.revoked_at is null and p.refresh_expires_at > now()))`

/** Whether the ID token of an authorization has more than an id and roles. */
export function mayNamePerson(authorization: string): RawBuilder<boolean> {
  const scopes = sql.ref(`${authorization}.scopes`)
  return sql<boolean>`('openid' = any(${scopes}) and ${scopes} && array['profile', 'email', 'account:read'])`
}

interface Row {
  client_id: string
  name: string
  kind: ClientKind
  audience: Audience
  reviewed: boolean
  logo_url: string | null
  disabled: boolean
  was_used: boolean
  id: string
  scopes: string[]
  device: string
  created_at: Date
  last_used_at: Date | null
}

/** A page of live authorizations by the app that has them. */
export interface ConnectedApps {
  readonly apps: readonly ConnectedApp[]
  /** The last authorization of this page, if there are older ones. */
  readonly next: string | undefined
}

/**
 * The apps of one person at this school, the latest authorized first, a page of authorizations at a
 * time.
 */
export async function connectedApps(
  db: SchoolDb,
  userId: string,
  page: { readonly before?: string | undefined; readonly limit: number },
): Promise<ConnectedApps> {
  const { rows } = await db.run(sql<Row>`
    select a.client_id, c.name, c.kind, c.reviewed_at is not null as reviewed, ${logoUrlOf(sql`c`)} as logo_url,
      (c.disabled_at is not null or c.platform_disabled_at is not null) as disabled,
      exists (
        select from authorizations u
        where u.school_id = a.school_id and u.client_id = a.client_id and u.user_id = a.user_id
          and (u.last_used_at is not null or ${mayNamePerson('u')})) as was_used,
      a.id, a.audience, a.scopes, a.device, a.created_at, a.last_used_at
    from authorizations a
      join clients c on c.school_id = a.school_id and c.client_id = a.client_id and c.deleted_at is null
    where a.school_id = ${db.schoolId} and a.user_id = ${userId} and ${isLive}
      ${page.before === undefined ? sql`` : sql`and a.id < ${page.before}`}
    order by a.id desc
    limit ${page.limit + 1}`)
  const { shown, last } = cutPage(rows, page.limit)
  const apps = groupRows(shown, ({ client_id }) => client_id)
  return {
    apps: [...apps.values()].flatMap((own) => appFromRows(own)),
    next: last?.id,
  }
}

function appFromRows(rows: readonly Row[]): ConnectedApp[] {
  const [first] = rows
  if (first === undefined) return []
  return [
    {
      clientId: first.client_id,
      name: first.name,
      kind: first.kind,
      audience: first.audience,
      reviewed: first.reviewed,
      logoUrl: first.logo_url ?? undefined,
      disabled: first.disabled,
      wasUsed: first.was_used,
      scopes: [...new Set(rows.flatMap((row) => row.scopes))],
      authorizations: rows.map((row) => ({
        id: row.id,
        authorizedAt: row.created_at,
        lastUsedAt: row.last_used_at ?? undefined,
        device: row.device,
      })),
    },
  ]
}

/** One authorization, or all authorizations of an app. */
export type WhatToEnd = { readonly authorizationId: string } | { readonly clientId: string }

/**
 * Ends authorizations that a person gave, with all their pairs, and returns their number. It also
 * deletes codes of the person that the app has not exchanged yet, because such a code would give
 * the app access again.
 */
export async function endConnectedApp(
  db: SchoolDb,
  userId: string,
  what: WhatToEnd,
  /** The person, or an operator of the school. */
  by: Pick<Actor, 'userId' | 'requestId'>,
): Promise<number> {
  return await db.transaction(async (tx) => {
    const clientId =
      'clientId' in what ? what.clientId : await findClientOf(tx, userId, what.authorizationId)
    if (clientId !== undefined) await withdrawCodesOfApp(tx, userId, clientId)
    const ended = await tx
      .update('authorizations')
      .set({ revoked_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where((eb) =>
        'clientId' in what
          ? eb('client_id', '=', what.clientId)
          : eb('id', '=', what.authorizationId),
      )
      .returning('id')
      .execute()
    const ids = ended.map(({ id }) => id)
    if (ids.length > 0) {
      await record(tx, {
        action: 'authorization.ended',
        outcome: 'ok',
        actorUserId: by.userId,
        clientId,
        ...(ids.length === 1 ? { authorizationId: ids[0] } : {}),
        ...(by.userId === userId ? {} : { subject: userId }),
        detail: {
          by: by.userId === userId ? 'person' : 'operator',
          ...(ids.length === 1 ? {} : { authorizations: ids }),
        },
        requestId: by.requestId,
      })
    }
    return ended.length
  })
}

async function findClientOf(
  tx: SchoolTx,
  userId: string,
  authorizationId: string,
): Promise<string | undefined> {
  const row = await tx
    .from('authorizations')
    .select('client_id')
    .where('id', '=', authorizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.client_id
}
