/**
 * The rules for authorizations and token pairs in their simplest form: values in memory, one
 * request at a time, no database. A step returns the next state. Objects are named by their place
 * in its lists.
 */
export type Audience = 'member' | 'operator'
export type Role = 'admin' | 'student' | 'none'

export interface ModelClient {
  /** What an operator lets it have. */
  readonly scopes: readonly string[]
  readonly deleted: boolean
}

/** A person at one school. */
export interface ModelMember {
  readonly person: number
  readonly role: Role
}

export interface ModelCode {
  readonly client: number
  readonly member: number
  readonly audience: Audience
  readonly scopes: readonly string[]
  readonly expired: boolean
  /** Deleted before its exchange, with the access it would have given. */
  readonly withdrawn: boolean
  readonly authorization: number | undefined
  /** Its exchange is longer ago than a client repeats its own request. */
  readonly usedLongAgo: boolean
}

export interface ModelAuthorization {
  readonly client: number
  readonly member: number
  readonly audience: Audience
  readonly scopes: readonly string[]
  readonly ended: boolean
}

export interface ModelPair {
  readonly authorization: number
  readonly parent: number | undefined
  readonly scopes: readonly string[]
  readonly used: boolean
  readonly revoked: boolean
  readonly accessExpired: boolean
  readonly refreshExpired: boolean
}

export interface State {
  readonly clients: readonly ModelClient[]
  readonly members: readonly ModelMember[]
  readonly codes: readonly ModelCode[]
  readonly authorizations: readonly ModelAuthorization[]
  readonly pairs: readonly ModelPair[]
}

export type Refusal = 'invalid_client' | 'invalid_grant' | 'invalid_scope' | 'invalid_token'

/** What a request does: its answer, the state after it, and the place of the pair that it made. */
export interface Step {
  readonly answer: 'ok' | Refusal
  readonly state: State
  readonly made?: number
}

export const rules = {
  /** The person presses Allow; the place of the code is the last one. */
  consent(
    state: State,
    asked: Pick<ModelCode, 'client' | 'member' | 'audience' | 'scopes'>,
  ): State {
    const fresh = { expired: false, withdrawn: false, authorization: undefined }
    const code = { ...asked, ...fresh, usedLongAgo: false }
    return { ...state, codes: [...state.codes, code] }
  },

  exchange(state: State, place: number): Step {
    const code = at(state.codes, place)
    const client = at(state.clients, code.client)
    if (client.deleted) return refused(state, 'invalid_client')
    if (code.authorization !== undefined) {
      const next = code.usedLongAgo ? rules.end(state, code.authorization) : state
      return refused(next, 'invalid_grant')
    }
    if (code.withdrawn || code.expired) return refused(state, 'invalid_grant')
    if (!mayHold(state, code)) return refused(state, 'invalid_grant')
    const held = stillHeld(client, code.scopes)
    if (held.length === 0) return refused(state, 'invalid_grant')
    const authorization = state.authorizations.length
    const { member, audience, scopes } = code
    const made = { client: code.client, member, audience, scopes, ended: false }
    const authorizations = [...state.authorizations, made]
    const codes = state.codes.with(place, { ...code, authorization })
    return mint({ ...state, codes, authorizations }, authorization, undefined, held)
  },

  /** The old pair stays live, so that a client whose answer was lost can refresh again. */
  refresh(state: State, old: number, asked?: readonly string[]): Step {
    const pair = at(state.pairs, old)
    const authorization = at(state.authorizations, pair.authorization)
    const client = at(state.clients, authorization.client)
    if (client.deleted) return refused(state, 'invalid_client')
    if (!isLive(state, old) || pair.refreshExpired) return refused(state, 'invalid_grant')
    const { scopes } = authorization
    if (asked?.some((scope) => !scopes.includes(scope))) return refused(state, 'invalid_scope')
    if (stillHeld(client, scopes).length === 0) return refused(state, 'invalid_grant')
    const held = stillHeld(client, asked ?? scopes)
    if (held.length === 0) return refused(state, 'invalid_scope')
    if (!mayHold(state, authorization)) return refused(state, 'invalid_grant')
    return mint(state, pair.authorization, old, held)
  },

  /** A client calls an API with the access token. */
  use(state: State, place: number): Step {
    const pair = at(state.pairs, place)
    if (!isLive(state, place) || pair.accessExpired) return refused(state, 'invalid_token')
    if (!mayHold(state, at(state.authorizations, pair.authorization))) {
      return refused(state, 'invalid_token')
    }
    if (pair.used) return { answer: 'ok', state }
    const pairs = withoutAncestors(state.pairs, place).with(place, { ...pair, used: true })
    return { answer: 'ok', state: { ...state, pairs } }
  },

  /**
   * A write that was admitted by a use, with this role, ends now and is judged by what holds now. A
   * token that expired meanwhile, or was replaced by a refresh, was good when the request came.
   */
  finishWrite(state: State, place: number, admitted: Role): Step {
    const { authorization } = at(state.pairs, place)
    const { client, member, ended } = at(state.authorizations, authorization)
    const isHeld = isLive(state, place) || hasSuccessor(state, place)
    const holds =
      isHeld &&
      !ended &&
      !at(state.clients, client).deleted &&
      at(state.members, member).role === admitted
    return holds ? { answer: 'ok', state } : refused(state, 'invalid_token')
  },

  revoke(state: State, place: number, by: 'access' | 'refresh'): Step {
    const pair = at(state.pairs, place)
    const { client } = at(state.authorizations, pair.authorization)
    if (at(state.clients, client).deleted) return refused(state, 'invalid_client')
    if (pair.revoked || (by === 'access' && pair.accessExpired)) return { answer: 'ok', state }
    const pairs = withoutAncestors(state.pairs, place).with(place, { ...pair, revoked: true })
    return { answer: 'ok', state: { ...state, pairs } }
  },

  end(state: State, place: number): State {
    const authorization = at(state.authorizations, place)
    return {
      ...state,
      authorizations: state.authorizations.with(place, { ...authorization, ended: true }),
    }
  },

  /** An operator narrows or widens what the application may have; no pair changes. */
  setScopes(state: State, place: number, scopes: readonly string[]): State {
    const client = { ...at(state.clients, place), scopes }
    return { ...state, clients: state.clients.with(place, client) }
  },

  deleteClient(state: State, place: number): State {
    const client = { ...at(state.clients, place), deleted: true }
    const clients = state.clients.with(place, client)
    return endAccess({ ...state, clients }, (access) => access.client === place)
  },

  /**
   * Who stops being owner or admin loses what the role gave for good; the rest waits for a role.
   */
  setRole(state: State, place: number, role: Role): State {
    const member = { ...at(state.members, place), role }
    const next = { ...state, members: state.members.with(place, member) }
    if (role === 'admin') return next
    return endAccess(next, ({ member, audience }) => member === place && audience === 'operator')
  },

  deletePerson(state: State, person: number): State {
    const members = state.members.map((member) =>
      member.person === person ? { ...member, role: 'none' as const } : member,
    )
    const gone = { ...state, members }
    return endAccess(gone, (access) => at(members, access.member).person === person)
  },

  expire(state: State, place: number, which: 'access' | 'refresh'): State {
    const pair = { ...at(state.pairs, place), [`${which}Expired`]: true }
    return { ...state, pairs: state.pairs.with(place, pair) }
  },

  ageUse(state: State, place: number): State {
    const code = { ...at(state.codes, place), usedLongAgo: true }
    return { ...state, codes: state.codes.with(place, code) }
  },

  expireCode(state: State, place: number): State {
    const code = { ...at(state.codes, place), expired: true }
    return { ...state, codes: state.codes.with(place, code) }
  },
}

