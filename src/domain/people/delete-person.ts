import { sql, type Transaction } from 'kysely'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { recordForInstallation } from '../audit/audit.ts'
import { changeEntry, recordChange } from '../audit/record-change.ts'
import { endAuthorizationsOfPerson } from '../grants/authorizations.ts'
import { endSessionsOfPerson } from './sessions.ts'

export type PersonDeletion =
  | {
      readonly kind: 'deleted'
      readonly schools: number
      readonly sessions: number
      readonly authorizations: number
    }
  | { readonly kind: 'unknown' }
  /** These schools would be left without anybody to run them. */
  | { readonly kind: 'last_owner'; readonly schools: readonly string[] }

/** What stands where a name stood; the row stays, because payments have to keep their owner. */
const NAME_OF_THE_GONE = 'Deleted person'

/**
 * Crosses schools: a person who goes is gone everywhere. Email, name, picture and password are
 * erased, roles, sessions and connected apps end, and what was paid stays on record.
 */
export async function deletePerson(
  tx: Transaction<DB>,
  userId: string,
  options: { readonly force: boolean },
  by: AuditedActor,
): Promise<PersonDeletion> {
  const person = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (person === undefined) return { kind: 'unknown' }
  const orphaned = await schoolsOwnedAlone(tx, userId)
  if (orphaned.length > 0 && !options.force) return { kind: 'last_owner', schools: orphaned }
  const schools = await leaveEverySchool(tx, userId, by)
  const sessions = await endSessionsOfPerson(tx, userId)
  await tx.deleteFrom('password_resets').where('user_id', '=', userId).execute()
  const authorizations = await endAuthorizationsOfPerson(tx, userId)
  await tx
    .updateTable('users')
    .set({
      email: null,
      name: NAME_OF_THE_GONE,
      avatar_url: null,
      password_hash: null,
      password_changed_at: null,
      deleted_at: sql<Date>`now()`,
    })
    .where('id', '=', userId)
    .execute()
  const detail = { schools, sessions, authorizations }
  await recordForInstallation(
    tx,
    changeEntry(by, { action: 'person.deleted', subject: userId, detail }),
  )
  return { kind: 'deleted', ...detail }
}

/** Locked in one order, so that of two owners who leave at the same time one is told. */
async function schoolsOwnedAlone(tx: Transaction<DB>, userId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ subdomain: string; user_id: string }>`
    select s.subdomain, m.user_id from school_members m join schools s on s.id = m.school_id
    where 'owner' = any (m.roles) and m.school_id in (
      select school_id from school_members where user_id = ${userId} and 'owner' = any (roles))
    order by m.school_id, m.user_id for no key update of m`.execute(tx)
  const others = new Set(rows.flatMap((row) => (row.user_id === userId ? [] : row.subdomain)))
  const owned = rows.flatMap((row) => (row.user_id === userId ? row.subdomain : []))
  return owned.filter((subdomain) => !others.has(subdomain))
}

async function leaveEverySchool(
  tx: Transaction<DB>,
  userId: string,
  by: AuditedActor,
): Promise<number> {
  const left = await tx
    .updateTable('school_members')
    .set({ roles: [] })
    .where('user_id', '=', userId)
    .where(sql<boolean>`roles <> '{}'`)
    .returning('school_id')
    .execute()
  for (const { school_id } of left) {
    const at = atSchoolInTransaction(tx, school_id)
    const detail = { after: [] }
    await recordChange(at, by, { action: 'member.roles_changed', subject: userId, detail })
  }
  return left.length
}
