import { sql } from 'kysely'
import { randomId } from '../../foundation/crypto/random.ts'
import { groupRows } from '../../foundation/db/keyset.ts'
import { acrossSchools, type SchoolTx } from '../../foundation/db/school-db.ts'
import { plainList, textList } from '../../foundation/db/sql-values.ts'
import { type Actor, holdsInSql, ROLES, type Role } from '../actor/actor.ts'
import { changeEntry, record, recordCreated, withSubjects } from '../audit/audit.ts'
import type { BulkColumn, BulkKind, ImportRow, RowOutcome } from '../bulk/kind.ts'
import { writeInRounds } from '../bulk/write-rows.ts'
import { email, id, line } from '../operation/fields.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Refusal } from '../operation/refusal.ts'
import { countToInvite, startInviting } from './invitations.ts'
import { listMembers } from './member-operations.ts'
import { members, students } from './member-resource.ts'
import { judgeRoleChange, LAST_OWNER, rolesChanged, rolesField } from './member-roles.ts'
import { normalEmail } from './person.ts'
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
 * Students. A row gives the student role to a person. An existing account is never changed: name
 * and email are used only to create one.
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
 * The member with the id of the row, otherwise the member with its email. All others have no
 * `userId` yet, whether they have an account or not.
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

/**
 * Reads and writes many people; each function sends the same statements, however many people there
 * are and whether their accounts existed: an import must not tell a school which emails are known.
 */

interface Membership {
  readonly roles: readonly Role[]
}

/**
 * Locks in a fixed order, so that two imports of the same people wait for each other. The lock does
 * not block foreign keys: a dry run holds it until the end of the file, and members can still
 * authorize apps.
 */
async function lockMembers(
  tx: SchoolTx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Membership>> {
  const { rows } = await tx.run(sql<{ user_id: string; roles: Role[] }>`
    select m.user_id, m.roles from school_members m join users u on u.id = m.user_id
    where m.school_id = ${tx.schoolId} and m.user_id = any(${userIds}::uuid[]) and u.deleted_at is null
      and m.forgotten_at is null
    order by m.user_id for no key update of m`)
  return new Map(rows.map(({ user_id, roles }) => [user_id, { roles }]))
}

/** Crosses schools: the accounts with these emails. */
async function findPersons(
  tx: SchoolTx,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ email: string; id: string }>`
    select lower(email) as email, id from users where lower(email) = any(${emails}::text[])`.execute(
    acrossSchools(tx),
  )
  return new Map(rows.map(({ email, id }) => [email, id]))
}

export async function countOtherOwners(tx: SchoolTx, than: readonly string[]): Promise<number> {
  const { rows } = await tx.run(sql<{ user_id: string }>`
    select m.user_id from school_members m join users u on u.id = m.user_id
    where m.school_id = ${tx.schoolId} and ${holdsInSql('owner', sql`m.roles`)} and u.deleted_at is null
      and m.user_id <> all(${than}::uuid[])
    order by m.user_id for no key update of m`)
  return rows.length
}

interface Added {
  readonly values: Readonly<Record<string, unknown>>
  /** Absent for people who are named by an email and hold no role here. */
  userId: string | undefined
}

/** Creates accounts that do not exist yet. Existing accounts are neither changed nor reported. */
async function addPersons(tx: SchoolTx, caller: Actor, people: readonly Added[]): Promise<void> {
  const fresh = people.filter(({ userId }) => userId === undefined)
  if (fresh.length === 0) return
  const rows = fresh.map(({ values }) => ({
    id: randomId(),
    email: normalEmail(String(values.email)),
    name: String(values.name).trim(),
  }))
  const db = acrossSchools(tx)
  await sql`
    insert into users (id, email, name)
    select * from unnest(
      ${plainList(rows.map((row) => row.id))}::uuid[],
      ${textList(rows.map((row) => row.email))}::text[],
      ${textList(rows.map((row) => row.name))}::text[])
    on conflict (lower(email)) do nothing`.execute(db)
  const found = await findPersons(
    tx,
    rows.map(({ email }) => email),
  )
  const made = rows.filter(({ id, email }) => found.get(email) === id)
  const entry = changeEntry(caller, { action: 'person.created' })
  await recordCreated(
    db,
    entry,
    made.map(({ id }) => id),
  )
  for (const [place, person] of fresh.entries()) person.userId = found.get(rows[place]?.email ?? '')
}

interface Changed {
  readonly values: Readonly<Record<string, unknown>>
  readonly userId: string | undefined
  readonly before: readonly Role[]
  readonly after: readonly Role[]
}

async function writeRoles(tx: SchoolTx, caller: Actor, people: readonly Changed[]): Promise<void> {
  if (people.length === 0) return
  // Now, because the person who acts may be among them.
  await tx.confirmCaller()
  await tx.run(sql`
    insert into school_members as m (school_id, user_id, roles, typed_name, invitation_due)
    select ${tx.schoolId}::uuid, v.user_id, v.roles::text[], nullif(v.typed_name, ''), s.invites_people and v.is_new
    from schools s, unnest(
      ${plainList(people.map(({ userId }) => userId))}::uuid[],
      ${textList(people.map(({ after }) => plainList(after)))}::text[],
      ${textList(people.map(({ values }) => String(values.name ?? '').trim()))}::text[],
      ${plainList(people.map(({ before }) => String(before.length === 0)))}::boolean[]
    ) v (user_id, roles, typed_name, is_new)
    where s.id = ${tx.schoolId}
    on conflict (school_id, user_id) do update set roles = excluded.roles,
      typed_name = coalesce(excluded.typed_name, m.typed_name),
      invitation_due = m.invitation_due or excluded.invitation_due`)
  await rolesChanged(
    tx,
    people.map(({ userId = '', before, after }) => ({ userId, before, after })),
    caller,
  )
  const alike = groupRows(people, ({ before, after }) => `${before} ${after}`)
  for (const same of alike.values()) {
    const { before = [], after = [] } = same[0] ?? {}
    const detail = before.length === 0 ? { added: after } : { before, after }
    const entry = changeEntry(caller, { action: 'member.roles_changed', detail })
    const subjects = same.map(({ userId }) => userId ?? '')
    await record(tx, withSubjects(entry, subjects))
  }
}