export type Rules = typeof rules

export function isLive({ pairs, authorizations }: State, place: number): boolean {
  const { revoked, authorization } = at(pairs, place)
  return !revoked && !at(authorizations, authorization).ended
}

export function at<T>(list: readonly T[], place: number): T {
  const found = list[place]
  if (found === undefined) throw new Error(`the model has no place ${place}`)
  return found
}

/** Whether a pair that was refreshed from this one, over any number of generations, is in use. */
function hasSuccessor(state: State, place: number): boolean {
  return [...state.pairs.entries()].some(
    ([other, { used }]) => used && isLive(state, other) && comesFrom(state, other, place),
  )
}

function comesFrom(state: State, place: number, ancestor: number): boolean {
  const { parent } = at(state.pairs, place)
  return parent !== undefined && (parent === ancestor || comesFrom(state, parent, ancestor))
}

function refused(state: State, answer: Refusal): Step {
  return { answer, state }
}

function mint(
  state: State,
  authorization: number,
  parent: number | undefined,
  scopes: readonly string[],
): Step {
  const pair = {
    authorization,
    parent,
    scopes,
    used: false,
    revoked: false,
    accessExpired: false,
    refreshExpired: false,
  }
  const made = state.pairs.length
  return { answer: 'ok', state: { ...state, pairs: [...state.pairs, pair] }, made }
}

type Access = Pick<ModelCode, 'client' | 'member' | 'audience'>

function mayHold({ members }: State, { member, audience }: Access): boolean {
  const { role } = at(members, member)
  return audience === 'operator' ? role === 'admin' : role !== 'none'
}

/** Ends authorizations, and withdraws codes that would become one. */
function endAccess(state: State, isEnded: (access: Access) => boolean): State {
  return {
    ...state,
    codes: state.codes.map((code) =>
      code.authorization === undefined && isEnded(code) ? { ...code, withdrawn: true } : code,
    ),
    authorizations: state.authorizations.map((authorization) =>
      isEnded(authorization) ? { ...authorization, ended: true } : authorization,
    ),
  }
}

function stillHeld(client: ModelClient, scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => client.scopes.includes(scope))
}

/**
 * Revokes up to and including the nearest used ancestor, whose first use has revoked all older
 * ones.
 */
function withoutAncestors(pairs: readonly ModelPair[], place: number): readonly ModelPair[] {
  const next = [...pairs]
  for (let up = at(pairs, place).parent; up !== undefined; up = at(pairs, up).parent) {
    const ancestor = at(pairs, up)
    next[up] = { ...ancestor, revoked: true }
    if (ancestor.used) break
  }
  return next
}
