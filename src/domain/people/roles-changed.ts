import { sql } from 'kysely'
import { acrossSchools, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { endOperatorAuthorizations } from '../grants/end-operator-authorizations.ts'
import type { FactsOf } from './mails/queued-kinds.ts'
import { holdsInSql, isOperator, OPERATOR_ROLES, type Role } from './membership.ts'

export interface RoleChange {
  readonly userId: string
  readonly before: readonly Role[]
  readonly after: readonly Role[]
}

/** More people of one import are only counted in the mail. */
const MOST_NAMED = 20

/**
 * What follows from a change of roles. Every write of roles calls it: people who are no longer owner or admin lose what they held
 * as such, and all owners are told who became or stopped being one. Returns how many authorizations ended.
 */
export async function rolesChanged(
  tx: SchoolTx,
  changes: readonly RoleChange[],
  by: AuditedActor,
): Promise<number> {
  const demoted = changes.filter(({ before, after }) => isOperator(before) && !isOperator(after))
  const userIds = demoted.map(({ userId }) => userId)
  const ended = userIds.length > 0 ? await endOperatorAuthorizations(tx, userIds, by) : 0
  const moved = changes.filter(changesOperators)
  if (moved.length > 0) await tellOwners(tx, moved, by)
  return ended
}

/** Whether a person becomes or stops being an owner or admin. */
export function changesOperators({ before, after }: Omit<RoleChange, 'userId'>): boolean {
  return OPERATOR_ROLES.some((role) => before.includes(role) !== after.includes(role))
}

/** Also those who were owners until now, so that a thief cannot remove an owner in silence. */
async function tellOwners(
  tx: SchoolTx,
  changes: readonly RoleChange[],
  by: AuditedActor,
): Promise<void> {
  const facts: FactsOf<'operators_changed'> = {
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
