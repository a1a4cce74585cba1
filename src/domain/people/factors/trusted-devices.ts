import { sql } from 'kysely'
import { constantTimeEqual } from '../../../foundation/crypto/digest.ts'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { mintToken, parseToken } from '../../../foundation/protocol/token-format.ts'
import { isOperator, type Role } from '../membership.ts'
import type { ProvenByPassword } from '../sessions.ts'

export const TRUSTED_DAYS = 30
/** Browsers that a person trusts, at all schools together; the oldest give way. */
const MOST_DEVICES = 20

/**
 * Remembers that the person gave a code in this browser, and returns the cookie; only its hash is stored. Undefined if the
 * password was changed or the second factor switched off meanwhile: both end what is trusted, and this must not begin
 * afterwards.
 */
export async function trustDevice(
  at: SchoolDb,
  { person, credential }: ProvenByPassword,
): Promise<string | undefined> {
  const id = uuidv7()
  const token = mintToken('trustedDevice', id)
  const { rows } = await at.run(sql<{ id: string }>`
    with proven as materialized (
      select u.id from users u join authenticators a on a.user_id = u.id
      where u.id = ${person.id} and u.password_hash = ${credential.hash}
      for share),
    surplus as (
      delete from trusted_devices where id in (
        select id from trusted_devices where user_id in (select id from proven)
        order by id desc offset ${MOST_DEVICES - 1}))
    insert into trusted_devices (id, secret_hash, school_id, user_id, expires_at)
    select ${id}, ${token.hash}, ${at.schoolId}, proven.id, now() + make_interval(days => ${TRUSTED_DAYS})
    from proven returning id`)
  return rows.length === 0 ? undefined : token.value
}

/** Whether this person trusts the browser with this cookie, at this school. */
export async function isTrustedDevice(
  at: SchoolDb,
  userId: string,
  cookie: string | undefined,
  /** False if the school demands a second factor of its owners and admins: they give it each time. */
  operatorsMayTrust: boolean,
): Promise<boolean> {
  const token = cookie === undefined ? undefined : parseToken('trustedDevice', cookie)
  if (token === undefined) return false
  const { rows } = await at.run(sql<{ secret_hash: Buffer; roles: Role[] | null }>`
    select d.secret_hash, m.roles
    from trusted_devices d
      left join school_members m on m.school_id = d.school_id and m.user_id = d.user_id
    where d.id = ${token.id} and d.school_id = ${at.schoolId} and d.user_id = ${userId}
      and d.expires_at > now()`)
  const [row] = rows
  if (row === undefined || !constantTimeEqual(row.secret_hash, token.hash)) return false
  return operatorsMayTrust || !isOperator(row.roles ?? [])
}
