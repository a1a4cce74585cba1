import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { email, line } from '../operation/fields.ts'
import { filter, listOperation, searchIn, timeFilters } from '../operation/list-operation.ts'
import {
  changeOperation,
  createOperation,
  readOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { notFound, OperationRefused } from '../operation/refusal.ts'
import { checkVersion } from '../operation/writing.ts'
import { members, writtenMembers } from './member-resource.ts'
import { addMember, changeRoles } from './member-roles.ts'
import { ROLES, type Role, rolesAt } from './membership.ts'
import { judgeRoleChange, rolesField } from './role-rules.ts'

const READ = ['members:read']
const WRITE = ['members:write']

export const personFilters = {
  email: filter(email, (value) => sql`lower(r.email) = lower(${value})`),
  search: searchIn('name', 'email'),
  ...timeFilters('joined_at'),
}

export const listMembers = listOperation({
  name: 'members.list',
  title: 'List members',
  summary: 'Everybody who holds a role at this school.',
  scopes: READ,
  of: members,
  filters: {
    role: filter(z.enum(ROLES), (role) => sql`${role} = any(r.roles)`),
    ...personFilters,
  },
  sorts: { joined_at: 'time', name: 'text', email: 'text' },
  defaultSort: '-joined_at',
  examples: [{ title: 'The owners', input: { role: 'owner' } }],
})

export const readMember = readOperation({
  name: 'members.read',
  title: 'Read a member',
  summary: 'One member by their id, which is the same at every school.',
  scopes: READ,
  of: members,
  examples: [{ title: 'A member', input: { id: EXAMPLE.student } }],
})

export const addedPerson = {
  email,
  name: line(200).meta({
    description:
      'For an account that does not exist yet; a person who has one keeps their own name.',
  }),
}

export const createMember = createOperation({
  name: 'members.create',
  title: 'Add a member',
  summary:
    'Gives the person of an email roles here, on top of those they have. Whether they had an account stays unsaid.',
  scopes: WRITE,
  of: writtenMembers,
  fields: { ...addedPerson, roles: rolesField },
  examples: [
    {
      title: 'A lecturer',
      input: { email: 'grace@example.test', name: 'Grace Example', roles: ['lecturer'] },
    },
  ],
  async create(tx, caller, input) {
    checkRoleChange(caller, [], input.roles)
    return await addMember(tx, input, caller)
  },
})

export const changeMember = changeOperation({
  name: 'members.change',
  title: 'Change a member’s roles',
  summary: 'Sets the roles of a member. Nothing else of a person can be changed by a school.',
  scopes: WRITE,
  of: writtenMembers,
  fields: { roles: rolesField.optional() },
  examples: [
    { title: 'Also a lecturer', input: { id: EXAMPLE.student, roles: ['lecturer', 'student'] } },
  ],
  async change(tx, caller, { id: userId, if_version, roles }) {
    await checkMember(tx, userId, if_version)
    if (roles === undefined) return
    checkRoleChange(caller, await rolesAt(tx, userId), roles)
    await changeRoles(tx, userId, roles, caller)
  },
})

export const removeMember = removeOperation({
  name: 'members.remove',
  title: 'Remove a member',
  summary: 'Takes all roles of a person here. Their account and what they bought stay.',
  scopes: WRITE,
  of: writtenMembers,
  examples: [{ title: 'A member leaves', input: { id: EXAMPLE.student } }],
  async remove(tx, caller, { id: userId, if_version }) {
    await checkMember(tx, userId, if_version)
    checkRoleChange(caller, await rolesAt(tx, userId), [])
    await changeRoles(tx, userId, [], caller)
  },
})

/** Locks the membership; a person who left is as unknown as one who never came. */
export async function checkMember(
  tx: SchoolTx,
  userId: string,
  ifVersion: number | undefined,
): Promise<void> {
  const target = { object: 'member', key: { user_id: userId }, ifVersion }
  await checkVersion(tx, 'school_members', target)
  if ((await rolesAt(tx, userId)).length === 0) throw notFound('member')
}

function checkRoleChange(caller: Actor, before: readonly Role[], after: readonly Role[]): void {
  const refusal = judgeRoleChange(caller, before, after)
  if (refusal !== undefined) throw new OperationRefused(refusal)
}
