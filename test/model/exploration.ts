import {
  type Audience,
  at,
  type Role,
  type Rules,
  type State,
  type Step,
} from './reference-model.ts'

/** The tokens that one process of the client knows. */
interface Process {
  readonly holds: number
  /** The server has made this pair, and its answer is on the way. */
  readonly awaits: number | undefined
}

/**
 * One authorization, and a client that runs as two processes with one store of tokens between them.
 */
export interface Scene {
  readonly state: State
  readonly processes: readonly [Process, Process]
  /** The pair of the last answer that arrived. A process whose token is refused reads it. */
  readonly stored: number
  readonly answersToLose: number
  readonly crashesLeft: number
}

export type Move =
  | 'refresh'
  | 'use'
  | 'revoke'
  | 'answer'
  | 'lost answer'
  | 'crash'
  | 'role'
  | 'scopes'
  | 'delete client'
  | 'delete person'
  | 'end'
  | 'replayed code'

export interface Transition {
  readonly move: Move
  readonly before: Scene
  readonly after: Scene
  readonly answer?: Step['answer']
  /** The pair that a request is about, and the one it made; -1 where there is none. */
  readonly pair: number
  readonly made: number
}

const NO_PAIR = { pair: -1, made: -1 }

export const SCOPES = ['read', 'write']
const MOST_GENERATIONS = 3
const MOST_SIBLINGS = 2

function firstScene(rules: Rules, audience: Audience): Scene {
  const nothing: State = {
    clients: [{ scopes: SCOPES, deleted: false }],
    members: [{ person: 0, role: 'admin' }],
    codes: [],
    authorizations: [],
    pairs: [],
  }
  const agreed = rules.consent(nothing, { client: 0, member: 0, audience, scopes: SCOPES })
  const { state } = rules.exchange(agreed, 0)
  const process = { holds: 0, awaits: undefined }
  const processes = [process, process] as const
  return { state, processes, stored: 0, answersToLose: 1, crashesLeft: 1 }
}

/** Visits every scene that can be reached, and shows each step between two of them once. */
export function explore(
  rules: Rules,
  audience: Audience,
  onStep: (step: Transition) => void,
): { readonly scenes: number; readonly steps: number } {
  const first = firstScene(rules, audience)
  const seen = new Seen()
  seen.add(first)
  const open = [first]
  let steps = 0
  for (let scene = open.pop(); scene !== undefined; scene = open.pop()) {
    for (const step of moves(rules, scene)) {
      steps += 1
      onStep(step)
      if (!isSame(step) && seen.add(step.after)) open.push(step.after)
    }
  }
  return { scenes: seen.size, steps }
}

/** A step without effect leads nowhere new; to see it costs less than a key. */
function isSame({ before, after }: Transition): boolean {
  return (
    after === before ||
    (after.state === before.state &&
      after.processes === before.processes &&
      after.stored === before.stored)
  )
}

/**
 * Everything that can happen next. A crash of the server before it wrote is no step; after it, its
 * answer is lost.
 */
function* moves(rules: Rules, scene: Scene): Generator<Transition> {
  for (const [which, process] of scene.processes.entries()) {
    if (scene.crashesLeft > 0) yield crash(scene, which)
    if (process.awaits === undefined) yield* requests(rules, scene, which, process.holds)
    else yield* answers(scene, which, process.awaits)
  }
  yield* changesFromOutside(rules, scene)
}

function crash(before: Scene, which: number): Transition {
  const restarted = { holds: before.stored, awaits: undefined }
  const after = { ...withProcess(before, which, restarted), crashesLeft: before.crashesLeft - 1 }
  return { move: 'crash', before, after, ...NO_PAIR }
}

function* requests(
  rules: Rules,
  before: Scene,
  which: number,
  pair: number,
): Generator<Transition> {
  const { state } = before
  if (mayHaveChild(state, pair)) {
    const refreshed = rules.refresh(state, pair)
    const holds = refreshed.made === undefined ? before.stored : pair
    const process = { holds, awaits: refreshed.made }
    yield happened('refresh', before, withProcess(before, which, process), refreshed, pair)
  }
  yield happened('use', before, before, rules.use(state, pair), pair)
  for (const by of ['access', 'refresh'] as const) {
    yield happened('revoke', before, before, rules.revoke(state, pair, by), pair)
  }
}

function happened(
  move: Move,
  before: Scene,
  after: Scene,
  { state, answer, made = -1 }: Step,
  pair: number,
): Transition {
  return { move, before, after: { ...after, state }, answer, pair, made }
}

