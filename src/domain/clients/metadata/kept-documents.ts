import { sql } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import { LAST_GOOD_COPY_DAYS } from './cache-lifetime.ts'
import type { ClientMetadata } from './client-metadata.ts'

/** The last good copy of a document. */
export interface KeptDocument {
  readonly document: ClientMetadata
  /** Used without asking its host, as long as its headers allowed. */
  readonly fresh: boolean
  /** Used if its host fails. */
  readonly usable: boolean
}

/** Crosses schools: all of them share the copy. */
export async function findKeptDocument(db: Db, url: string): Promise<KeptDocument | undefined> {
  const row = await db
    .selectFrom('client_documents')
    .select([
      'document',
      sql<boolean>`expires_at > now()`.as('fresh'),
      sql<boolean>`fetched_at > now() - make_interval(days => ${LAST_GOOD_COPY_DAYS})`.as('usable'),
    ])
    .where('url', '=', url)
    .where('document', 'is not', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { ...row, document: row.document as ClientMetadata }
}

/** Replaces the copy. Only a document that was accepted gets here, so no failure replaces one. */
export async function keepDocument(
  db: Db,
  url: string,
  document: ClientMetadata,
  lifetimeSeconds: number,
): Promise<void> {
  const kept = {
    document: JSON.stringify(document),
    failure: null,
    fetched_at: sql<Date>`now()`,
    expires_at: sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`,
  }
  await db
    .insertInto('client_documents')
    .values({ url, ...kept })
    .onConflict((conflict) => conflict.column('url').doUpdateSet(kept))
    .execute()
}
