import { sql } from 'kysely'
import { z } from 'zod'
import { acrossSchools, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import {
  type Actor,
  type AuditedActor,
  holdsInSql,
  isOperator,
  OPERATOR_ROLES,
  ROLES,
  type Role,
} from '../actor/actor.ts'
import { changeEntry, recordChange, recordCreated } from '../audit/audit.ts'
import { endOperatorAuthorizations } from '../grants/end-access.ts'
import { notFound, OperationRefused, type Refusal } from '../operation/refusal.ts'
import { inviteAdded } from './invitations.ts'
import type { OperatorsChanged } from './mails/operators-mail.ts'
import { rolesAt, setRoles } from './membership.ts'
import { findOrCreatePerson } from './person.ts'

export interface NewMember {
  readonly email: string
  /** Shown here until the person signs in; the name of a new account. */
  readonly name: string
  readonly passwordHash?: string | undefined
  readonly roles: readonly Role[]
}

/**
 * Adds roles here to the person with this email and returns their id. The name and the password of
 * an existing account are not written: otherwise a school could take over the account of another
 * school's owner. Neither the answer nor the school's audit shows whether the account existed; only
 * the audit of the installation records a new account.
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
  db: SchoolDb,
  userId: string,
  lock = sql``,
): Promise<readonly MemberRow[]> {
  const { rows } = await db.run(sql<MemberRow>`
    select m.user_id, m.roles from school_members m join users u on u.id = m.user_id
    where m.school_id = ${db.schoolId} and u.deleted_at is null and m.forgotten_at is null
      and (m.user_id = ${userId} or ${holdsInSql('owner', sql`m.roles`)})
    order by m.user_id ${lock}`)
  return rows
}

function isOnlyOwner(rows: readonly MemberRow[], userId: string): boolean {
  const owners = rows.filter((row) => row.roles.includes('owner'))
  return owners.length === 1 && owners[0]?.user_id === userId
}

/** Whether the school would have no owner without this member. */
export async function isLastOwner(db: SchoolDb, userId: string): Promise<boolean> {
  return isOnlyOwner(await memberAndOwners(db, userId), userId)
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
  // Now, because the person who acts may take a role from themselves; after the owners, whom every
  // change locks in one order.
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

export interface RoleChange {
  readonly userId: string
  readonly before: readonly Role[]
  readonly after: readonly Role[]
}

/** More people of one import are only counted in the mail. */
const MOST_NAMED = 20

/**
 * What follows from a change of roles. Every write of roles calls it: people who are no longer
 * owner or admin lose what they held as such, calendars of people who left stop, and all owners are
 * told who became or stopped being one. Returns how many authorizations ended.
 */
export async function rolesChanged(
  tx: SchoolTx,
  changes: readonly RoleChange[],
  by: AuditedActor,
): Promise<number> {
  const demoted = changes.filter(({ before, after }) => isOperator(before) && !isOperator(after))
  const userIds = demoted.map(({ userId }) => userId)
  const ended = userIds.length > 0 ? await endOperatorAuthorizations(tx, userIds, by) : 0
  const left = changes.flatMap(({ userId, after }) => (after.length === 0 ? userId : []))
  if (left.length > 0) await tx.delete('calendar_feeds').where('user_id', 'in', left).execute()
  const moved = changes.filter(changesOperators)
  if (moved.length > 0) await tellOwners(tx, moved, by)
  return ended
}

/** Whether a person becomes or stops being an owner or admin. */
function changesOperators({ before, after }: Omit<RoleChange, 'userId'>): boolean {
  return OPERATOR_ROLES.some((role) => before.includes(role) !== after.includes(role))
}

/** Also those who were owners until now, so that a thief cannot remove an owner in silence. */
async function tellOwners(
  tx: SchoolTx,
  changes: readonly RoleChange[],
  by: AuditedActor,
): Promise<void> {
  const facts: OperatorsChanged = {
    by: by.userId ?? null,
    more: Math.max(0, changes.length - MOST_NAMED),
    people: changes.slice(0, MOST_NAMED).map(({ userId, before, after }) => ({
      id: userId,
      given: OPERATOR_ROLES.filter((role) => after.includes(role) && !before.includes(role)),
      taken: OPERATOR_ROLES.filter((role) => before.includes(role) && !after.includes(role)),
    })),
  }
  const removed = changes.flatMap(({ userId, before }) => (before.includes('owner') ? userId : []))
  await sql`
    insert into outgoing_mails (id, school_id, kind, email, facts)
    select gen_random_uuid(), m.school_id, 'operators_changed', u.email, ${JSON.stringify(facts)}::jsonb
    from school_members m join users u on u.id = m.user_id
    where m.school_id = ${tx.schoolId}
      and (${holdsInSql('owner', sql`m.roles`)} or m.user_id = any (${removed}::uuid[]))
      and m.signed_in_at is not null and u.deleted_at is null and u.email is not null`.execute(
    acrossSchools(tx),
  )
}

export const rolesField = z.array(z.enum(ROLES)).min(1).max(ROLES.length)

/**
 * Owners and admins are made by people: a stolen token must not give its thief a way back in. An
 * admin who could make owners could make themselves one.
 */
export function judgeRoleChange(
  caller: Pick<Actor, 'roles' | 'clientId' | 'origin'>,
  before: readonly Role[],
  after: readonly Role[],
): Refusal | undefined {
  if (caller.clientId !== undefined && changesOperators({ before, after })) {
    return peopleOnly(caller.origin)
  }
  if (before.includes('owner') === after.includes('owner')) return undefined
  return caller.roles.includes('owner') ? undefined : OWNERS_ONLY
}

const OWNERS_ONLY: Refusal = {
  kind: 'forbidden',
  code: 'owners_only',
  detail: 'Only an owner may give or take the owner role. Ask one of them.',
}

const peopleOnly = (origin: string): Refusal => ({
  kind: 'forbidden',
  code: 'people_only',
  detail: `An app neither gives nor takes the roles owner and admin. An owner or admin does it at ${origin}/admin/members.`,
})
