import { type Audience, SCOPES_OF_AUDIENCE } from '../../domain/clients/scope-catalogue.ts'
import type { Caller } from '../../domain/grants/caller.ts'
import { bearerChallenge } from '../../foundation/protocol/challenge.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { Tool, ToolCall } from './tool.ts'

/** The caller of a tool lacks a scope or a login; the HTTP status and the body of the protocol both say so. */
export class StepUpError extends Error {
  override readonly name = 'StepUpError'
  readonly status: 401 | 403
  /** The header's value. */
  readonly challenge: string
  /** For clients that read only the body; they want an error named even where none was made. */
  readonly challengeInBody: string
  readonly description: string

  constructor({ school, path, caller }: ToolCall, tool: Tool, needed: ScopeSet) {
    const description = describe(caller, tool, needed)
    super(description)
    this.description = description
    this.status = caller === undefined ? 401 : 403
    const error = new OAuthError('insufficient_scope', description)
    const scope = scopeToAskFor(caller, needed)
    const bare = { origin: school.origin, resource: path, scope }
    this.challengeInBody = bearerChallenge({ ...bare, error })
    // RFC 6750 §3: a request without a token made no mistake, so its challenge names no error.
    this.challenge = caller === undefined ? bearerChallenge(bare) : this.challengeInBody
  }
}

/**
 * What the call needs and what the token has. Clients of the handshake era ask for just what they
 * find here, and with each step up they would lose what they had before.
 */
function scopeToAskFor(caller: Caller | undefined, needed: ScopeSet): ScopeSet {
  const isOneLogin = caller !== undefined && needed.isSubsetOf(SCOPES_OF_AUDIENCE[caller.audience])
  return isOneLogin ? needed.union(caller.scopes) : needed
}

function describe(caller: Caller | undefined, tool: Tool, needed: ScopeSet): string {
  if (caller === undefined)
    return `${tool.name} needs a login: authorize with the scopes ${needed}.`
  if (needed.isSubsetOf(SCOPES_OF_AUDIENCE[caller.audience])) {
    return `The access token does not cover this use of ${tool.name}. Authorize again with the scopes ${needed}.`
  }
  return `${tool.name} needs the scopes ${needed}, which ${FOREIGN[caller.audience]}`
}

/** More of the same login would not help, so neither a client nor a model should try it. */
const FOREIGN: Readonly<Record<Audience, string>> = {
  member:
    'no application for members can hold. It is for owners and admins, who sign in with an application for operators.',
  operator:
    'no application for operators can hold. It is for members, who sign in with an application that the school made for them.',
}
