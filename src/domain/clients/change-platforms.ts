import { sql, type Transaction } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor/actor.ts'
import {
  type AuditedChange,
  changeEntry,
  recordChange,
  recordForInstallation,
  whatChanged,
} from '../audit/audit.ts'
import { withdrawCodesOfClient } from '../grants/authorizations.ts'
import { invalid, OperationRefused } from '../operation/refusal.ts'
import { checkDetails } from './application-details.ts'
import { changingPlatforms, isClientOfASchool } from './vendor-platforms.ts'

interface PlatformDetails {
  readonly name: string
  readonly redirect_uris: readonly string[]
}

/** Crosses schools: lets a platform of this name register at every school. Throws refusals. */
export async function addPlatform(
  db: Db,
  { client_id, name, redirect_uris }: PlatformDetails & { readonly client_id: string },
  by: AuditedActor,
): Promise<void> {
  checkDetails({ client_id, name, redirect_uris }, { confidential: false })
  await changingPlatforms(db, async (tx) => {
    // So that no application with this id is added at the same time.
    await sql`lock table clients in share row exclusive mode`.execute(tx)
    await checkIdIsFree(tx, client_id)
    await checkNameIsFree(tx, client_id, name)
    await tx
      .insertInto('vendor_platforms')
      .values({ client_id, client_name: name.trim(), redirect_uris: [...new Set(redirect_uris)] })
      .execute()
    await recordPlatform(tx, by, {
      action: 'client.created',
      clientId: client_id,
      detail: { name, redirect_uris },
    })
  })
}

/**
 * Crosses schools: corrects a platform. Requests are checked against the new values at once. From
 * now on the row is the administrator's, and the shipped list no longer changes it. Throws
 * refusals.
 */
export async function changePlatform(
  db: Db,
  clientId: string,
  changes: Partial<PlatformDetails>,
  by: AuditedActor,
): Promise<void> {
  checkDetails(changes, { confidential: false })
  await changingPlatforms(db, async (tx) => {
    const { client_name, redirect_uris } = await findPlatform(tx, clientId)
    const before = { name: client_name, redirect_uris }
    if (changes.name !== undefined) await checkNameIsFree(tx, clientId, changes.name)
    const after = {
      name: changes.name?.trim() ?? client_name,
      redirect_uris: [...new Set(changes.redirect_uris ?? redirect_uris)],
    }
    await tx
      .updateTable('vendor_platforms')
      .set({
        client_name: after.name,
        redirect_uris: after.redirect_uris,
        shipped_version: null,
      })
      .where('client_id', '=', clientId)
      .execute()
    const detail = { ...whatChanged(before, after, Object.keys(after)) }
    await recordPlatform(tx, by, { action: 'client.changed', clientId, detail })
  })
}

/**
 * Crosses schools: switches a platform off or on at every school, with what a school's own switch
 * does: no registration, no new authorizations and tokens, and its access tokens are refused at
 * once; no authorization ends. Returns false if it was in this state before. Throws refusals.
 */
export async function switchPlatform(
  db: Db,
  clientId: string,
  status: 'on' | 'off',
  by: AuditedActor,
): Promise<boolean> {
  const disabled_at = status === 'on' ? null : sql<Date>`now()`
  return await changingPlatforms(db, async (tx) => {
    const before = await findPlatform(tx, clientId)
    if ((before.disabled_at !== null) === (status === 'off')) return false
    await tx
      .updateTable('vendor_platforms')
      .set({ disabled_at })
      .where('client_id', '=', clientId)
      .execute()
    const change: AuditedChange =
      status === 'off'
        ? { action: 'client.disabled', clientId, detail: { platform: true } }
        : { action: 'client.changed', clientId, detail: { platform: true, disabled: false } }
    for (const db of await schoolsWith(tx, clientId)) {
      if (status === 'off') await withdrawCodesOfClient(db, clientId)
      await db
        .update('clients')
        .set({ platform_disabled_at: disabled_at })
        .where('client_id', '=', clientId)
        .execute()
      await recordChange(db, by, change)
    }
    await recordPlatform(tx, by, change)
    return true
  })
}

async function findPlatform(tx: Transaction<DB>, clientId: string) {
  const row = await tx
    .selectFrom('vendor_platforms')
    .select(['client_name', 'redirect_uris', 'disabled_at'])
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  if (row === undefined) {
    const detail = `There is no platform ${clientId}. \`schoolgate platform list\` shows all.`
    throw new OperationRefused({ kind: 'not_found', detail })
  }
  return row
}

async function schoolsWith(tx: Transaction<DB>, clientId: string): Promise<readonly SchoolTx[]> {
  const rows = await tx
    .selectFrom('clients')
    .select('school_id')
    .where('client_id', '=', clientId)
    .where('kind', '=', 'vendor')
    .orderBy('school_id')
    .execute()
  return rows.map(({ school_id }) => atSchoolInTransaction(tx, school_id))
}

async function checkIdIsFree(tx: Transaction<DB>, clientId: string): Promise<void> {
  const { rows } = await sql<{ platform: boolean; client: boolean }>`
    select ${isClientOfASchool(clientId)} as client,
      exists (select from vendor_platforms where lower(client_id) = lower(${clientId})) as platform
  `.execute(tx)
  if (rows[0]?.platform) throw invalid('client_id', 'taken', 'Another platform has this id.')
  if (rows[0]?.client) {
    throw invalid('client_id', 'taken', 'A school has a client with this id. Choose another.')
  }
}

/** People tell platforms apart by their names, so letter case alone does not make a new one. */
async function checkNameIsFree(tx: Transaction<DB>, clientId: string, name: string): Promise<void> {
  const other = await tx
    .selectFrom('vendor_platforms')
    .select('client_id')
    .where(sql<boolean>`lower(client_name) = lower(${name.trim()})`)
    .where('client_id', '<>', clientId)
    .executeTakeFirst()
  if (other === undefined) return
  throw invalid(
    'name',
    'taken',
    `The platform ${other.client_id} has this name, perhaps in other letter case.`,
  )
}

async function recordPlatform(
  tx: Transaction<DB>,
  by: AuditedActor,
  change: AuditedChange,
): Promise<void> {
  await recordForInstallation(tx, changeEntry(by, change))
}
