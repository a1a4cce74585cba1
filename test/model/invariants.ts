import { ancestors, type Move, SCOPES, type Scene, type Transition } from './exploration.ts'
import { at, isLive, type Role, type Rules } from './reference-model.ts'

/** What must hold for every step of these kinds, whatever came before it. */
interface Invariant {
  readonly says: string
  readonly on: readonly Move[]
  readonly holds: (step: Transition, rules: Rules) => boolean
}

const REQUESTS = ['refresh', 'use', 'revoke'] as const
const OF_THE_CLIENT = [...REQUESTS, 'answer', 'lost answer', 'crash'] as const
const ENDS = ['end', 'delete client', 'delete person', 'replayed code'] as const
const ALL = [...OF_THE_CLIENT, ...ENDS, 'role', 'scopes'] as const

export const INVARIANTS: readonly Invariant[] = [
  {
    says: 'what is dead stays dead',
    on: ALL,
    holds: ({ before, after }) => all(before, (pair) => live(before, pair) || !live(after, pair)),
  },
  {
    says: 'a refresh ends nothing',
    on: ['refresh'],
    holds: ({ before, after }) => all(before, (pair) => live(after, pair) === live(before, pair)),
  },
  {
    says: 'a refresh adds one unused child of the pair that asked, or nothing',
    on: ['refresh'],
    holds: ({ before, after, pair, made, answer }) =>
      answer === 'ok' ? isNewChild(after, made, pair) : after.state === before.state,
  },
  {
    says: 'a refresh can be repeated, so that a lost answer costs nothing',
    on: ['refresh'],
    holds: ({ after, pair, answer }, rules) =>
      answer !== 'ok' || rules.refresh(after.state, pair).answer === 'ok',
  },
  {
    says: 'a refresh gives what was authorized and is still held',
    on: ['refresh'],
    holds: ({ before, after, made, answer }) =>
      answer !== 'ok' || at(after.state.pairs, made).scopes.join() === held(before).join(),
  },
  {
    says: 'after its first use no ancestor of a pair is live',
    on: ['use'],
    holds: ({ answer, after, pair }) =>
      answer !== 'ok' || above(after, pair).every((ancestor) => !live(after, ancestor)),
  },
  {
    says: 'a later use and a refused one write nothing',
    on: ['use'],
    holds: ({ answer, before, after, pair }) =>
      (answer === 'ok' && !at(before.state.pairs, pair).used) || after.state === before.state,
  },
  {
    says: 'a revocation ends the pair and its ancestors, and does nothing the second time',
    on: ['revoke'],
    holds: ({ before, after, pair }) =>
      after.state === before.state
        ? at(before.state.pairs, pair).revoked || isDeleted(before)
        : [pair, ...above(after, pair)].every((ended) => !live(after, ended)),
  },
  {
    says: 'use and revocation spare siblings, children and all others but ancestors',
    on: ['use', 'revoke'],
    holds: ({ before, after, pair }) =>
      all(
        before,
        (other) =>
          other === pair ||
          live(after, other) === live(before, other) ||
          above(before, pair).includes(other),
      ),
  },
  {
    says: 'only a live pair is accepted',
    on: ['refresh', 'use'],
    holds: ({ answer, before, pair }) => answer !== 'ok' || live(before, pair),
  },
  {
    says: 'nothing is accepted without the role, and refreshed without a scope that is still held',
    on: ['refresh', 'use'],
    holds: ({ move, answer, before }) =>
      answer !== 'ok' || (hasRole(before) && (move === 'use' || held(before).length > 0)),
  },
  {
    says: 'a live pair with its role is accepted',
    on: ['use'],
    holds: ({ answer, before, pair }) => answer === 'ok' || !live(before, pair) || !hasRole(before),
  },
  {
    says: 'an operator who lost the role has nothing live, whatever role comes later',
    on: ['role'],
    holds: ({ before, after }) =>
      at(after.state.authorizations, 0).audience === 'member' ||
      (hasRole(before) && hasRole(after)) ||
      all(after, (pair) => !live(after, pair)),
  },
  {
    says: 'a change of a role or of scopes changes no pair: what was live is live again with them',
    on: ['role', 'scopes'],
    holds: ({ before, after }) =>
      after.state.pairs === before.state.pairs &&
      (isEnded(after) === isEnded(before) || !hasRole(after)),
  },
  {
    says: 'an end, a deletion and a replayed code end every pair',
    on: ENDS,
    holds: ({ after }) => all(after, (pair) => !live(after, pair)),
  },
  {
    says: 'an answer that arrives brings a live pair, unless all has ended',
    on: ['answer'],
    holds: ({ after }) => isEnded(after) || live(after, after.stored),
  },
  {
    says: 'a write that was admitted counts for nothing once the authorization, the client or the role is gone',
    on: [...ENDS, 'role'],
    holds: ({ before, after }, rules) =>
      used(after).every(
        (pair) =>
          !mayFinish(rules, after, pair, roleIn(before)) ||
          (!isEnded(after) && !isDeleted(after) && roleIn(after) === roleIn(before)),
      ),
  },
  {
    says: 'a write that was admitted counts for nothing once its pair is revoked',
    on: ['revoke'],
    holds: ({ before, after, pair }, rules) =>
      at(before.state.pairs, pair).revoked ||
      after.state === before.state ||
      !mayFinish(rules, after, pair, roleIn(after)),
  },
  {
    says: 'a write that a refresh overtakes counts, and so does one in which nothing is taken away',
    on: OF_THE_CLIENT,
    holds: ({ move, before, after }, rules) =>
      move === 'revoke' ||
      used(before).every(
        (pair) =>
          !mayFinish(rules, before, pair, roleIn(before)) ||
          mayFinish(rules, after, pair, roleIn(before)),
      ),
  },
  {
    says: 'the stored pair dies by no refresh, use, lost answer or crash: they sign no process out',
    on: ['refresh', 'use', 'answer', 'lost answer', 'crash'],
    holds: ({ before, after }) => !live(before, before.stored) || live(after, after.stored),
  },
]

function all({ state }: Scene, holds: (pair: number) => boolean): boolean {
  return state.pairs.every((_, pair) => holds(pair))
}

function live({ state }: Scene, pair: number): boolean {
  return isLive(state, pair)
}

/** The pairs by which a write can have been admitted. */
function used({ state }: Scene): readonly number[] {
  return [...state.pairs.keys()].filter((pair) => at(state.pairs, pair).used)
}

function mayFinish(rules: Rules, { state }: Scene, pair: number, admitted: Role): boolean {
  return rules.finishWrite(state, pair, admitted).answer === 'ok'
}

function roleIn({ state }: Scene): Role {
  return at(state.members, 0).role
}

function above({ state }: Scene, pair: number): readonly number[] {
  return ancestors(state.pairs, pair)
}

function held({ state }: Scene): readonly string[] {
  return SCOPES.filter((scope) => at(state.clients, 0).scopes.includes(scope))
}

function hasRole({ state }: Scene): boolean {
  const { role } = at(state.members, 0)
  return at(state.authorizations, 0).audience === 'operator' ? role === 'admin' : role !== 'none'
}

function isEnded({ state }: Scene): boolean {
  return at(state.authorizations, 0).ended
}

function isDeleted({ state }: Scene): boolean {
  return at(state.clients, 0).deleted
}

function isNewChild({ state }: Scene, made: number, pair: number): boolean {
  const { parent, used, revoked } = at(state.pairs, made)
  return made === state.pairs.length - 1 && parent === pair && !used && !revoked
}
