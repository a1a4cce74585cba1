import type { Db } from '../../foundation/db/database.ts'
import { atSchoolInTransaction } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { addMember } from '../people/member-roles.ts'
import type { NewSchool } from '../schools/school-details.ts'
import { createSchool } from '../schools/write-school.ts'
import { hasSchools, lockEmptyInstallation } from './empty-installation.ts'

export interface FirstSchool {
  readonly school: NewSchool
  readonly owner: { readonly email: string; readonly name: string; readonly passwordHash: string }
}

/**
 * Crosses schools: makes the first school and its owner, both or neither. False if there is a school by now, made by
 * another request, process or command.
 */
export async function createFirstSchool(
  db: Db,
  { school, owner }: FirstSchool,
  by: AuditedActor,
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    await lockEmptyInstallation(tx)
    if (await hasSchools(tx)) return false
    const id = await createSchool(tx, school, by)
    await addMember(atSchoolInTransaction(tx, id), { ...owner, roles: ['owner'] }, by)
    await tx.deleteFrom('setup_codes').where('single', '=', true).execute()
    return true
  })
}
