import { z } from 'zod'
import type { Actor } from '../actor.ts'
import type { Refusal } from '../operation/refusal.ts'
import { ROLES, type Role } from './membership.ts'
import { changesOperators } from './roles-changed.ts'

export const rolesField = z.array(z.enum(ROLES)).min(1).max(ROLES.length)

/**
 * Owners and admins are made by people: a stolen token must not give its thief a way back in. An admin who could make owners
 * could make themselves one.
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
