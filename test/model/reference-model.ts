/**
 * The rules for authorizations and token pairs in their simplest form: objects in memory, one request
 * at a time, no database. After each step the server must be in the same state.
 */
export interface ModelMember {
  readonly name: string
  hasRole: boolean
}

export interface ModelClient {
  readonly name: string
  /** What an operator lets it have. */
  scopes: readonly string[]
  deleted: boolean
}

export interface ModelCode {
  readonly client: ModelClient
  readonly member: ModelMember
  readonly scopes: readonly string[]
  expired: boolean
  authorization: ModelAuthorization | undefined
}

export interface ModelAuthorization {
  readonly client: ModelClient
  readonly member: ModelMember
  readonly scopes: readonly string[]
  ended: boolean
}

export interface ModelPair {
  readonly authorization: ModelAuthorization
  readonly parent: ModelPair | undefined
  readonly scopes: readonly string[]
  used: boolean
  revoked: boolean
  accessExpired: boolean
  refreshExpired: boolean
}

export type Refusal = 'invalid_client' | 'invalid_grant' | 'invalid_scope' | 'invalid_token'

export function isLive(pair: ModelPair): boolean {
  return !pair.revoked && !pair.authorization.ended
}

export class ReferenceModel {
  readonly codes: ModelCode[] = []
  readonly authorizations: ModelAuthorization[] = []
  readonly pairs: ModelPair[] = []

  consent(client: ModelClient, member: ModelMember, scopes: readonly string[]): ModelCode {
    const code = { client, member, scopes, expired: false, authorization: undefined }
    this.codes.push(code)
    return code
  }

  exchange(code: ModelCode): ModelPair | Refusal {
    if (code.client.deleted) return 'invalid_client'
    if (code.authorization !== undefined) {
      code.authorization.ended = true
      return 'invalid_grant'
    }
    if (code.expired || !code.member.hasRole) return 'invalid_grant'
    const { client, member, scopes } = code
    const held = stillHeld(client, scopes)
    if (held.length === 0) return 'invalid_grant'
    const authorization = { client, member, scopes, ended: false }
    this.authorizations.push(authorization)
    code.authorization = authorization
    return this.#mint(authorization, undefined, held)
  }

  /** The old pair stays live, so that a client whose answer was lost can refresh again. */
  refresh(old: ModelPair, asked?: readonly string[]): ModelPair | Refusal {
    const { client, member, scopes } = old.authorization
    if (client.deleted) return 'invalid_client'
    if (!isLive(old) || old.refreshExpired) return 'invalid_grant'
    if (asked?.some((scope) => !scopes.includes(scope))) return 'invalid_scope'
    if (stillHeld(client, scopes).length === 0) return 'invalid_grant'
    const held = stillHeld(client, asked ?? scopes)
    if (held.length === 0) return 'invalid_scope'
    if (!member.hasRole) return 'invalid_grant'
    return this.#mint(old.authorization, old, held)
  }

  /** A client calls an API with the access token. */
  use(pair: ModelPair): 'ok' | Refusal {
    if (!isLive(pair) || pair.accessExpired) return 'invalid_token'
    if (!pair.authorization.member.hasRole) return 'invalid_token'
    if (!pair.used) {
      pair.used = true
      retireAncestors(pair)
    }
    return 'ok'
  }

  revoke(pair: ModelPair, by: 'access' | 'refresh'): 'ok' | Refusal {
    if (pair.authorization.client.deleted) return 'invalid_client'
    if (pair.revoked || (by === 'access' && pair.accessExpired)) return 'ok'
    pair.revoked = true
    retireAncestors(pair)
    return 'ok'
  }

  end(authorization: ModelAuthorization): void {
    authorization.ended = true
  }

  deleteClient(client: ModelClient): void {
    client.deleted = true
    for (const authorization of this.authorizations) {
      if (authorization.client === client) authorization.ended = true
    }
  }

  #mint(
    authorization: ModelAuthorization,
    parent: ModelPair | undefined,
    scopes: readonly string[],
  ): ModelPair {
    const pair = {
      authorization,
      parent,
      scopes,
      used: false,
      revoked: false,
      accessExpired: false,
      refreshExpired: false,
    }
    this.pairs.push(pair)
    return pair
  }
}

function stillHeld(client: ModelClient, scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => client.scopes.includes(scope))
}

/** Up to and including the nearest used ancestor, whose first use has revoked all older ones. */
function retireAncestors(pair: ModelPair): void {
  for (let up = pair.parent; up !== undefined; up = up.parent) {
    up.revoked = true
    if (up.used) return
  }
}
