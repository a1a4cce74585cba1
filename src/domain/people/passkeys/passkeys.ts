import { sql } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import {
  acrossSchools,
  atSchoolInTransaction,
  type SchoolDb,
  type SchoolTx,
} from '../../../foundation/db/school-db.ts'
import type { AuditedActor } from '../../actor/actor.ts'
import { record, recordChange } from '../../audit/audit.ts'
import { queueNotice } from '../notices.ts'
import type { Person } from '../person.ts'

/** How many a person has at one school. */
export const MOST_PASSKEYS = 20
export const LONGEST_NAME = 100

export interface Passkey {
  readonly id: string
  readonly credentialId: Buffer
  readonly transports: readonly string[]
  readonly name: string
  /** Whether it is kept by a service and may be on several devices. */
  readonly isSynced: boolean
  readonly isCloned: boolean
  readonly createdAt: Date
  readonly lastUsedAt: Date | undefined
}

export interface PasskeysOfPerson {
  /** How devices name the person at this school; undefined before the first passkey. */
  readonly handle: Buffer | undefined
  /** The oldest first. */
  readonly passkeys: readonly Passkey[]
}

interface PasskeyRow {
  handle: Buffer
  id: string | null
  credential_id: Buffer
  transports: string[]
  name: string
  backed_up: boolean
  cloned_at: Date | null
  created_at: Date
  last_used_at: Date | null
}

export async function passkeysOf(db: SchoolDb, userId: string): Promise<PasskeysOfPerson> {
  const { rows } = await db.run(sql<PasskeyRow>`
    select h.handle, p.id, p.credential_id, p.transports, p.name, p.backed_up, p.cloned_at, p.created_at, p.last_used_at
    from passkey_handles h left join passkeys p on p.school_id = h.school_id and p.user_id = h.user_id
    where h.school_id = ${db.schoolId} and h.user_id = ${userId}
    order by p.created_at, p.id`)
  return {
    handle: rows[0]?.handle,
    passkeys: rows.flatMap((row) => (row.id === null ? [] : passkeyFrom({ ...row, id: row.id }))),
  }
}

function passkeyFrom(row: PasskeyRow & { id: string }): Passkey {
  return {
    id: row.id,
    credentialId: row.credential_id,
    transports: row.transports,
    name: row.name,
    isSynced: row.backed_up,
    isCloned: row.cloned_at !== null,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }
}

/** A name that a person typed, or else how the passkey is called without one. */
export function passkeyName(typed: string | undefined, otherwise: string): string {
  const name = (typed ?? '').replaceAll('\0', '').trim().slice(0, LONGEST_NAME).trim()
  return name || otherwise.slice(0, LONGEST_NAME) || 'Passkey'
}

interface OneOfMine {
  readonly person: Pick<Person, 'id' | 'email'>
  readonly id: string
  readonly requestId: string
}

/** False if the person has no such passkey here. */
export async function renamePasskey(
  db: SchoolDb,
  { person: { id: userId }, id, requestId }: OneOfMine,
  name: string,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const renamed = await tx
      .update('passkeys')
      .set({ name })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (renamed.numUpdatedRows === 0n) return false
    const entry = { action: 'passkey.renamed', outcome: 'ok', subject: id } as const
    await record(tx, { ...entry, actorUserId: userId, requestId })
    return true
  })
}

export type Removal = 'removed' | 'unknown' | 'last_way_in'

/**
 * Removes a passkey of the person who asks, and tells them. Refused if nothing else signs them in
 * here: passkeys of other schools do not work at this origin.
 */
export async function removePasskey(
  db: SchoolDb,
  { person, id, requestId, device }: OneOfMine & { readonly device: string },
): Promise<Removal> {
  const userId = person.id
  return await db.transaction(async (tx) => {
    await lockPasskeysOf(tx, userId)
    const found = await tx
      .from('passkeys')
      .select(hasOtherWayIn(tx, userId, id).as('other'))
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (found === undefined) return 'unknown'
    if (!found.other) return 'last_way_in'
    await tx.delete('passkeys').where('id', '=', id).execute()
    const entry = { action: 'passkey.removed', outcome: 'ok', subject: id } as const
    await record(tx, { ...entry, actorUserId: userId, requestId })
    await queueNotice(tx, 'passkey_removed', person, { device })
    return 'removed'
  })
}

function hasOtherWayIn(tx: SchoolTx, userId: string, id: string) {
  return sql<boolean>`(
    exists (select from users u where u.id = ${userId} and u.password_hash is not null)
    or exists (
      select from passkeys other
      where other.school_id = ${tx.schoolId} and other.user_id = ${userId} and other.id <> ${id}
        and other.cloned_at is null))`
}

/** What adds or removes passkeys of a person at a school waits for one another. */
export async function lockPasskeysOf(tx: SchoolTx, userId: string): Promise<void> {
  await acrossSchools(tx)
    .selectFrom('passkey_handles')
    .select('user_id')
    .where('school_id', '=', tx.schoolId)
    .where('user_id', '=', userId)
    .forUpdate()
    .execute()
}

/** A passkey of a person, as the administrator of the installation sees it. */
export interface ListedPasskey {
  readonly id: string
  readonly school: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly isSynced: boolean
  readonly isCloned: boolean
}

/** Crosses schools: every passkey of a person, by school and age. */
export async function listPasskeys(db: Db, userId: string): Promise<readonly ListedPasskey[]> {
  const rows = await db
    .selectFrom('passkeys')
    .innerJoin('schools', 'schools.id', 'passkeys.school_id')
    .select(['passkeys.id', 'schools.subdomain', 'passkeys.name', 'passkeys.created_at'])
    .select(['passkeys.last_used_at', 'passkeys.backed_up', 'passkeys.cloned_at'])
    .where('passkeys.user_id', '=', userId)
    .orderBy('schools.subdomain')
    .orderBy('passkeys.created_at')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    school: row.subdomain,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    isSynced: row.backed_up,
    isCloned: row.cloned_at !== null,
  }))
}

/**
 * Crosses schools: removes one of them, also the last one, and tells the person. False if the
 * person has no such passkey.
 */
export async function removePasskeyFor(
  db: Db,
  person: Pick<Person, 'id' | 'email'>,
  id: string,
  reason: string,
  by: AuditedActor,
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const removed = await tx
      .deleteFrom('passkeys')
      .where('user_id', '=', person.id)
      .where('id', '=', id)
      .returning('school_id')
      .executeTakeFirst()
    if (removed === undefined) return false
    const detail = { reason, person: person.id }
    const change = { action: 'passkey.removed', subject: id, detail } as const
    const db = atSchoolInTransaction(tx, removed.school_id)
    await recordChange(db, by, change)
    await queueNotice(db, 'passkey_removed', person)
    return true
  })
}
