import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { AuditedActor } from '../actor.ts'
import { endOperatorAuthorizations } from '../grants/end-operator-authorizations.ts'
import { isOperator, type Role } from './membership.ts'

export interface RoleChange {
  readonly userId: string
  readonly before: readonly Role[]
  readonly after: readonly Role[]
}

/** Ends what people held only as owner or admin. Every write that can take a role away calls it. */
export async function endLostRights(
  tx: SchoolTx,
  changes: readonly RoleChange[],
  by: AuditedActor,
): Promise<void> {
  const demoted = changes.filter(({ before, after }) => isOperator(before) && !isOperator(after))
  if (demoted.length === 0) return
  const userIds = demoted.map(({ userId }) => userId)
  await endOperatorAuthorizations(tx, userIds, by)
}
