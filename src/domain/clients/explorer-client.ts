import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { School } from '../schools/school.ts'
import { type Client, findClient } from './client.ts'

/**
 * The public application that the explorer of a school signs in with. It is built in: it exists
 * while the beta feature "MCP connections" is on, and a school can switch it off but not change or
 * delete it. Like a vendor platform it gets the school's own row with the first consent, so that
 * looking at the page writes nothing.
 */
export const EXPLORER_CLIENT_ID = 'member-api-explorer'
export const EXPLORER_PATH = '/member/explorer'

const NAME = 'Member API explorer'
const SCOPES = ScopeSet.of(['openid', 'account:read', 'account:write'])

export function explorerClient(school: School): Client | undefined {
  return school.mcpConnections ? explorerAt(school.origin) : undefined
}

export function explorerAt(origin: string): Client {
  return {
    clientId: EXPLORER_CLIENT_ID,
    kind: 'application',
    audience: 'member',
    name: NAME,
    confidential: false,
    redirectUris: [origin + EXPLORER_PATH],
    scopes: SCOPES,
    reviewed: true,
    disabled: false,
    secretHash: undefined,
  }
}

export type ExplorerState = 'on' | 'beta_off' | 'switched_off'

export async function explorerState(db: SchoolDb, school: School): Promise<ExplorerState> {
  if (!school.mcpConnections) return 'beta_off'
  const own = await findClient(db, EXPLORER_CLIENT_ID)
  return own?.disabled ? 'switched_off' : 'on'
}

/**
 * Its redirect URI follows the school when the origin moves. Does nothing without the beta feature.
 * No audit entry: it was there before its row, and no person added or changed it.
 */
export async function admitExplorerClient(db: SchoolDb): Promise<void> {
  await db.run(sql`
    insert into clients as c (school_id, client_id, kind, audience, name, redirect_uris, scopes)
    select s.id, ${EXPLORER_CLIENT_ID}, 'application', 'member', ${NAME},
      array[s.origin || ${EXPLORER_PATH}], ${SCOPES.toArray()}::text[]
    from schools s where s.id = ${db.schoolId} and s.mcp_connections
    on conflict (school_id, client_id) do update set redirect_uris = excluded.redirect_uris
      where c.redirect_uris is distinct from excluded.redirect_uris`)
}
