import { describe, expect, test } from 'vitest'
import { explore, type Move, type Transition } from './exploration.ts'
import { INVARIANTS } from './invariants.ts'
import { type Audience, at, type Rules, rules, type State } from './reference-model.ts'

/** Visits all stories and throws at the first step that breaks an invariant. */
function prove(tried: Rules, audience: Audience) {
  const byMove = new Map<Move, typeof INVARIANTS>()
  return explore(tried, audience, (step) => {
    let checks = byMove.get(step.move)
    if (checks === undefined) {
      checks = INVARIANTS.filter(({ on }) => on.includes(step.move))
      byMove.set(step.move, checks)
    }
    for (const { says, holds } of checks) if (!holds(step, tried)) throw broken(says, step)
  })
}

function broken(says: string, { move, answer, pair, before, after }: Transition): Error {
  const details = JSON.stringify({ move, answer, pair, before, after }, null, 1)
  return new Error(`not true: ${says}. The step that breaks it: ${details}`)
}

describe('all stories of an authorization: 3 generations, 2 siblings, 2 processes, a lost answer, a crash', () => {
  test.each([
    { audience: 'member', scenes: 45_218, steps: 657_732 },
    { audience: 'operator', scenes: 22_610, steps: 328_884 },
  ] as const)(
    'every invariant holds for a token of a $audience: $scenes states, $steps steps',
    ({ audience, ...explored }) => {
      expect(prove(rules, audience)).toEqual(explored)
    },
  )
})

describe('a wrong rule is found', () => {
  const change = (state: State, place: number, pair: Partial<State['pairs'][number]>): State => ({
    ...state,
    pairs: state.pairs.with(place, { ...at(state.pairs, place), ...pair }),
  })
  const family = (state: State, place: number) =>
    [...state.pairs.keys()].filter(
      (other) => other !== place && at(state.pairs, other).parent === at(state.pairs, place).parent,
    )
  const ancestorsOf = (state: State, place: number): number[] => {
    const { parent } = at(state.pairs, place)
    return parent === undefined ? [] : [parent, ...ancestorsOf(state, parent)]
  }

  const wrong: readonly [string, Audience, Partial<Rules>][] = [
    [
      'a refresh ends nothing',
      'member',
      {
        refresh(state, old, asked) {
          const step = rules.refresh(state, old, asked)
          return step.made === undefined
            ? step
            : { ...step, state: change(step.state, old, { revoked: true }) }
        },
      },
    ],
    [
      'a refresh gives what was authorized and is still held',
      'member',
      {
        refresh(state, old) {
          const step = rules.refresh(state, old)
          const scopes = ['read', 'write']
          return step.made === undefined
            ? step
            : { ...step, state: change(step.state, step.made, { scopes }) }
        },
      },
    ],
    [
      'use and revocation spare siblings',
      'member',
      {
        use(state, place) {
          const step = rules.use(state, place)
          if (step.answer !== 'ok') return step
          const next = family(state, place).reduce(
            (all, sibling) => change(all, sibling, { revoked: true }),
            step.state,
          )
          return { ...step, state: next }
        },
      },
    ],
    [
      'after its first use no ancestor of a pair is live',
      'member',
      {
        use(state, place) {
          const step = rules.use(state, place)
          const [parent] = ancestorsOf(state, place)
          if (parent === undefined || step.state === state) return step
          return {
            ...step,
            state: change(step.state, parent, { revoked: at(state.pairs, parent).revoked }),
          }
        },
      },
    ],
    [
      'a later use and a refused one write nothing',
      'member',
      {
        use(state, place) {
          const step = rules.use(state, place)
          return { ...step, state: { ...step.state } }
        },
      },
    ],
    [
      'a revocation ends the pair and its ancestors',
      'member',
      {
        revoke(state, place) {
          return { answer: 'ok', state: change(state, place, { revoked: true }) }
        },
      },
    ],
    [
      'an operator who lost the role has nothing live',
      'operator',
      {
        setRole(state, place, role) {
          const member = { ...at(state.members, place), role }
          return { ...state, members: state.members.with(place, member) }
        },
      },
    ],
    [
      'what is dead stays dead',
      'operator',
      {
        setRole(state, place, role) {
          const next = rules.setRole(state, place, role)
          if (role !== 'admin') return next
          return {
            ...next,
            authorizations: next.authorizations.map((each) => ({ ...each, ended: false })),
          }
        },
      },
    ],
    [
      'an end, a deletion and a replayed code end every pair',
      'member',
      {
        exchange: (state, place) => {
          const used = at(state.codes, place).authorization !== undefined
          return used ? { answer: 'invalid_grant', state } : rules.exchange(state, place)
        },
      },
    ],
    [
      'a write that was admitted counts for nothing once the authorization, the client or the role is gone',
      'member',
      {
        finishWrite(state, place, role) {
          const authorizations = state.authorizations.map((each) => ({ ...each, ended: false }))
          return rules.finishWrite({ ...state, authorizations }, place, role)
        },
      },
    ],
    [
      'a write that was admitted counts for nothing once the authorization, the client or the role is gone',
      'member',
      {
        finishWrite: (state, place) => rules.finishWrite(state, place, at(state.members, 0).role),
      },
    ],
    [
      'a write that was admitted counts for nothing once its pair is revoked',
      'member',
      {
        finishWrite: (state, place, role) =>
          rules.finishWrite(change(state, place, { revoked: false }), place, role),
      },
    ],
    [
      'a write that a refresh overtakes counts',
      'member',
      {
        finishWrite: (state, place, role) =>
          at(state.pairs, place).revoked
            ? { answer: 'invalid_token', state }
            : rules.finishWrite(state, place, role),
      },
    ],
    [
      'nothing is accepted without the role',
      'member',
      {
        refresh(state, old, asked) {
          const { members } = state
          const step = rules.refresh(rules.setRole(state, 0, 'admin'), old, asked)
          return step.made === undefined
            ? { ...step, state }
            : { ...step, state: { ...step.state, members } }
        },
      },
    ],
  ]

  test.each(wrong)('"%s" is broken, as %s', (says, audience, mistake) => {
    expect(() => prove({ ...rules, ...mistake }, audience)).toThrow(`not true: ${says}`)
  })
})
