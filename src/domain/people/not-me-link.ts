import { sql } from 'kysely'
import { hashPassword } from '../../foundation/crypto/password.ts'
import { randomSecret, uuidv7 } from '../../foundation/crypto/random.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { mintToken, parseToken } from '../../foundation/protocol/token-format.ts'
import { NOT_ME_DAYS } from './account-recovery.ts'
import { endEverything } from './person-operations.ts'
import { lockPerson } from './set-password.ts'

/**
 * Makes a link that ends everything, once. Undefined unless the person has a role here and has
 * signed in here. A reader of the mailbox could set a new password too, so the link gives them
 * nothing more.
 */
export async function mintNotMeLink(db: SchoolDb, userId: string): Promise<string | undefined> {
  const id = uuidv7()
  const token = mintToken('notMe', id)
  const { rows } = await db.run(sql<{ id: string }>`
    insert into notice_links (id, secret_hash, school_id, user_id, expires_at)
    select ${id}, ${token.hash}, m.school_id, m.user_id, now() + make_interval(days => ${NOT_ME_DAYS})
    from school_members m join users u on u.id = m.user_id and u.deleted_at is null
    where m.school_id = ${db.schoolId} and m.user_id = ${userId} and m.roles <> '{}'
      and m.signed_in_at is not null
    returning id`)
  return rows.length === 0 ? undefined : token.value
}

/** The person whom a link belongs to; undefined if it is not valid. */
export async function findNotMe(
  db: SchoolDb,
  presented: string,
): Promise<{ readonly userId: string; readonly email: string } | undefined> {
  const token = parseToken('notMe', presented)
  if (token === undefined) return undefined
  const row = await db
    .from('notice_links')
    .innerJoin('users', 'users.id', 'notice_links.user_id')
    .select(['users.id', 'users.email'])
    .where('notice_links.id', '=', token.id)
    .where('notice_links.secret_hash', '=', token.hash)
    .where('notice_links.used_at', 'is', null)
    .where('notice_links.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.email == null ? undefined : { userId: row.id, email: row.email }
}

/** Ends everything by a link. False if the link is not valid, or was used. */
export async function endByNotMeLink(
  db: SchoolDb,
  presented: string,
  requestId: string,
): Promise<boolean> {
  const token = parseToken('notMe', presented)
  const person = await findNotMe(db, presented)
  if (token === undefined || person === undefined) return false
  const { userId, email } = person
  const hash = await unknownPassword(db.schoolId)
  return await db.transaction(async (tx) => {
    await lockPerson(tx, userId)
    const used = await tx
      .update('notice_links')
      .set({ used_at: sql<Date>`now()` })
      .where('id', '=', token.id)
      .where('secret_hash', '=', token.hash)
      .where('used_at', 'is', null)
      .returning('user_id')
      .executeTakeFirst()
    if (used === undefined) return false
    const by = { by: 'not_me', requestId } as const
    return await endEverything(acrossSchools(tx), { userId, email, hash, ...by })
  })
}

/**
 * The hash of a password that no person knows. An account without any would count as one that never
 * had a credential, and a school that gave a role by itself could send a link to set one.
 */
export async function unknownPassword(tenant?: string): Promise<string> {
  return await hashPassword(randomSecret(32).toString('base64url'), tenant)
}
