import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import { EXPLORER_CLIENT_ID } from '../explorer-client.ts'
import { SHIPPED_PLATFORMS, type ShippedPlatforms } from './shipped-platforms.ts'
import type { VendorPlatform } from './vendor-platforms.ts'

interface ListedPlatform extends VendorPlatform {
  /** `shipped` rows follow the list of the program; `changed` and `added` ones are the administrator's. */
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
 * Crosses schools: adds the shipped platforms that are missing, and brings rows of an older version of the
 * list up to date. A row that the administrator added or changed stays as it is, and so does a disabled one.
 * So does one of a newer version: an older process may start beside a newer one. Returns the client_ids that
 * were written.
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

/** Every change of the list, one at a time: processes that start together must not both add a row. */
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
 * Whether a school uses the id for a client that is not a platform. That school would keep its own client,
 * so a platform with this id would not work there. The id of the explorer is used by every school.
 */
export function isClientOfASchool(clientId: string): RawBuilder<boolean> {
  return sql`(lower(${clientId}) = ${EXPLORER_CLIENT_ID} or exists (
    select from clients where lower(client_id) = lower(${clientId}) and kind <> 'vendor'))`
}
