import { type RawBuilder, sql } from 'kysely'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'

/** Who acts at a school, and through which surface. */
export interface Actor {
  readonly via:
    | 'account'
    | 'admin_api'
    | 'admin_area'
    | 'command_line'
    | 'consent'
    | 'mcp'
    | 'setup'
  /** Absent on the command line and the first-run page, where no person signs in. */
  readonly userId?: string | undefined
  /** The roles at this school; the command line acts as an owner. */
  readonly roles: readonly Role[]
  /** The origin of the school, for the URLs in an answer. */
  readonly origin: string
  /** The browser session of the request, where pages are used. */
  readonly sessionId?: string | undefined
  /**
   * The scopes of the token. Absent in the admin area and on the command line, which have no token.
   */
  readonly scopes?: ScopeSet | undefined
  /** The client whose token the request carries, and the authorization behind that token. */
  readonly clientId?: string | undefined
  readonly authorizationId?: string | undefined
  readonly requestId?: string | undefined
}

/** The part of an actor that the audit entry of a change stores. */
export type AuditedActor = Pick<Actor, 'via' | 'userId' | 'requestId'>

export const ROLES = ['owner', 'admin', 'lecturer', 'student'] as const

export type Role = (typeof ROLES)[number]

/** Only people give and take them, see `member-roles.ts`. */
export const OPERATOR_ROLES = ['owner', 'admin'] as const satisfies readonly Role[]

/** Owners and admins operate a school; only they may authorize an operator client. */
export function isOperator(roles: readonly string[]): boolean {
  return roles.includes('owner') || roles.includes('admin')
}

/**
 * Whether a person with these roles may hold a token: a member's takes any role, an operator's
 * owner or admin.
 */
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

/**
 * People who are not only students. They are few, and an index has them; PostgreSQL takes it only
 * for these words.
 */
export function isStaffInSql(roles: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${roles} && array['owner', 'admin', 'lecturer']`
}

/** Whether a role is among these, as SQL; by the same index where it has the role. */
export function holdsInSql(role: Role, roles: RawBuilder<unknown>): RawBuilder<boolean> {
  const holding = sql<boolean>`${sql.lit(role)} = any (${roles})`
  return role === 'student' ? holding : sql`(${isStaffInSql(roles)} and ${holding})`
}
