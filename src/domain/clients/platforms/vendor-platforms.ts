import { sql } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { AuditedActor } from '../../actor.ts'
import { admitAudited } from '../audited-admission.ts'
import { SCOPES_OF_AUDIENCE } from '../scope-catalogue.ts'

/** A known integration of this installation; every school shares it. */
export interface VendorPlatform {
  readonly clientId: string
  readonly clientName: string
  readonly redirectUris: readonly string[]
  /** The administrator switched it off at every school. */
  readonly disabled: boolean
}

/** Crosses schools. */
export async function findVendorPlatform(
  db: Db,
  clientId: string,
): Promise<VendorPlatform | undefined> {
  return await readPlatform(db, 'client_id', clientId)
}

/** Crosses schools. The name is matched exactly, as it was put on the list; a disabled one is not known. */
export async function findVendorPlatformByName(
  db: Db,
  clientName: string,
): Promise<VendorPlatform | undefined> {
  const platform = await readPlatform(db, 'client_name', clientName)
  return platform?.disabled ? undefined : platform
}

async function readPlatform(
  db: Db,
  column: 'client_id' | 'client_name',
  value: string,
): Promise<VendorPlatform | undefined> {
  const row = await db
    .selectFrom('vendor_platforms')
    .select(['client_id', 'client_name', 'redirect_uris', 'disabled_at'])
    .where(column, '=', value)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    clientId: row.client_id,
    clientName: row.client_name,
    redirectUris: row.redirect_uris,
    disabled: row.disabled_at !== null,
  }
}

/** More than an error description can show. */
const NAMES_SHOWN = 50

/** Crosses schools: the names that registration accepts. Read only to refuse another name. */
export async function knownPlatformNames(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('vendor_platforms')
    .select('client_name')
    .where('disabled_at', 'is', null)
    .orderBy('client_name')
    .limit(NAMES_SHOWN)
    .execute()
  return rows.map((row) => row.client_name)
}

/**
 * Gives the school its own row of a vendor platform, or brings the one it has up to the list, a
 * deleted one too, so that foreign keys, review and disabling work like for any other client. Does
 * nothing for a client_id that is no platform's.
 */
export async function admitVendorPlatform(
  at: SchoolDb,
  clientId: string,
  by: AuditedActor,
): Promise<void> {
  // The lock lets a switch of the platform at the same moment either see the new row or be seen by it.
  const upsert = sql`
    insert into clients as c (school_id, client_id, kind, audience, name, redirect_uris, scopes, reviewed_at,
      platform_disabled_at)
    select ${at.schoolId}, client_id, 'vendor', 'operator', client_name, redirect_uris,
      ${SCOPES_OF_AUDIENCE.operator.toArray()}::text[], now(), disabled_at
    from vendor_platforms where client_id = ${clientId} for share
    on conflict (school_id, client_id) do update
      set redirect_uris = excluded.redirect_uris, name = excluded.name, scopes = excluded.scopes,
        platform_disabled_at = excluded.platform_disabled_at, deleted_at = null
      where c.kind = 'vendor'
        and (c.redirect_uris, c.name, c.scopes, c.platform_disabled_at, c.deleted_at)
            is distinct from (excluded.redirect_uris, excluded.name, excluded.scopes,
                              excluded.platform_disabled_at, null)`
  await admitAudited(at, { clientId, kind: 'vendor' }, by, upsert)
}
