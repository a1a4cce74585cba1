import { sql } from 'kysely'
import { acrossSchools, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { recordCreated } from '../audit/audit.ts'
import { changeEntry, recordChange } from '../audit/record-change.ts'
import { notFound, OperationRefused, type Refusal } from '../operation/refusal.ts'
import { inviteAdded } from './invitations/invite.ts'
import { holdsInSql, isOperator, ROLES, type Role, rolesAt, setRoles } from './membership.ts'
import { findOrCreatePerson } from './person.ts'
import { rolesChanged } from './roles-changed.ts'

export interface NewMember {
  readonly email: string
  /** Shown here until the person signs in; the name of a new account. */
  readonly name: string
  readonly passwordHash?: string | undefined
  readonly roles: readonly Role[]
}

/**
 * Adds roles here to the person with this email and returns their id. The name and the password of an
 * existing account are not written: otherwise a school could take over the account of another school's
 * owner. Neither the answer nor the school's audit shows whether the account existed; only the audit of
 * the installation records a new account.
 */
export async function addMember(tx: SchoolTx, fresh: NewMember, by: AuditedActor): Promise<string> {
  const across = acrossSchools(tx)
  const name = fresh.name.trim()
  const { id: userId, isNew } = await findOrCreatePerson(across, {
    email: fresh.email.trim(),
    name,
    ...(fresh.passwordHash === undefined ? {} : { passwordHash: fresh.passwordHash }),
  })
  const entry = changeEntry(by, { action: 'person.created' })
  await recordCreated(across, entry, isNew ? [userId] : [])
  const added = ordered(fresh.roles)
  const before = isOperator(added) ? await rolesAt(tx, userId) : []
  await tx.run(sql`
    insert into school_members as m (school_id, user_id, roles, typed_name)
    values (${tx.schoolId}, ${userId}, ${added}::text[], ${name})
    on conflict (school_id, user_id) do update set typed_name = excluded.typed_name, typed_email = null, roles =
      array(select role from unnest(${[...ROLES]}::text[]) with ordinality as r (role, place)
            where role = any (m.roles || excluded.roles) order by place)`)
  await recordChange(tx, by, { action: 'member.roles_changed', subject: userId, detail: { added } })
  await inviteAdded(tx, userId, by)
  const after = ordered([...before, ...added])
  await rolesChanged(tx, [{ userId, before, after }], by)
  return userId
}

export const LAST_OWNER: Refusal = {
  kind: 'conflict',
  code: 'last_owner',
  detail: 'A school needs an owner. Make another member an owner first.',
}

interface MemberRow {
  readonly user_id: string
  readonly roles: Role[]
}

async function memberAndOwners(
  at: SchoolDb,
  userId: string,
  lock = sql``,
): Promise<readonly MemberRow[]> {
  const { rows } = await at.run(sql<MemberRow>`
    select m.user_id, m.roles from school_members m join users u on u.id = m.user_id
    where m.school_id = ${at.schoolId} and u.deleted_at is null and m.forgotten_at is null
      and (m.user_id = ${userId} or ${holdsInSql('owner', sql`m.roles`)})
    order by m.user_id ${lock}`)
  return rows
}

function isOnlyOwner(rows: readonly MemberRow[], userId: string): boolean {
  const owners = rows.filter((row) => row.roles.includes('owner'))
  return owners.length === 1 && owners[0]?.user_id === userId
}

/** Whether the school would have no owner without this member. */
export async function isLastOwner(at: SchoolDb, userId: string): Promise<boolean> {
  return isOnlyOwner(await memberAndOwners(at, userId), userId)
}

/**
 * Sets the roles of a member and returns the previous ones. An empty list makes the member leave; a
 * person who is no longer owner or admin loses their operator authorizations. Nothing else of the
 * person changes.
 */
export async function changeRoles(
  tx: SchoolTx,
  userId: string,
  roles: readonly Role[],
  by: AuditedActor,
): Promise<Role[]> {
  const rows = await memberAndOwners(tx, userId, sql`for no key update of m`)
  // Now, because the person who acts may take a role from themselves; after the owners, whom every change locks in one order.
  await tx.confirmCaller()
  const member = rows.find((row) => row.user_id === userId)
  if (member === undefined) throw notFound('member')
  if (isOnlyOwner(rows, userId) && !roles.includes('owner')) {
    throw new OperationRefused(LAST_OWNER)
  }
  await setRoles(tx, userId, roles)
  await rolesChanged(tx, [{ userId, before: member.roles, after: roles }], by)
  const detail = { before: member.roles, after: ordered(roles) }
  await recordChange(tx, by, { action: 'member.roles_changed', subject: userId, detail })
  return member.roles
}

function ordered(roles: readonly Role[]): Role[] {
  return ROLES.filter((role) => roles.includes(role))
}
