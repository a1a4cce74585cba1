import { sql } from 'kysely'
import { acrossSchools, type SchoolTx } from '../../foundation/db/school-db.ts'
import { isAddressKept } from './email-change/email-change.ts'
import { HAD_NO_CREDENTIAL } from './person.ts'
import { lockPerson, type NewPassword, setPassword } from './set-password.ts'

interface Claim extends Pick<NewPassword, 'userId' | 'email' | 'hash' | 'by' | 'requestId'> {
  /** As the person typed it. */
  readonly name: string
}

/**
 * Gives an account that a school made, and that never had anything to sign in with, to the person
 * who has proven its mailbox. False for any other account: the reader of a mailbox must not get
 * into it here. Also false while another account can take the address back.
 */
export async function claimAccount(tx: SchoolTx, { name, ...fresh }: Claim): Promise<boolean> {
  // The person first, like every new password: two links used at once would otherwise both find no
  // password.
  await lockPerson(tx, fresh.userId)
  const { rows } = await sql<{ id: string }>`
    update users u set name = ${name} where u.id = ${fresh.userId} and u.deleted_at is null and ${HAD_NO_CREDENTIAL}
      and not ${isAddressKept(sql`u.email`, sql`u.id`)}
    returning u.id`.execute(acrossSchools(tx))
  if (rows.length === 0) return false
  return await setPassword(tx, { ...fresh, endsAccess: true })
}
