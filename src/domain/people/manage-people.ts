import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { recordForInstallation } from '../audit/audit.ts'
import { changeEntry, recordChange } from '../audit/record-change.ts'
import { ROLES, type Role, setRoles } from './membership.ts'
import { findOrCreatePerson, findPersonByEmail } from './person.ts'

export interface NewMember {
  readonly email: string
  /** For an account that does not exist yet; a person who has one keeps their own. */
  readonly name: string
  readonly passwordHash?: string | undefined
  readonly roles: readonly Role[]
}

export interface PersonProblem {
  readonly field: 'email' | 'name' | 'roles'
  readonly problem: string
}

const newMember = z.object({
  email: z.string().trim().max(320).pipe(z.email()),
  name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[^\x00-\x1f\x7f]*$/),
  roles: z.array(z.enum(ROLES)).min(1),
})

const WANTED: Readonly<Record<string, string>> = {
  email: 'Write one email address.',
  name: 'Use 1 to 200 characters, without line breaks.',
  roles: `Choose one or more of ${ROLES.join(', ')}.`,
}

/**
 * Gives the person of an email a role here, on top of those they have. A known email gets nothing
 * else: whatever name or password came along is dropped, or a school could take over the account of
 * another school's owner. The outcome does not tell whether the account existed, and neither does
 * the school's audit; that an account was made is the installation's to know.
 */
export async function addMember(
  tx: Transaction<DB>,
  schoolId: string,
  fresh: NewMember,
  by: AuditedActor,
): Promise<
  | { readonly kind: 'added'; readonly userId: string }
  | { readonly kind: 'invalid'; readonly problems: readonly PersonProblem[] }
> {
  const parsed = newMember.safeParse(fresh)
  if (!parsed.success) return { kind: 'invalid', problems: problemsOf(parsed.error) }
  const { email, name, roles } = parsed.data
  const known = await findPersonByEmail(tx, email)
  const userId = await findOrCreatePerson(tx, {
    email,
    name,
    ...(fresh.passwordHash === undefined ? {} : { passwordHash: fresh.passwordHash }),
  })
  if (known === undefined) {
    const entry = changeEntry(by, { action: 'person.created', subject: userId })
    await recordForInstallation(tx, entry)
  }
  const at = atSchoolInTransaction(tx, schoolId)
  await at.run(sql`
    insert into school_members as m (school_id, user_id, roles)
    values (${schoolId}, ${userId}, ${ordered(roles)}::text[])
    on conflict (school_id, user_id) do update set roles =
      array(select role from unnest(${[...ROLES]}::text[]) with ordinality as r (role, place)
            where role = any (m.roles || excluded.roles) order by place)`)
  const detail = { added: ordered(roles) }
  await recordChange(at, by, { action: 'member.roles_changed', subject: userId, detail })
  return { kind: 'added', userId }
}

export type RoleChange =
  | { readonly kind: 'changed'; readonly before: readonly Role[] }
  | { readonly kind: 'unknown' }
  /** Nobody would be left who can run the school. */
  | { readonly kind: 'last_owner' }

/** Sets the roles of a member; none means that they leave. Touches nothing of the person. */
export async function changeRoles(
  tx: SchoolTx,
  userId: string,
  roles: readonly Role[],
  by: AuditedActor,
): Promise<RoleChange> {
  const { rows } = await tx.run(sql<{ user_id: string; roles: Role[] }>`
    select m.user_id, m.roles from school_members m join users u on u.id = m.user_id
    where m.school_id = ${tx.schoolId} and u.deleted_at is null
      and (m.user_id = ${userId} or 'owner' = any (m.roles))
    order by m.user_id for no key update of m`)
  const member = rows.find((row) => row.user_id === userId)
  if (member === undefined) return { kind: 'unknown' }
  const owners = rows.filter((row) => row.roles.includes('owner'))
  if (owners.length === 1 && owners[0] === member && !roles.includes('owner')) {
    return { kind: 'last_owner' }
  }
  await setRoles(tx, userId, roles)
  const detail = { before: member.roles, after: ordered(roles) }
  await recordChange(tx, by, { action: 'member.roles_changed', subject: userId, detail })
  return { kind: 'changed', before: member.roles }
}

function ordered(roles: readonly Role[]): Role[] {
  return ROLES.filter((role) => roles.includes(role))
}

function problemsOf(error: z.ZodError): readonly PersonProblem[] {
  const fields = new Set(error.issues.map((issue) => String(issue.path[0])))
  return [...fields].map((field) => ({
    field: field as PersonProblem['field'],
    problem: WANTED[field] ?? 'Another value is needed.',
  }))
}
