import type { Db } from '../../../foundation/db/database.ts'
import { atSchoolInTransaction } from '../../../foundation/db/school-db.ts'
import type { AuditedActor } from '../../actor.ts'
import { recordChange } from '../../audit/record-change.ts'
import { queueNotice } from '../notices.ts'
import type { Person } from '../person.ts'

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

/** Crosses schools: removes one of them, also the last one, and tells the person. False if the person has no such passkey. */
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
    const at = atSchoolInTransaction(tx, removed.school_id)
    await recordChange(at, by, change)
    await queueNotice(at, 'passkey_removed', person)
    return true
  })
}
