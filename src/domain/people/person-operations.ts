import { z } from 'zod'
import { id } from '../operation/fields.ts'
import { unscopedWrite } from '../operation/without-scope.ts'
import { addedPerson } from './member-operations.ts'
import { addMember, changeRoles } from './member-roles.ts'
import { ROLES } from './membership.ts'

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
