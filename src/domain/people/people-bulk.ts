import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import type { BulkColumn, BulkKind, ImportRow, RowOutcome } from '../bulk/kind.ts'
import { writeInRounds } from '../bulk/rounds.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { email, id, line } from '../operation/fields.ts'
import type { Refusal } from '../operation/refusal.ts'
import { countToInvite, startInviting } from './invitations/start-inviting.ts'
import { listMembers } from './member-operations.ts'
import { members, students } from './member-resource.ts'
import { LAST_OWNER } from './member-roles.ts'
import { ROLES, type Role } from './membership.ts'
import {
  addPersons,
  countOtherOwners,
  findPersons,
  lockMembers,
  type Membership,
  writeRoles,
} from './people-rows.ts'
import { normalEmail } from './person.ts'
import { judgeRoleChange, rolesField } from './role-rules.ts'
import { listStudents } from './student-operations.ts'

const columns: Record<'id' | 'email' | 'name', BulkColumn> = {
  id: { schema: id, note: 'of a person who is already a member' },
  email: { schema: email, note: 'of any other person; an existing account only gets the role' },
  name: {
    schema: line(200),
    joins: true,
    note: 'shown here until the person signs in; then their own name is shown',
  },
}

const NAMED_BY = 'the id of a member, otherwise the email'

/**
 * Students. A row gives the student role to a person. An existing account is never changed: name and
 * email are used only to create one.
 */
export const studentKind: BulkKind = {
  name: 'students',
  about: 'All people who hold the student role.',
  of: students,
  list: listStudents,
  key: ['id'],
  named: NAMED_BY,
  scopes: { read: 'students:read', write: 'students:write' },
  columns,
  example: { email: 'kit@example.test', name: 'Kit Example' },
  countInvited: countToInvite,
  objectName: ({ id, email }) => {
    if (id !== undefined && email !== undefined) return undefined
    return id === undefined
      ? { scheme: 'email', name: normalEmail(String(email)) }
      : { scheme: 'id', name: String(id) }
  },
  write: (tx, caller, rows) =>
    writePeople(tx, caller, rows, (_values, before) => inOrder([...before, 'student'])),
}

/** Members. A row sets all roles of a member. */
export const memberKind: BulkKind = {
  name: 'members',
  about: 'All people who hold a role, with their roles.',
  of: members,
  list: listMembers,
  key: ['id'],
  named: NAMED_BY,
  scopes: { read: 'members:read', write: 'members:write' },
  columns: {
    ...columns,
    roles: {
      schema: rolesField,
      needed: true,
      note: 'replaces all roles; only an owner can give or remove the owner role',
    },
  },
  example: { id: EXAMPLE.student, roles: ['lecturer', 'student'] },
  countInvited: countToInvite,
  write: (tx, caller, rows) =>
    writePeople(tx, caller, rows, (values, before) =>
      Array.isArray(values.roles) ? inOrder(values.roles as Role[]) : before,
    ),
}

function inOrder(roles: readonly Role[]): readonly Role[] {
  return ROLES.filter((role) => roles.includes(role))
}

type RolesOf = (values: ImportRow['values'], before: readonly Role[]) => readonly Role[]

interface Person {
  readonly values: ImportRow['values']
  userId: string | undefined
  before: readonly Role[]
  after: readonly Role[]
  outcome: RowOutcome
}

async function writePeople(
  tx: SchoolTx,
  caller: Actor,
  rows: readonly ImportRow[],
  rolesOf: RolesOf,
): Promise<RowOutcome[]> {
  const people = await findPeople(tx, rows)
  const inRounds = await writeInRounds(rows, people.map(identityOf), (round) =>
    writePeople(tx, caller, round, rolesOf),
  )
  if (inRounds !== undefined) return inRounds
  for (const person of people) {
    if (person.outcome !== 'unchanged') continue
    person.after = rolesOf(person.values, person.before)
    person.outcome = judge(person, caller)
  }
  await refuseLastOwners(tx, people)
  const writing = people.filter(({ outcome }) => outcome === 'created' || outcome === 'updated')
  await addPersons(tx, caller, writing)
  await writeRoles(tx, caller, writing)
  await startInviting(tx, caller)
  return people.map(({ outcome }) => outcome)
}

/**
 * The member with the id of the row, otherwise the member with its email. All others have no `userId` yet, whether
 * they have an account or not.
 */
async function findPeople(tx: SchoolTx, rows: readonly ImportRow[]): Promise<Person[]> {
  const ids = rows.flatMap(({ values }) => (typeof values.id === 'string' ? values.id : []))
  const byId = ids.length === 0 ? new Map<string, Membership>() : await lockMembers(tx, ids)
  const asked = rows.filter(({ values }) => !byId.has(String(values.id)))
  const emails = asked.flatMap(({ values }) =>
    typeof values.email === 'string' ? normalEmail(values.email) : [],
  )
  const byEmail = emails.length === 0 ? new Map<string, never>() : await findMembers(tx, emails)
  return rows.map(({ values }): Person => {
    const known = byId.get(String(values.id))
    if (known !== undefined) return personOf(values, String(values.id), known)
    if (typeof values.email !== 'string') {
      return { ...personOf(values, undefined, undefined), outcome: unknownPerson(values) }
    }
    const member = byEmail.get(normalEmail(values.email))
    return personOf(values, member?.userId, member)
  })
}

async function findMembers(tx: SchoolTx, emails: readonly string[]) {
  const persons = await findPersons(tx, emails)
  const members = await lockMembers(tx, [...persons.values()])
  return new Map(
    [...persons].flatMap(([email, userId]) => {
      const membership = members.get(userId)
      return membership === undefined ? [] : [[email, { userId, ...membership }] as const]
    }),
  )
}

function personOf(
  values: ImportRow['values'],
  userId: string | undefined,
  membership: Membership | undefined,
): Person {
  const before = membership?.roles ?? []
  return { values, userId, before, after: before, outcome: 'unchanged' }
}

function unknownPerson({ id: given }: ImportRow['values']): Refusal {
  if (given === undefined) return missing('email', 'Name the person by id or by email.')
  return {
    kind: 'not_found',
    detail: 'There is no member with this id at this school. Use the email instead.',
  }
}

function missing(column: string, detail: string): Refusal {
  return { kind: 'invalid', problems: [{ pointer: `/${column}`, code: 'required', detail }] }
}

function judge({ values, before, after }: Person, caller: Actor): RowOutcome {
  // The refusal must not show whether the account exists, so a name is always required.
  if (before.length === 0 && values.name === undefined) {
    return missing(
      'name',
      'A person who is not a member yet needs a name, in case the account is new.',
    )
  }
  if (after.length === 0) return missing('roles', 'A new member needs at least one role.')
  const refusal = judgeRoleChange(caller, before, after)
  if (refusal !== undefined) return refusal
  if (before.length === 0) return 'created'
  return before.join() === after.join() ? 'unchanged' : 'updated'
}

async function refuseLastOwners(tx: SchoolTx, people: readonly Person[]): Promise<void> {
  const leaving = people.filter(
    ({ outcome, before, after }) =>
      outcome === 'updated' && before.includes('owner') && !after.includes('owner'),
  )
  if (leaving.length === 0) return
  const others = await countOtherOwners(
    tx,
    leaving.flatMap(({ userId }) => userId ?? []),
  )
  if (others > 0) return
  for (const person of leaving) person.outcome = LAST_OWNER
}

function identityOf({ userId, values }: Person): string | undefined {
  if (userId !== undefined) return userId
  return values.email === undefined ? undefined : normalEmail(String(values.email))
}
