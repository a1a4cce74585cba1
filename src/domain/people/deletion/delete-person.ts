import { sql, type Transaction } from 'kysely'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction } from '../../../foundation/db/school-db.ts'
import { type AuditedActor, holdsInSql, type Role } from '../../actor/actor.ts'
import { changeEntry, recordChange, recordForInstallation } from '../../audit/audit.ts'
import { endAuthorizationsOfPerson } from '../../grants/authorizations.ts'
import { conflict, notFound } from '../../operation/refusal.ts'
import { rolesChanged } from '../member-roles.ts'
import { leavePictures } from '../profile.ts'
import { endSessionsOfPerson } from '../sessions.ts'
import { beginForgetting } from './leave-school.ts'

export interface EndedWithPerson {
  readonly schools: number
  readonly sessions: number
  readonly authorizations: number
}

/** The name of a deleted person; the row stays, because payments refer to it. */
const DELETED_NAME = 'Deleted person'

/**
 * Crosses schools: deletes a person everywhere and returns how much ended. Erases email, name,
 * picture, password and passkeys, ends roles, sessions and connected apps, and keeps payments; jobs
 * remove what each school knows. Not an operation, because
 * operations are performed at a school; it throws the same refusals.
 */
export async function deletePerson(
  tx: Transaction<DB>,
  userId: string,
  options: { readonly force: boolean },
  by: AuditedActor,
): Promise<EndedWithPerson> {
  const person = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (person === undefined) throw notFound('person')
  // Before the memberships, in the order of locks (docs/architecture.md).
  const sessions = await endSessionsOfPerson(tx, userId)
  const orphaned = await schoolsOwnedAlone(tx, userId)
  if (orphaned.length > 0 && !options.force) {
    throw conflict('last_owner', `This person is the only owner of ${orphaned.join(', ')}.`)
  }
  const { schools, ended } = await leaveEverySchool(tx, userId, by)
  await forgetEverywhere(tx, userId, by)
  await tx.deleteFrom('authenticators').where('user_id', '=', userId).execute()
  await leavePictures(tx, userId)
  await tx.deleteFrom('password_resets').where('user_id', '=', userId).execute()
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute()
  await tx.deleteFrom('passkey_handles').where('user_id', '=', userId).execute()
  await tx.deleteFrom('notice_links').where('user_id', '=', userId).execute()
  await tx.deleteFrom('email_changes').where('user_id', '=', userId).execute()
  await tx.deleteFrom('lost_factors').where('user_id', '=', userId).execute()
  const authorizations = ended + (await endAuthorizationsOfPerson(tx, userId)).length
  await tx
    .updateTable('users')
    .set({
      email: null,
      name: DELETED_NAME,
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
  return detail
}

/** Locks owners in a fixed order, so that if two owners leave at the same time, one is refused. */
export async function schoolsOwnedAlone(
  tx: Transaction<DB>,
  userId: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ subdomain: string; user_id: string }>`
    select s.subdomain, m.user_id from school_members m join schools s on s.id = m.school_id
    where ${holdsInSql('owner', sql`m.roles`)} and m.school_id in (
      select school_id from school_members where user_id = ${userId} and 'owner' = any (roles))
    order by m.school_id, m.user_id for no key update of m`.execute(tx)
  const others = new Set(rows.flatMap((row) => (row.user_id === userId ? [] : row.subdomain)))
  const owned = rows.flatMap((row) => (row.user_id === userId ? row.subdomain : []))
  return owned.filter((subdomain) => !others.has(subdomain))
}

/** Returns the number of schools, and of the operator authorizations that ended there. */
async function leaveEverySchool(
  tx: Transaction<DB>,
  userId: string,
  by: AuditedActor,
): Promise<{ readonly schools: number; readonly ended: number }> {
  // RETURNING knows the row after the update; the subquery has the roles that the person held.
  const { rows: left } = await sql<{ school_id: string; before: Role[] }>`
    update school_members m set roles = '{}'
    from (select school_id, user_id, roles from school_members
          where user_id = ${userId} and roles <> '{}' for no key update) old
    where m.school_id = old.school_id and m.user_id = old.user_id
    returning m.school_id, old.roles as before`.execute(tx)
  let ended = 0
  for (const { school_id, before } of left) {
    const db = atSchoolInTransaction(tx, school_id)
    ended += await rolesChanged(db, [{ userId, before, after: [] }], by)
    const detail = { before, after: [] }
    await recordChange(db, by, { action: 'member.roles_changed', subject: userId, detail })
  }
  return { schools: left.length, ended }
}

/** Also at schools that the person has left: what they did there is still known. */
async function forgetEverywhere(
  tx: Transaction<DB>,
  userId: string,
  by: AuditedActor,
): Promise<void> {
  await tx.deleteFrom('deletion_requests').where('user_id', '=', userId).execute()
  const memberships = await tx
    .selectFrom('school_members')
    .select('school_id')
    .where('user_id', '=', userId)
    .where('forgotten_at', 'is', null)
    .orderBy('school_id')
    .execute()
  for (const { school_id } of memberships) {
    await beginForgetting(atSchoolInTransaction(tx, school_id), userId, by)
  }
}
