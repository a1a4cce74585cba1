import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import {
  type Actor,
  holdsInSql,
  isOperator,
  isStaffInSql,
  ROLES,
  type Role,
} from '../actor/actor.ts'
import { knownByEmail } from '../actor/shown-person.ts'
import { choiceOperation } from '../operation/choice-operation.ts'
import { email, line } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { type ListOperation, listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import {
  changeOperation,
  createOperation,
  readOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { notFound, OperationRefused, type Refusal } from '../operation/refusal.ts'
import { checkVersion } from '../operation/writing.ts'
import { personOf } from './find-people.ts'
import { members, writtenMembers } from './member-resource.ts'
import {
  addMember,
  changeRoles,
  isLastOwner,
  judgeRoleChange,
  LAST_OWNER,
  rolesField,
} from './member-roles.ts'
import { rolesAt } from './membership.ts'

const READ = ['members:read']
const WRITE = ['members:write']

export const personFilters = {
  email: filter(email, knownByEmail),
  search: searchIn(personOf('id')),
  ...timeFilters('joined_at'),
}

export const listMembers = listOperation({
  name: 'members.list',
  title: 'List members',
  summary: 'All people who hold a role at this school.',
  scopes: READ,
  of: members,
  filters: {
    role: filter(z.enum(ROLES), (role) => holdsInSql(role, sql`r.roles`)),
    ...personFilters,
  },
  sorts: { joined_at: 'time' },
  defaultSort: '-joined_at',
  examples: [{ title: 'The owners', input: { role: 'owner' } }],
})

/** People whose time a service can offer: those who are not only students. */
export const chooseStaff = choiceOperation(listMembers as unknown as ListOperation, 'name', {
  label: sql`r.name || ' (' || r.email || ')'`,
  where: isStaffInSql(sql`r.roles`),
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
      'Shown at this school until the person signs in here; then their own name is shown.',
  }),
}

export const createMember = createOperation({
  name: 'members.create',
  title: 'Add a member',
  summary:
    'Adds roles at this school to the person with this email. The answer does not show whether they already had an account.',
  needsProof: ({ roles }) => Array.isArray(roles) && isOperator(roles),
  scopes: WRITE,
  of: writtenMembers,
  queuesMail: 'maybe',
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
  summary: 'Sets the roles of a member. A school cannot change anything else about a person.',
  needsProof: () => true,
  scopes: WRITE,
  of: writtenMembers,
  queuesMail: 'maybe',
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
  summary: 'Removes all roles of a person at this school. Their account and purchases stay.',
  needsProof: () => true,
  scopes: WRITE,
  of: writtenMembers,
  queuesMail: 'maybe',
  examples: [{ title: 'A member leaves', input: { id: EXAMPLE.student } }],
  async whyNot(db, caller, userId) {
    const roles = await rolesAt(db, userId)
    const refusal = judgeRoleChange(caller, roles, []) ?? (await lastOwner(db, userId, roles))
    return refusal !== undefined && 'detail' in refusal ? refusal.detail : undefined
  },
  async remove(tx, caller, { id: userId, if_version }) {
    await checkMember(tx, userId, if_version)
    checkRoleChange(caller, await rolesAt(tx, userId), [])
    await changeRoles(tx, userId, [], caller)
  },
})

async function lastOwner(
  db: SchoolDb,
  userId: string,
  roles: readonly Role[],
): Promise<Refusal | undefined> {
  return roles.includes('owner') && (await isLastOwner(db, userId)) ? LAST_OWNER : undefined
}

/**
 * Locks the membership. A person who left the school is refused like one who was never a member.
 */
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

export const memberOperations = {
  list: listMembers,
  read: readMember,
  create: createMember,
  change: changeMember,
  remove: removeMember,
}
