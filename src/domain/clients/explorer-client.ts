import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

export const EXPLORER_CLIENT_ID = 'member-api-explorer'

const SCOPES = ['openid', 'account:read', 'account:write']

/**
 * The public application that the explorer of a school signs in with. It is a client like any other:
 * a school sees it in its list, and one that it disabled or deleted stays so. Only the redirect URI
 * follows the school when its origin moves.
 */
export async function admitExplorerClient(at: SchoolDb, redirectUri: string): Promise<void> {
  await at.run(sql`
    insert into clients as c (school_id, client_id, kind, audience, name, redirect_uris, scopes)
    values (${at.schoolId}, ${EXPLORER_CLIENT_ID}, 'application', 'member', 'Member API explorer',
      ${[redirectUri]}::text[], ${SCOPES}::text[])
    on conflict (school_id, client_id) do update set redirect_uris = excluded.redirect_uris
      where c.redirect_uris is distinct from excluded.redirect_uris`)
}
