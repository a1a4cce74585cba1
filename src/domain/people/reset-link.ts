import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { mintToken } from '../../foundation/protocol/token-format.ts'
import { isAddressKept } from './email-change/email-change.ts'
import { HAD_NO_CREDENTIAL } from './person.ts'

export const RESET_MINUTES = 60

/**
 * Makes a link that sets the password of a member, once. Undefined for a person who has a password
 * or a passkey and has never signed in at this school: a role that the school gave by itself proves
 * nothing, and a school that controls its host name could read the link. Locks the person, so that
 * a password that is set at the same moment ends the link.
 */
export async function mintResetLink(db: SchoolDb, userId: string): Promise<string | undefined> {
  const id = uuidv7()
  const token = mintToken('passwordReset', id)
  const { rows } = await db.run(sql<{ id: string }>`
    with entitled as materialized (
      select u.id from users u
        join school_members m on m.school_id = ${db.schoolId} and m.user_id = u.id and m.roles <> '{}'
      where u.id = ${userId} and u.deleted_at is null
        and (m.signed_in_at is not null
          or ${HAD_NO_CREDENTIAL} and not ${isAddressKept(sql`u.email`, sql`u.id`)})
      for share of u)
    insert into password_resets (id, secret_hash, school_id, user_id, expires_at)
    select ${id}, ${token.hash}, ${db.schoolId}, entitled.id, now() + make_interval(mins => ${RESET_MINUTES})
    from entitled returning id`)
  return rows.length === 0 ? undefined : token.value
}
