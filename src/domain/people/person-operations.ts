import { z } from 'zod'
import { acrossSchools } from '../../foundation/db/school-db.ts'
import { id } from '../operation/fields.ts'
import { notFound } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/without-scope.ts'
import { addedPerson } from './member-operations.ts'
import { addMember, changeRoles } from './member-roles.ts'
import { ROLES, rolesAt } from './membership.ts'
import { loadPerson } from './person.ts'
import { setPassword } from './set-password.ts'

const roles = z.array(z.enum(ROLES))

export const addPerson = unscopedWrite({
  name: 'people.add',
  title: 'Add a person',
  summary:
    'Adds roles at this school to the person with this email. A new account may get a password.',
  kind: 'create',
  input: z.strictObject({
    ...addedPerson,
    roles: roles.min(1),
    password_hash: z.string().optional(),
  }),
  output: z.strictObject({ id }),
  async run(tx, actor, { password_hash: passwordHash, ...fresh }) {
    return { id: await addMember(tx, { ...fresh, passwordHash }, actor) }
  },
  // addMember writes the entries, also for members.create and students.create.
  audit: () => [],
})

/** For the command line alone: a school could otherwise take over the accounts of its members at other schools. */
export const setPersonPassword = unscopedWrite({
  name: 'people.set_password',
  title: 'Set the password of a person',
  summary:
    'Sets the password of a member, and ends all their sessions and connected apps everywhere.',
  kind: 'change',
  input: z.strictObject({ id, password_hash: z.string() }),
  output: z.strictObject({ id }),
  async run(tx, _actor, { id: userId, password_hash: hash }) {
    const { email } = await loadPerson(acrossSchools(tx), userId)
    if ((await rolesAt(tx, userId)).length === 0) throw notFound('member')
    await setPassword(tx, { userId, email, hash, by: 'command_line', endsAccess: true })
    return { id: userId }
  },
  // setPassword writes the entry, also for the pages.
  audit: () => [],
})

export const setPersonRoles = unscopedWrite({
  name: 'people.set_roles',
  title: 'Set the roles of a person',
  summary: 'Replaces the roles of a member here; an empty list makes the person leave.',
  kind: 'change',
  input: z.strictObject({ id, roles }),
  output: z.strictObject({ id, before: roles }),
  async run(tx, actor, { id: userId, roles: wanted }) {
    return { id: userId, before: await changeRoles(tx, userId, wanted, actor) }
  },
  // changeRoles writes the entry, also for members.change.
  audit: () => [],
})
