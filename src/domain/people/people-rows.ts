import { sql } from 'kysely'
import { randomId } from '../../foundation/crypto/random.ts'
import { plainList, textList } from '../../foundation/db/array-literals.ts'
import { groupRows } from '../../foundation/db/group-rows.ts'
import { acrossSchools, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { record, recordCreated, withSubjects } from '../audit/audit.ts'
import { changeEntry } from '../audit/record-change.ts'
import { holdsInSql, type Role } from './membership.ts'
import { normalEmail } from './person.ts'
import { rolesChanged } from './roles-changed.ts'

/**
 * Reads and writes many people; each function sends the same statements, however many people there are and whether
 * their accounts existed: an import must not tell a school which emails are known.
 */

export interface Membership {
  readonly roles: readonly Role[]
}

/**
 * Locks in a fixed order, so that two imports of the same people wait for each other. The lock does not
 * block foreign keys: a dry run holds it until the end of the file, and members can still authorize apps.
 */
export async function lockMembers(
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
export async function findPersons(
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
export async function addPersons(
  tx: SchoolTx,
  caller: Actor,
  people: readonly Added[],
): Promise<void> {
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

export async function writeRoles(
  tx: SchoolTx,
  caller: Actor,
  people: readonly Changed[],
): Promise<void> {
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
