import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor/actor.ts'
import type { School } from '../schools/school.ts'
import { admitAudited, type Client, findClient } from './client.ts'
import { parseClientIdUrl } from './client-id-url.ts'
import { admitExplorerClient, EXPLORER_CLIENT_ID, explorerClient } from './explorer-client.ts'
import { type MetadataClients, metadataAsClient } from './metadata-clients.ts'
import { SCOPES_OF_AUDIENCE, UNREVIEWED_SCOPES } from './scope-catalogue.ts'
import { isToolAddress } from './tool-operations.ts'
import { admitVendorPlatform, findVendorPlatform } from './vendor-platforms.ts'

/** Who can switch the client on again. */
export type SwitchedOffBy = 'school' | 'administrator'

export type AuthorizingClient =
  | {
      readonly kind: 'known'
      readonly client: Client
      /** Set if its metadata is the last good copy: what is wrong with the document now. */
      readonly staleBecause?: string | undefined
    }
  /** A text for the developer, without secrets. */
  | {
      readonly kind: 'refused'
      readonly why: string
      readonly switchedOffBy?: SwitchedOffBy
      /** The host of its metadata, if the school has to permit it first. */
      readonly unpermittedHost?: string | undefined
    }
  /** The client metadata was not fetched: no verdict on the client. */
  | { readonly kind: 'busy'; readonly why: string; readonly retryAfterSeconds: number }

/**
 * The client that an authorization request names: an application or a tool of the school, a vendor
 * platform of the installation, or the app whose metadata is behind a URL. Nothing is written for a
 * request that may never be finished; the school's own row of a platform or app comes with the
 * consent.
 */
export async function findAuthorizingClient(
  db: Db,
  schoolDb: SchoolDb,
  school: School,
  metadataClients: MetadataClients,
  clientId: string,
  address: string,
): Promise<AuthorizingClient> {
  const own = await findClient(schoolDb, clientId)
  if (own?.disabled) return switchedOff(own.platformDisabled ? 'administrator' : 'school')
  if (own?.kind === 'tool') return { kind: 'known', client: own }
  if (isToolAddress(school.origin, clientId)) {
    return { kind: 'refused', why: 'This school has no tool with this address as its client_id.' }
  }
  const url = parseClientIdUrl(clientId, { allowLoopbackHttp: metadataClients.loopbackHttp })
  if (url !== undefined) {
    if (!url.ok) return { kind: 'refused', why: url.description }
    const found = await metadataClients.resolve(db, school, url.url, address)
    if (!found.ok && found.retryAfterSeconds !== undefined) {
      return {
        kind: 'busy',
        why: found.description,
        retryAfterSeconds: found.retryAfterSeconds,
      }
    }
    if (!found.ok) {
      const { description: why, unpermittedHost } = found
      return { kind: 'refused', why, unpermittedHost }
    }
    const client = metadataAsClient(found.document, own)
    return { kind: 'known', client, staleBecause: found.staleBecause }
  }
  if (clientId === EXPLORER_CLIENT_ID) {
    const client = explorerClient(school)
    if (client !== undefined) return { kind: 'known', client }
  } else if (own !== undefined && own.kind === 'application') {
    return { kind: 'known', client: own }
  }
  const platform = await findVendorPlatform(db, clientId)
  if (platform === undefined) {
    return { kind: 'refused', why: 'No application with this client_id is known at this school.' }
  }
  if (platform.disabled) return switchedOff('administrator')
  return {
    kind: 'known',
    client: {
      clientId: platform.clientId,
      kind: 'vendor',
      audience: 'operator',
      name: platform.clientName,
      confidential: false,
      redirectUris: platform.redirectUris,
      scopes: SCOPES_OF_AUDIENCE.operator,
      reviewed: true,
      disabled: false,
      secretHash: undefined,
    },
  }
}

function switchedOff(switchedOffBy: SwitchedOffBy): AuthorizingClient {
  const why = {
    school: 'This application is switched off at this school.',
    administrator: 'The administrator of this server switched this platform off.',
  }[switchedOffBy]
  return { kind: 'refused', why, switchedOffBy }
}

/**
 * Gives the school its own row of a client that is new, or whose row was deleted, after an owner or
 * admin agreed to it. To keep a client out, the school disables it. A deleted row loses its review.
 * Scopes follow the review of the row as it is locked here: an operator may have changed it while
 * the metadata was fetched.
 */
export async function admitClient(db: SchoolDb, client: Client, by: AuditedActor): Promise<void> {
  if (client.clientId === EXPLORER_CLIENT_ID) await admitExplorerClient(db)
  if (client.kind === 'vendor') await admitVendorPlatform(db, client.clientId, by)
  if (client.kind === 'document') {
    const redirectUris = [...client.redirectUris]
    const unreviewed = sql`${UNREVIEWED_SCOPES.toArray()}::text[]`
    const reviewed = sql`${SCOPES_OF_AUDIENCE.operator.toArray()}::text[]`
    const scopes = sql`case when c.reviewed_at is not null and c.deleted_at is null
      then ${reviewed} else ${unreviewed} end`
    const upsert = sql`
      insert into clients as c (school_id, client_id, kind, audience, name, redirect_uris, scopes)
      values (${db.schoolId}, ${client.clientId}, 'document', 'operator', ${client.name},
        ${redirectUris}::text[], ${unreviewed})
      on conflict (school_id, client_id) do update
        set name = excluded.name, redirect_uris = excluded.redirect_uris, scopes = ${scopes},
          reviewed_at = case when c.deleted_at is null then c.reviewed_at end,
          reviewed_by = case when c.deleted_at is null then c.reviewed_by end,
          deleted_at = null
        where c.kind = 'document'
          and (c.name, c.redirect_uris, c.scopes, c.deleted_at)
              is distinct from (excluded.name, excluded.redirect_uris, ${scopes}, null)`
    await admitAudited(db, client, by, upsert)
  }
}
