import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { plainList, textList } from '../../foundation/db/array-literals.ts'
import { groupRows } from '../../foundation/db/group-rows.ts'
import { acrossSchools, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { record, recordForInstallation, withSubjects } from '../audit/audit.ts'
import { changeEntry } from '../audit/record-change.ts'
import { endLostRights } from './end-lost-rights.ts'
import type { Role } from './membership.ts'
import { normalEmail } from './person.ts'

/** Reads and writes many people; each function sends one statement, however many people there are. */

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
  if (userIds.length === 0) return new Map()
  const { rows } = await tx.run(sql<{ user_id: string; roles: Role[] }>`
    select m.user_id, m.roles from school_members m join users u on u.id = m.user_id
    where m.school_id = ${tx.schoolId} and m.user_id = any(${userIds}::uuid[]) and u.deleted_at is null
    order by m.user_id for no key update of m`)
  return new Map(rows.map(({ user_id, roles }) => [user_id, { roles }]))
}

/** Crosses schools: the accounts with these emails. */
export async function findPersons(
  tx: SchoolTx,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (emails.length === 0) return new Map()
  const { rows } = await sql<{ email: string; id: string }>`
    select lower(email) as email, id from users where lower(email) = any(${emails}::text[])`.execute(
    acrossSchools(tx),
  )
  return new Map(rows.map(({ email, id }) => [email, id]))
}

export async function countOtherOwners(tx: SchoolTx, than: readonly string[]): Promise<number> {
  const { rows } = await tx.run(sql<{ user_id: string }>`
    select m.user_id from school_members m join users u on u.id = m.user_id
    where m.school_id = ${tx.schoolId} and 'owner' = any(m.roles) and u.deleted_at is null
      and m.user_id <> all(${than}::uuid[])
    order by m.user_id for no key update of m`)
  return rows.length
}

interface Added {
  readonly values: Readonly<Record<string, unknown>>
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
    id: uuidv7(),
    email: normalEmail(String(values.email)),
    name: String(values.name).trim(),
  }))
  const db = acrossSchools(tx)
  const made = await sql<{ id: string }>`
    insert into users (id, email, name)
    select * from unnest(
      ${plainList(rows.map((row) => row.id))}::uuid[],
      ${textList(rows.map((row) => row.email))}::text[],
      ${textList(rows.map((row) => row.name))}::text[])
    on conflict (lower(email)) do nothing returning id`.execute(db)
  const ids = new Set(made.rows.map(({ id }) => id))
  if (ids.size > 0) {
    await recordForInstallation(
      db,
      withSubjects(changeEntry(caller, { action: 'person.created' }), [...ids]),
    )
  }
  // Another request created these accounts in the meantime.
  const missed = rows.filter(({ id }) => !ids.has(id))
  const found = await findPersons(
    tx,
    missed.map(({ email }) => email),
  )
  for (const [place, person] of fresh.entries()) {
    const row = rows[place]
    if (row !== undefined) person.userId = ids.has(row.id) ? row.id : found.get(row.email)
  }
}

interface Changed {
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
  await tx.run(sql`
    insert into school_members as m (school_id, user_id, roles)
    select ${tx.schoolId}::uuid, v.user_id, v.roles::text[]
    from unnest(
      ${plainList(people.map(({ userId }) => userId))}::uuid[],
      ${textList(people.map(({ after }) => plainList(after)))}::text[]) v (user_id, roles)
    on conflict (school_id, user_id) do update set roles = excluded.roles`)
  await endLostRights(
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
