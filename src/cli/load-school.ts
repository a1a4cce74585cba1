import {
  findSchoolNamed,
  type ListedSchool,
  listSchools,
} from '../domain/schools/school-directory.ts'
import type { Db } from '../foundation/db/database.ts'
import { commandText } from '../foundation/text/command-name.ts'
import { CommandError } from './outcome.ts'

export const SCHOOL_OPTION = '--school <school>'
export const SCHOOL_ABOUT = 'subdomain, origin or id of the school'

const NAMED_AT_MOST = 10

export async function loadSchool(db: Db, name: string): Promise<ListedSchool> {
  const school = await findSchoolNamed(db, name)
  if (school !== undefined) return school
  const known = (await listSchools(db)).map(({ subdomain }) => subdomain)
  const some = known.slice(0, NAMED_AT_MOST).join(', ')
  throw new CommandError(
    `There is no school "${name}".`,
    known.length === 0
      ? `make one with ${commandText('school create')}`
      : `choose one of: ${some}${known.length > NAMED_AT_MOST ? ', …' : ''}`,
  )
}
