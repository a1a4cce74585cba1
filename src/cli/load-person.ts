import { findPersonByEmail, type Person } from '../domain/people/person.ts'
import type { Db } from '../foundation/db/database.ts'
import { CommandError } from './outcome.ts'

export async function loadPerson(db: Db, email: string): Promise<Person> {
  const person = await findPersonByEmail(db, email)
  if (person !== undefined) return person
  throw new CommandError(...unknownPerson(email))
}

export const unknownPerson = (email: string) =>
  [`No person has the email ${email}.`, 'check the spelling'] as const
