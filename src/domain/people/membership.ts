import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Person } from './person.ts'

export const ROLES = ['owner', 'admin', 'lecturer', 'student'] as const
export type Role = (typeof ROLES)[number]

/** Only people give and take them, see `role-rules.ts`. */
export const OPERATOR_ROLES = ['owner', 'admin'] as const satisfies readonly Role[]

/** Owners and admins operate a school; only they may authorize an operator client. */
export function isOperator(roles: readonly string[]): boolean {
  return roles.includes('owner') || roles.includes('admin')
}

/** Whether a person with these roles may hold a token: a member's takes any role, an operator's owner or admin. */
export function mayHold(audience: 'member' | 'operator', roles: readonly string[]): boolean {
  return audience === 'member' ? roles.length > 0 : isOperator(roles)
}

/** `mayHold` as SQL; null if the person has no membership row. */
export function mayHoldInSql(
  audience: RawBuilder<unknown>,
  roles: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql`(${audience} = 'member' and ${roles} <> '{}' or ${roles} && array['owner', 'admin'])`
}

/** People who are not only students. They are few, and an index has them; PostgreSQL takes it only for these words. */
export function isStaffInSql(roles: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${roles} && array['owner', 'admin', 'lecturer']`
}

/** Whether a role is among these, as SQL; by the same index where it has the role. */
export function holdsInSql(role: Role, roles: RawBuilder<unknown>): RawBuilder<boolean> {
  const holding = sql<boolean>`${sql.lit(role)} = any (${roles})`
  return role === 'student' ? holding : sql`(${isStaffInSql(roles)} and ${holding})`
}

export interface Member {
  readonly person: Person
  readonly roles: readonly Role[]
}

export async function rolesAt(at: SchoolDb, userId: string): Promise<readonly Role[]> {
  const row = await at
    .from('school_members')
    .select('roles')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return (row?.roles ?? []) as Role[]
}

/** Sets the roles of a person at a school; without roles the person has left. */
export async function setRoles(
  at: SchoolDb,
  userId: string,
  roles: readonly Role[],
): Promise<void> {
  const ordered = ROLES.filter((role) => roles.includes(role))
  await at
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
