import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { ROLES, type Role } from '../actor/actor.ts'
import { invalid } from '../operation/refusal.ts'
import type { Person } from './person.ts'

export interface Member {
  readonly person: Person
  readonly roles: readonly Role[]
}

export async function rolesAt(db: SchoolDb, userId: string): Promise<readonly Role[]> {
  const row = await db
    .from('school_members')
    .select('roles')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return (row?.roles ?? []) as Role[]
}

/** Sets the roles of a person at a school; without roles the person has left. */
export async function setRoles(
  db: SchoolDb,
  userId: string,
  roles: readonly Role[],
): Promise<void> {
  const ordered = ROLES.filter((role) => roles.includes(role))
  await db
    .insert('school_members', { user_id: userId, roles: ordered })
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'user_id']).doUpdateSet({ roles: ordered }),
    )
    .execute()
}

export interface SchoolOfPerson {
  readonly id: string
  readonly name: string
  readonly subdomain: string
  readonly origin: string
  readonly roles: readonly Role[]
}

/** Crosses schools: every school where a person holds a role. */
export async function schoolsOfPerson(db: Db, userId: string): Promise<readonly SchoolOfPerson[]> {
  const { rows } = await sql<{
    id: string
    name: string
    subdomain: string
    origin: string
    roles: Role[]
  }>`
    select s.id, s.name, s.subdomain, s.origin, m.roles
    from school_members m join schools s on s.id = m.school_id
    where m.user_id = ${userId} and m.roles <> '{}'
    order by s.name collate "C", s.id`.execute(db)
  return rows
}

/** Returns the ids without repetitions; refuses if one of them holds no role at this school. */
export async function checkMembers(
  tx: SchoolTx,
  field: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const unique = [...new Set(ids)]
  const { rows } = await tx.run(sql`
    select 1 from school_members
    where school_id = ${tx.schoolId} and user_id = any(${unique}::uuid[]) and roles <> '{}'`)
  if (rows.length === unique.length) return unique
  throw invalid(
    field,
    'unknown_reference',
    unique.length === 1
      ? 'This person is not a member of this school.'
      : 'One of these is not a member of this school.',
  )
}
