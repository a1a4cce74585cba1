import { sql } from 'kysely'
import { randomSecret, uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { type MintedToken, mintToken } from '../../foundation/protocol/token-format.ts'
import type { AuditedActor } from '../actor.ts'
import { recordChange } from '../audit/record-change.ts'
import { endAuthorizationsOfClient } from '../grants/authorizations.ts'
import { withdrawCodesOfClient } from '../grants/withdraw-codes.ts'
import {
  type ApplicationDetails,
  type DetailProblem,
  detailProblems,
} from './application-details.ts'

export interface NewApplication extends ApplicationDetails {
  readonly confidential: boolean
  /** Chosen for the caller unless given. */
  readonly clientId?: string | undefined
}

type Refusal =
  | { readonly kind: 'invalid'; readonly problems: readonly DetailProblem[] }
  | { readonly kind: 'unknown' }

/**
 * Makes a member application. A confidential one gets its secret here, the only time it is seen;
 * stored is its hash. The id of a deleted application stays taken, so that nobody inherits its name.
 */
export async function createApplication(
  tx: SchoolTx,
  fresh: NewApplication,
  by: AuditedActor,
): Promise<
  | {
      readonly kind: 'created'
      readonly clientId: string
      readonly secret: string | undefined
    }
  | { readonly kind: 'taken' }
  | Exclude<Refusal, { kind: 'unknown' }>
> {
  const problems = detailProblems(fresh, fresh)
  if (problems.length > 0) return { kind: 'invalid', problems }
  const clientId = fresh.clientId ?? `app-${randomSecret(9).toString('hex')}`
  if (await isVendorPlatform(tx, clientId)) return { kind: 'taken' }
  const secret = fresh.confidential ? newSecret() : undefined
  const details = columnsOf(fresh) as Required<Columns>
  const row = await tx
    .insert('clients', {
      client_id: clientId,
      kind: 'application',
      audience: 'member',
      ...details,
      confidential: fresh.confidential,
      secret_hash: secret?.hash ?? null,
      created_by: by.userId ?? null,
    })
    .onConflict((conflict) => conflict.columns(['school_id', 'client_id']).doNothing())
    .returning('client_id')
    .executeTakeFirst()
  if (row === undefined) return { kind: 'taken' }
  await recordChange(tx, by, {
    action: 'client.created',
    clientId,
    detail: { ...details, confidential: fresh.confidential },
  })
  return { kind: 'created', clientId, secret: secret?.value }
}

/** An application of the same id would answer for the platform, and with other redirect URIs. */
async function isVendorPlatform(tx: SchoolTx, clientId: string): Promise<boolean> {
  const { rows } = await tx.run(
    sql`select from vendor_platforms where lower(client_id) = ${clientId.toLowerCase()}`,
  )
  return rows.length > 0
}

/**
 * Changes what is given. People who already agreed keep what they agreed to; whoever wants that gone
 * as well deletes the application.
 */
export async function changeApplication(
  tx: SchoolTx,
  clientId: string,
  changes: Partial<ApplicationDetails>,
  by: AuditedActor,
): Promise<{ readonly kind: 'changed' } | Refusal> {
  const application = await lockApplication(tx, clientId)
  if (application === undefined) return { kind: 'unknown' }
  const problems = detailProblems(changes, application)
  if (problems.length > 0) return { kind: 'invalid', problems }
  const columns = columnsOf(changes)
  if (Object.keys(columns).length === 0) return { kind: 'changed' }
  await tx.update('clients').set(columns).where('client_id', '=', clientId).execute()
  await recordChange(tx, by, { action: 'client.changed', clientId, detail: { ...columns } })
  return { kind: 'changed' }
}

/** Replaces the secret of a confidential application; the old one stops working at once. */
export async function rotateSecret(
  tx: SchoolTx,
  clientId: string,
  by: AuditedActor,
): Promise<
  | { readonly kind: 'rotated'; readonly secret: string }
  | { readonly kind: 'public' }
  | { readonly kind: 'unknown' }
> {
  const application = await lockApplication(tx, clientId)
  if (application === undefined) return { kind: 'unknown' }
  if (!application.confidential) return { kind: 'public' }
  const secret = newSecret()
  await tx
    .update('clients')
    .set({ secret_hash: secret.hash, secret_rotated_at: sql<Date>`now()` })
    .where('client_id', '=', clientId)
    .execute()
  await recordChange(tx, by, { action: 'client.secret_rotated', clientId })
  return { kind: 'rotated', secret: secret.value }
}

/** Removes an application and ends everything people had given it; says how many they were. */
export async function deleteApplication(
  tx: SchoolTx,
  clientId: string,
  by: AuditedActor,
): Promise<{ readonly kind: 'deleted'; readonly people: number } | { readonly kind: 'unknown' }> {
  // Codes first: an exchange that already holds its code then finishes before we look for what it
  // opened, and one that comes later finds no code. The other way round they would wait for each other.
  await withdrawCodesOfClient(tx, clientId)
  if ((await lockApplication(tx, clientId)) === undefined) return { kind: 'unknown' }
  await tx
    .update('clients')
    .set({ deleted_at: sql<Date>`now()` })
    .where('client_id', '=', clientId)
    .execute()
  const people = await endAuthorizationsOfClient(tx, clientId)
  await recordChange(tx, by, { action: 'client.deleted', clientId, detail: { people } })
  return { kind: 'deleted', people }
}

async function lockApplication(
  tx: SchoolTx,
  clientId: string,
): Promise<{ readonly confidential: boolean } | undefined> {
  return await tx
    .from('clients')
    .select('confidential')
    .where('client_id', '=', clientId)
    .where('kind', '=', 'application')
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

function newSecret(): MintedToken {
  return mintToken('clientSecret', uuidv7())
}

interface Columns {
  name?: string
  redirect_uris?: string[]
  scopes?: string[]
}

function columnsOf({ name, redirectUris, scopes }: Partial<ApplicationDetails>): Columns {
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(redirectUris === undefined ? {} : { redirect_uris: [...new Set(redirectUris)] }),
    ...(scopes === undefined ? {} : { scopes: ScopeSet.of(scopes).toArray() }),
  }
}