function* answers(before: Scene, which: number, awaits: number): Generator<Transition> {
  const arrived = withProcess(before, which, { holds: awaits, awaits: undefined })
  yield { move: 'answer', before, after: { ...arrived, stored: awaits }, ...NO_PAIR }
  if (before.answersToLose === 0) return
  const { holds } = at(before.processes, which)
  const lost = withProcess(before, which, { holds, awaits: undefined })
  const after = { ...lost, answersToLose: before.answersToLose - 1 }
  yield { move: 'lost answer', before, after, ...NO_PAIR }
}

function* changesFromOutside(rules: Rules, before: Scene): Generator<Transition> {
  const { state } = before
  const to = (move: Move, next: State): Transition => ({
    move,
    before,
    after: { ...before, state: next },
    ...NO_PAIR,
  })
  for (const role of ['admin', 'student', 'none'] satisfies Role[]) {
    if (role !== at(state.members, 0).role) yield to('role', rules.setRole(state, 0, role))
  }
  for (let n = 0; n <= SCOPES.length; n++) {
    const scopes = SCOPES.slice(0, n)
    if (n !== at(state.clients, 0).scopes.length)
      yield to('scopes', rules.setScopes(state, 0, scopes))
  }
  yield to('delete client', rules.deleteClient(state, 0))
  yield to('delete person', rules.deletePerson(state, 0))
  yield to('end', rules.end(state, 0))
  yield to('replayed code', rules.exchange(rules.ageUse(state, 0), 0).state)
}

function withProcess(scene: Scene, which: number, process: Process): Scene {
  const [first, second] = scene.processes
  return { ...scene, processes: which === 0 ? [process, second] : [first, process] }
}

function mayHaveChild({ pairs }: State, place: number): boolean {
  const children = pairs.filter(({ parent }) => parent === place).length
  return children < MOST_SIBLINGS && ancestors(pairs, place).length + 1 < MOST_GENERATIONS
}

export function ancestors(pairs: State['pairs'], place: number): readonly number[] {
  const { parent } = at(pairs, place)
  return parent === undefined ? [] : [parent, ...ancestors(pairs, parent)]
}

/**
 * Remembers scenes. Two count as the same if they differ only in the order of siblings, in the
 * names of the processes, or in what no later step depends on: the scopes of a pair, and everything
 * else once the authorization has ended. Numbers instead of strings make this quick: a scene is its
 * surroundings with the first pair, and the tree below that pair.
 */
class Seen {
  readonly #below = new Map<number, Set<number>>()
  size = 0

  /** Whether it is new. */
  add(scene: Scene): boolean {
    const [first, second] = scene.processes
    const one = drawn(scene, first, second)
    const other = drawn(scene, second, first)
    const { around, tree } =
      one.around < other.around || (one.around === other.around && one.tree < other.tree)
        ? one
        : other
    const trees = this.#below.get(around) ?? new Set()
    if (trees.has(tree)) return false
    this.#below.set(around, trees.add(tree))
    this.size += 1
    return true
  }
}

function drawn(scene: Scene, first: Process, second: Process): { around: number; tree: number } {
  const { state, stored, answersToLose, crashesLeft } = scene
  const [client, member] = [at(state.clients, 0), at(state.members, 0)]
  if (at(state.authorizations, 0).ended) return { around: 0, tree: Number(client.deleted) }
  const { pairs } = state
  const label = (place: number): number =>
    Number(at(pairs, place).used) +
    Number(at(pairs, place).revoked) * 2 +
    Number(stored === place) * 4 +
    Number(first.holds === place) * 8 +
    Number(first.awaits === place) * 16 +
    Number(second.holds === place) * 32 +
    Number(second.awaits === place) * 64
  /** Both children as one number, the larger first; `bits` is the room that a child needs. */
  const children = (place: number, bits: number): number => {
    let [larger, smaller] = [0, 0]
    for (let child = place + 1; child < pairs.length; child++) {
      if (at(pairs, child).parent !== place) continue
      const below = bits === 24 ? children(child, 8) : 0
      const code = label(child) + 1 + below * 256
      if (code > larger) [larger, smaller] = [code, larger]
      else smaller = code
    }
    return larger * 2 ** bits + smaller
  }
  const around =
    1 +
    Number(client.scopes.length === 0) +
    Number(member.role === 'none') * 2 +
    answersToLose * 4 +
    crashesLeft * 8 +
    label(0) * 16
  return { around, tree: children(0, 24) }
}
