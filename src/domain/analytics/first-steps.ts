import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { EXPLORER_CLIENT_ID } from '../clients/explorer-client.ts'
import { holdsInSql } from '../people/membership.ts'

/** How far a school is set up, as its rows show it. */
export interface FirstSteps {
  /** A single owner who loses their account cannot give the role to another person. */
  readonly hasSecondOwner: boolean
  readonly hasApp: boolean
}

export async function readFirstSteps(at: SchoolDb): Promise<FirstSteps> {
  const { rows } = await at.run(sql<FirstSteps>`
    select
      exists (select from school_members m where m.school_id = ${at.schoolId}
        and ${holdsInSql('owner', sql`m.roles`)} offset 1) as "hasSecondOwner",
      exists (select from clients c where c.school_id = ${at.schoolId} and c.deleted_at is null
        and c.client_id <> ${EXPLORER_CLIENT_ID}) as "hasApp"`)
  return rows[0] ?? { hasSecondOwner: false, hasApp: false }
}
