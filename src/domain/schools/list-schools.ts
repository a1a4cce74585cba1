import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolVariant } from './school.ts'

export interface ListedSchool {
  readonly id: string
  readonly subdomain: string
  readonly origin: string
  readonly name: string
  readonly variant: SchoolVariant
  readonly mcpConnections: boolean
  readonly openRegistration: boolean
  readonly documentHosts: readonly string[]
  readonly signsIdTokens: boolean
  readonly createdAt: Date
}

/** Crosses schools: all that were not deleted, by subdomain. */
export async function listSchools(db: Db): Promise<readonly ListedSchool[]> {
  return await selectListed(db, sql`true`)
}

/** Crosses schools: the school with this subdomain, origin or id. */
export async function findSchoolNamed(db: Db, name: string): Promise<ListedSchool | undefined> {
  const named = sql`${name.trim().toLowerCase()} in (s.subdomain, s.origin, s.id::text)`
  return (await selectListed(db, named))[0]
}

async function selectListed(
  db: Db,
  condition: ReturnType<typeof sql>,
): Promise<readonly ListedSchool[]> {
  const { rows } = await sql<ListedSchool>`
    select s.id, s.subdomain, s.origin, s.name, s.variant, s.mcp_connections as "mcpConnections",
      s.open_registration as "openRegistration", s.document_hosts as "documentHosts",
      exists (select from signing_keys k where k.school_id = s.id and k.stage = 'active') as "signsIdTokens",
      s.created_at as "createdAt"
    from schools s where s.deleted_at is null and ${condition} order by s.subdomain collate "C"`.execute(
    db,
  )
  return rows
}
