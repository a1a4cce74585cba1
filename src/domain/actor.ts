import type { ScopeSet } from '../foundation/protocol/scope-set.ts'
import type { Role } from './people/membership.ts'

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
  /** The scopes of the token. Absent in the admin area and on the command line, which have no token. */
  readonly scopes?: ScopeSet | undefined
  /** The client whose token the request carries, and the authorization behind that token. */
  readonly clientId?: string | undefined
  readonly authorizationId?: string | undefined
  readonly requestId?: string | undefined
}

/** The part of an actor that the audit entry of a change stores. */
export type AuditedActor = Pick<Actor, 'via' | 'userId' | 'requestId'>
