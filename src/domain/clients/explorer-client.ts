import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { AuditedActor } from '../actor.ts'
import type { School } from '../schools/school.ts'
import { admitAudited } from './audited-admission.ts'
import type { Client } from './client.ts'

export const EXPLORER_CLIENT_ID = 'member-api-explorer'
export const EXPLORER_PATH = '/member/explorer'

const SCOPES = ScopeSet.of(['openid', 'account:read', 'account:write'])

/**
 * The public application that the explorer of a school signs in with. Like a vendor platform it gets
 * the school's own row with the first consent, so that looking at the page writes nothing; a school
 * sees it in its list, and one that it disabled or deleted stays so.
 */
export async function findExplorerClient(
  at: SchoolDb,
  school: School,
): Promise<Client | undefined> {
  const gone = await at
    .from('clients')
    .select('client_id')
    .where('client_id', '=', EXPLORER_CLIENT_ID)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (gone !== undefined) return undefined
  return {
    clientId: EXPLORER_CLIENT_ID,
    kind: 'application',
    audience: 'member',
    name: 'Member API explorer',
    confidential: false,
    redirectUris: [school.origin + EXPLORER_PATH],
    scopes: SCOPES,
    reviewed: true,
    disabled: false,
    secretHash: undefined,
  }
}

/** Its redirect URI follows the school when the origin moves. */
export async function admitExplorerClient(
  at: SchoolDb,
  client: Client,
  by: AuditedActor,
): Promise<void> {
  const upsert = sql`
    insert into clients as c (school_id, client_id, kind, audience, name, redirect_uris, scopes)
    values (${at.schoolId}, ${EXPLORER_CLIENT_ID}, 'application', 'member', ${client.name},
      ${[...client.redirectUris]}::text[], ${client.scopes.toArray()}::text[])
    on conflict (school_id, client_id) do update set redirect_uris = excluded.redirect_uris
      where c.redirect_uris is distinct from excluded.redirect_uris`
  await admitAudited(at, client, by, upsert)
}
