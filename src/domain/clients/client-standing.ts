import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { recordChange } from '../audit/record-change.ts'
import { withdrawCodesOfClient } from '../grants/withdraw-codes.ts'
import { SCOPES_OF_AUDIENCE } from './scope-catalogue.ts'
import { admitVendorPlatform } from './vendor-platforms.ts'

export type StandingChange =
  | { readonly kind: 'changed' }
  /** It was so already. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'unknown' }

/**
 * Switches a client of any kind off at this school alone. It gets no new authorization and no new
 * tokens, and access tokens that it holds are refused at once. Nothing is ended: switched on again,
 * it goes on with what it has. Deleting is what ends that as well.
 */
export async function disableClient(
  tx: SchoolTx,
  clientId: string,
  by: AuditedActor,
): Promise<StandingChange> {
  // Before the client is locked, for an exchange in flight holds its code and then needs the client.
  // A code that stayed would work again if the client were switched on within its lifetime.
  await withdrawCodesOfClient(tx, clientId)
  // A platform may be switched off before anybody here has authorized it.
  await admitVendorPlatform(tx, clientId, by)
  const client = await lockClient(tx, clientId)
  if (client === undefined) return { kind: 'unknown' }
  if (client.disabled_at !== null) return { kind: 'unchanged' }
  await tx
    .update('clients')
    .set({ disabled_at: sql<Date>`now()` })
    .where('client_id', '=', clientId)
    .execute()
  await recordChange(tx, by, { action: 'client.disabled', clientId })
  return { kind: 'changed' }
}

export async function enableClient(
  tx: SchoolTx,
  clientId: string,
  by: AuditedActor,
): Promise<StandingChange> {
  const client = await lockClient(tx, clientId)
  if (client === undefined) return { kind: 'unknown' }
  if (client.disabled_at === null) return { kind: 'unchanged' }
  await tx.update('clients').set({ disabled_at: null }).where('client_id', '=', clientId).execute()
  await recordChange(tx, by, { action: 'client.changed', clientId, detail: { disabled: false } })
  return { kind: 'changed' }
}

/** An operator looked at the document behind a client: from now on it may ask for write scopes. */
export async function reviewDocumentClient(
  tx: SchoolTx,
  clientId: string,
  by: AuditedActor,
): Promise<StandingChange | { readonly kind: 'no_document' }> {
  const client = await lockClient(tx, clientId)
  if (client === undefined) return { kind: 'unknown' }
  if (client.kind !== 'document') return { kind: 'no_document' }
  if (client.reviewed_at !== null) return { kind: 'unchanged' }
  await tx
    .update('clients')
    .set({
      reviewed_at: sql<Date>`now()`,
      reviewed_by: by.userId ?? null,
      scopes: SCOPES_OF_AUDIENCE.operator.toArray(),
    })
    .where('client_id', '=', clientId)
    .execute()
  await recordChange(tx, by, { action: 'client.reviewed', clientId })
  return { kind: 'changed' }
}

async function lockClient(tx: SchoolTx, clientId: string) {
  return await tx
    .from('clients')
    .select(['kind', 'disabled_at', 'reviewed_at'])
    .where('client_id', '=', clientId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}
