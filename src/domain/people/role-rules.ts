import { z } from 'zod'
import type { Actor } from '../actor.ts'
import type { Refusal } from '../operation/refusal.ts'
import { ROLES, type Role } from './membership.ts'

export const rolesField = z.array(z.enum(ROLES)).min(1).max(ROLES.length)

/** An admin who could make owners could make themselves one. */
export function judgeRoleChange(
  caller: Pick<Actor, 'roles'>,
  before: readonly Role[],
  after: readonly Role[],
): Refusal | undefined {
  if (before.includes('owner') === after.includes('owner')) return undefined
  return caller.roles.includes('owner') ? undefined : OWNERS_ONLY
}

const OWNERS_ONLY: Refusal = {
  kind: 'forbidden',
  code: 'owners_only',
  detail: 'Only an owner may give or take the owner role. Ask one of them.',
}
