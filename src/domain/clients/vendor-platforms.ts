import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { DB } from '../../foundation/db/schema.generated.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor/actor.ts'
import { admitAudited } from './client.ts'
import { EXPLORER_CLIENT_ID } from './explorer-client.ts'
import { SCOPES_OF_AUDIENCE } from './scope-catalogue.ts'

/** A known integration of this installation; every school shares it. */
interface VendorPlatform {
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

/**
 * Crosses schools. The name is matched exactly, as it was put on the list; a disabled one is not
 * known.
 */
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
  db: SchoolDb,
  clientId: string,
  by: AuditedActor,
): Promise<void> {
  // The lock lets a switch of the platform at the same moment either see the new row or be seen by
  // it.
  const upsert = sql`
    insert into clients as c (school_id, client_id, kind, audience, name, redirect_uris, scopes, reviewed_at,
      platform_disabled_at)
    select ${db.schoolId}, client_id, 'vendor', 'operator', client_name, redirect_uris,
      ${SCOPES_OF_AUDIENCE.operator.toArray()}::text[], now(), disabled_at
    from vendor_platforms where client_id = ${clientId} for share
    on conflict (school_id, client_id) do update
      set redirect_uris = excluded.redirect_uris, name = excluded.name, scopes = excluded.scopes,
        platform_disabled_at = excluded.platform_disabled_at, deleted_at = null
      where c.kind = 'vendor'
        and (c.redirect_uris, c.name, c.scopes, c.platform_disabled_at, c.deleted_at)
            is distinct from (excluded.redirect_uris, excluded.name, excluded.scopes,
                              excluded.platform_disabled_at, null)`
  await admitAudited(db, { clientId, kind: 'vendor' }, by, upsert)
}

interface ShippedPlatform {
  readonly clientId: string
  readonly clientName: string
  readonly redirectUris: readonly string[]
}

export interface ShippedPlatforms {
  /**
   * Raise it with every change of the list: only rows of an older version are brought up to date.
   */
  readonly version: number
  readonly platforms: readonly ShippedPlatform[]
}

/**
 * The platforms that every installation knows, each with its real redirect URIs and a loopback one
 * for development. Generic tools such as mcp-remote and the MCP Inspector are not platforms: any
 * program could use their name, so they sign in as a tool that the school made.
 */
export const SHIPPED_PLATFORMS: ShippedPlatforms = {
  version: 2,
  platforms: [
    {
      clientId: 'claude',
      clientName: 'Claude',
      redirectUris: [
        'https://claude.ai/api/mcp/auth_callback',
        'https://claude.com/api/mcp/auth_callback',
        'http://localhost/callback',
        'http://127.0.0.1/callback',
      ],
    },
    {
      clientId: 'chatgpt',
      clientName: 'ChatGPT',
      redirectUris: [
        'https://chatgpt.com/connector_platform_oauth_redirect',
        'http://127.0.0.1/callback',
      ],
    },
    {
      clientId: 'cursor',
      clientName: 'Cursor',
      redirectUris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost/callback',
        'http://127.0.0.1/callback',
      ],
    },
    {
      clientId: 'visual-studio-code',
      clientName: 'Visual Studio Code',
      redirectUris: [
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1/callback',
        'http://localhost/',
      ],
    },
  ],
}

interface ListedPlatform extends VendorPlatform {
  /**
   * `shipped` rows follow the list of the program; `changed` and `added` ones are the
   * administrator's.
   */
  readonly source: 'shipped' | 'changed' | 'added'
  readonly shippedVersion: number | undefined
}

/** Crosses schools: the platforms of this installation, by name. */
export async function listPlatforms(
  db: Db,
  { platforms }: ShippedPlatforms = SHIPPED_PLATFORMS,
): Promise<readonly ListedPlatform[]> {
  const shippedIds = new Set(platforms.map(({ clientId }) => clientId))
  const rows = await db
    .selectFrom('vendor_platforms')
    .select(['client_id', 'client_name', 'redirect_uris', 'disabled_at', 'shipped_version'])
    .orderBy('client_name')
    .execute()
  return rows.map((row) => ({
    clientId: row.client_id,
    clientName: row.client_name,
    redirectUris: row.redirect_uris,
    disabled: row.disabled_at !== null,
    source:
      row.shipped_version !== null
        ? 'shipped'
        : shippedIds.has(row.client_id)
          ? 'changed'
          : 'added',
    shippedVersion: row.shipped_version ?? undefined,
  }))
}

/**
 * Crosses schools: adds the shipped platforms that are missing, and brings rows of an older version
 * of the list up to date. A row that the administrator added or changed stays as it is, and so does
 * a disabled one. So does one of a newer version: an older process may start beside a newer one.
 * Returns the client_ids that were written.
 */
export async function fillPlatforms(
  db: Db,
  { version, platforms }: ShippedPlatforms = SHIPPED_PLATFORMS,
): Promise<readonly string[]> {
  return await changingPlatforms(db, async (tx) => {
    const written: string[] = []
    for (const { clientId, clientName, redirectUris } of platforms) {
      const { rows } = await sql<{ client_id: string }>`
        insert into vendor_platforms as p (client_id, client_name, redirect_uris, shipped_version)
        select ${clientId}, ${clientName}, ${[...redirectUris]}::text[], ${version}
        where not exists (select from vendor_platforms
                          where lower(client_name) = lower(${clientName}) and client_id <> ${clientId})
          and not ${isClientOfASchool(clientId)}
        on conflict (client_id) do update
          set client_name = excluded.client_name, redirect_uris = excluded.redirect_uris,
            shipped_version = excluded.shipped_version
          where p.shipped_version < excluded.shipped_version and p.disabled_at is null
        returning client_id`.execute(tx)
      written.push(...rows.map(({ client_id }) => client_id))
    }
    return written
  })
}

/**
 * Every change of the list, one at a time: processes that start together must not both add a row.
 */
export async function changingPlatforms<R>(
  db: Db,
  work: (tx: Transaction<DB>) => Promise<R>,
): Promise<R> {
  return await db.transaction().execute(async (tx) => {
    await sql`lock table vendor_platforms in share row exclusive mode`.execute(tx)
    return await work(tx)
  })
}

/**
 * Whether a school uses the id for a client that is not a platform. That school would keep its own
 * client, so a platform with this id would not work there. The id of the explorer is used by every
 * school.
 */
export function isClientOfASchool(clientId: string): RawBuilder<boolean> {
  return sql`(lower(${clientId}) = ${EXPLORER_CLIENT_ID} or exists (
    select from clients where lower(client_id) = lower(${clientId}) and kind <> 'vendor'))`
}
