import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import { parseToken } from '../../src/foundation/protocol/token-format.ts'
import type { Answer } from '../support/browser-like.ts'
import type { ClientKind, Participants } from './participants.ts'
import { outcomeOf, RealServer, type Servers } from './real-server.ts'
import {
  type Audience,
  at,
  isLive,
  type Role,
  rules,
  type State,
  type Step,
} from './reference-model.ts'

/** The model's state, and the token pairs that the clients of this story have. */
export interface Story {
  state: State
  /** The place of the school of each client and of each member. */
  readonly schoolOfClient: readonly number[]
  readonly schoolOfMember: readonly number[]
  /** Pairs whose answer arrived; no client knows the tokens of a lost answer. */
  readonly held: number[]
  /** Writes that were admitted and have not ended, at the places that the server knows them by. */
  readonly writes: { readonly pair: number; readonly role: Role; isOpen: boolean }[]
}

/** In the order of the server's answers. */
const SCOPES: Readonly<Record<Audience, readonly string[]>> = {
  member: ['account:read', 'account:write', 'email', 'openid', 'profile'],
  operator: ['courses:read', 'openid', 'profile', 'school:read'],
}

/** The clients of each school: three of members and one of operators. */
const CLIENTS: readonly ClientKind[] = ['public', 'public', 'confidential', 'tool']

export async function aStory(
  participants: Participants,
  servers?: Servers,
): Promise<{ model: Story; real: RealServer }> {
  const { schools, members } = participants
  const real = new RealServer(participants, servers)
  const kinds = schools.flatMap((_, school) => CLIENTS.map((kind) => ({ kind, school })))
  for (const { kind, school } of kinds) {
    await real.addClient(at(schools, school), kind, SCOPES[audienceOf(kind)])
  }
  await real.begin()
  const people = members.map(({ person }) => person)
  const state: State = {
    clients: kinds.map(({ kind }) => ({ scopes: SCOPES[audienceOf(kind)], deleted: false })),
    members: people.map((person) => ({ person: people.indexOf(person), role: 'admin' as const })),
    codes: [],
    authorizations: [],
    pairs: [],
  }
  const schoolOfClient = kinds.map(({ school }) => school)
  const schoolOfMember = members.map(({ school }) => schools.indexOf(school))
  return { model: { state, schoolOfClient, schoolOfMember, held: [], writes: [] }, real }
}

function audienceOf(kind: ClientKind): Audience {
  return kind === 'tool' ? 'operator' : 'member'
}

function audienceOfClient(client: number): Audience {
  return audienceOf(at(CLIENTS, client % CLIENTS.length))
}

export type StoryCommand = fc.AsyncCommand<Story, RealServer>
type Act = (story: Story, server: RealServer, pick: Pick, more: number) => Promise<void>
type Pick = (from: readonly number[]) => number | undefined

/** A step chooses its client, pair or code by a number, so that it is possible in any state. */
function step(name: string, act: Act): fc.Arbitrary<StoryCommand> {
  return fc.tuple(fc.nat(999), fc.nat(11)).map(([n, more]) => ({
    check: () => true,
    async run(story, server) {
      const before = { state: story.state, requests: server.requests }
      await act(story, server, (from) => from[n % from.length], more)
      // Nothing was there that it could be done with.
      if (story.state === before.state && server.requests === before.requests) return
      await compareRows(story, server)
    },
    toString: () => `${name}(${n}, ${more})`,
  }))
}

/** Places of a list, in all or where something is true. */
function places<T>(list: readonly T[], isMeant: (each: T) => boolean = () => true): number[] {
  return [...list.keys()].filter((place) => isMeant(at(list, place)))
}

const presentClients = ({ state }: Story) => places(state.clients, ({ deleted }) => !deleted)

/** Mostly a live pair, so that the story continues; sometimes any pair that a client ever got. */
function pickPair({ held, state }: Story, pick: Pick, more: number): number | undefined {
  const live = held.filter((pair) => isLive(state, pair))
  return pick(live.length === 0 || more % 5 === 0 ? held : live)
}

const consent: Act = async (story, server, pick, more) => {
  await agree(story, server, pick, more)
}

/** A prime number and none of clients, so every kind of client meets the pages. */
const ONE_OF_MANY = Array.from({ length: 31 }, (_, place) => place)

async function agree(
  story: Story,
  server: RealServer,
  pick: Pick,
  more: number,
): Promise<number | undefined> {
  const { state, schoolOfClient, schoolOfMember } = story
  const client = pick(presentClients(story))
  if (client === undefined) return undefined
  const audience = audienceOfClient(client)
  const present = places(state.members, ({ role }) =>
    audience === 'operator' ? role === 'admin' : role !== 'none',
  ).filter((member) => schoolOfMember[member] === schoolOfClient[client])
  const member = present[more % present.length]
  if (member === undefined) return undefined
  // A request for a scope that the client lost is refused before the page.
  const scopes = SCOPES[audience]
    .slice(0, 2 + (more % 4))
    .filter((scope) => at(state.clients, client).scopes.includes(scope))
  if (scopes.length === 0) return undefined
  story.state = rules.consent(state, { client, member, audience, scopes })
  const code = story.state.codes.length - 1
  await server.consent(at(story.state.codes, code), pick(ONE_OF_MANY) === 0)
  return code
}

/**
 * What becomes of a request: its answer arrives, or is lost, or the database breaks away around it.
 */
type Fate = 'answered' | 'lost' | 'disturbed'

async function trade(
  story: Story,
  server: RealServer,
  code: number | undefined,
  fate: Fate,
  more = 0,
): Promise<void> {
  if (code === undefined) return
  const { client } = at(story.state.codes, code)
  await send(story, server, fate, more, {
    request: () => server.exchange(client, code),
    expect: (state) => rules.exchange(state, code),
  })
}

const authorize: Act = async (story, server, pick, more) => {
  await trade(story, server, await agree(story, server, pick, more), 'answered')
}

const exchange =
  (fate: Fate): Act =>
  async (story, server, pick, more) => {
    const unused = places(story.state.codes, ({ authorization }) => authorization === undefined)
    await trade(story, server, pick(unused), fate, more)
  }

/** Any code, mostly a used one: a retry of the client and a thief's attempt look the same. */
const replay =
  (fate: Fate): Act =>
  async (story, server, pick, more) => {
    await trade(story, server, pick(places(story.state.codes)), fate, more)
  }

const refresh =
  (fate: Fate): Act =>
  async (story, server, pick, more) => {
    const pair = pickPair(story, pick, more)
    if (pair === undefined) return
    const { state } = story
    const { scopes, client } = authorizationOf(state, pair)
    const all = SCOPES[audienceOfClient(client)]
    const asked = [undefined, undefined, scopes.slice(0, 1 + (more % 3)), all][more % 4]
    await send(story, server, fate, more, {
      request: () => server.refresh(client, pair, asked),
      expect: (before) => rules.refresh(before, pair, asked),
    })
  }

interface Exchange {
  readonly request: () => Promise<Answer>
  readonly expect: (state: State) => Step
}

async function send(
  story: Story,
  server: RealServer,
  fate: Fate,
  more: number,
  { request, expect: expected }: Exchange,
): Promise<void> {
  if (fate === 'disturbed') {
    await reconcile(story, server, await server.disturbed(more, request), expected)
  } else {
    settle(story, server, expected(story.state), await request(), fate === 'lost')
  }
}

/**
 * After a broken connection the server tries again, so it may have made pairs that no answer told
 * of; or it gives up with 503, and the client does not know whether it happened. Both are allowed,
 * nothing else.
 */
async function reconcile(
  story: Story,
  server: RealServer,
  answer: Answer,
  expected: Exchange['expect'],
): Promise<void> {
  const gaveUp = answer.statusCode === 503
  const unseen = await server.unknownRows()
  const answered = gaveUp ? undefined : String(answer.json().access_token)
  for (const id of unseen) {
    if (answered !== undefined && tokenIsOf(answered, id)) continue
    const { made, state } = expected(story.state)
    if (made === undefined) throw new Error('the server made a pair that it had to refuse')
    server.mintedUnseen(made, id)
    story.state = state
  }
  if (!gaveUp) settle(story, server, expected(story.state), answer, false)
  else {
    expect(answer.headers['retry-after']).toBeDefined()
    const rows = await server.rows()
    const { state, made } = expected(story.state)
    const happened =
      made === undefined && !isDeepStrictEqual(rows, server.expectedRows(story.state, rows))
    if (happened) story.state = state
  }
}

function tokenIsOf(access: string, id: string): boolean {
  return parseToken('access', access)?.id === id
}

/** The server made the pair of a lost answer: its row exists, but no client knows its tokens. */
function settle(
  story: Story,
  server: RealServer,
  expected: Step,
  answer: Answer,
  lost: boolean,
): void {
  expect(outcomeOf(answer)).toBe(expected.answer)
  story.state = expected.state
  if (expected.made === undefined) return
  server.minted(expected.made, answer)
  expect(answer.json().scope).toBe(at(story.state.pairs, expected.made).scopes.join(' '))
  if (!lost) story.held.push(expected.made)
}

const use =
  (fate: Fate): Act =>
  async (story, server, pick, more) => {
    const pair = pickPair(story, pick, more)
    if (pair === undefined) return
    const { client } = authorizationOf(story.state, pair)
    const school = at(server.schools, at(story.schoolOfClient, client))
    await send(story, server, fate, more, {
      request: () => server.use(school, pair),
      expect: (state) => rules.use(state, pair),
    })
  }

const beginWrite: Act = async (story, server, pick, more) => {
  const pair = pickPair(story, pick, more)
  if (pair === undefined) return
  const { client, member } = authorizationOf(story.state, pair)
  const admitted = rules.use(story.state, pair)
  const school = at(server.schools, at(story.schoolOfClient, client))
  expect(await server.beginWrite(school, pair)).toBe(admitted.answer)
  story.state = admitted.state
  if (admitted.answer !== 'ok') return
  story.writes.push({ pair, role: at(story.state.members, member).role, isOpen: true })
}

const finishWrite: Act = async (story, server, pick) => {
  const place = pick(places(story.writes, ({ isOpen }) => isOpen))
  if (place === undefined) return
  const write = at(story.writes, place)
  write.isOpen = false
  const expected = rules.finishWrite(story.state, write.pair, write.role).answer
  expect(await server.finishWrite(place)).toBe(expected)
}

const revoke =
  (fate: Fate): Act =>
  async (story, server, pick, more) => {
    const pair = pickPair(story, pick, more)
    if (pair === undefined) return
    const by = more % 2 === 0 ? 'access' : 'refresh'
    const { client } = authorizationOf(story.state, pair)
    await send(story, server, fate, more, {
      request: () => server.revoke(client, pair, by),
      expect: (state) => rules.revoke(state, pair, by),
    })
  }

const end: Act = async (story, server, pick) => {
  const authorization = pick(places(story.state.authorizations))
  if (authorization === undefined) return
  await server.end(at(story.state.authorizations, authorization).member, authorization)
  story.state = rules.end(story.state, authorization)
}

const deleteClient: Act = async (story, server, pick) => {
  const client = pick(presentClients(story))
  if (client === undefined) return
  await server.deleteClient(client)
  story.state = rules.deleteClient(story.state, client)
}

/** An operator narrows or widens the client, down to one scope and up to all. */
const changeScopes: Act = async (story, server, pick, more) => {
  const client = pick(presentClients(story))
  if (client === undefined) return
  const all = SCOPES[audienceOfClient(client)]
  const scopes = all.slice(more % all.length)
  await server.changeScopes(client, scopes)
  story.state = rules.setScopes(story.state, client, scopes)
}

const changeRole: Act = async (story, server, pick, more) => {
  const member = pick(places(story.state.members))
  if (member === undefined || server.isDeleted(member)) return
  const role = (['admin', 'student', 'none'] satisfies Role[])[more % 3]
  const before = at(story.state.members, member).role
  if (role === undefined || role === before) return
  await server.changeRole(member, before, role)
  story.state = rules.setRole(story.state, member, role)
}

const deletePerson: Act = async (story, server, pick) => {
  const member = pick(places(story.state.members))
  if (member === undefined || server.isDeleted(member)) return
  await server.deletePerson(member)
  story.state = rules.deletePerson(story.state, at(story.state.members, member).person)
}

const expire: Act = async (story, server, pick, more) => {
  const pair = pickPair(story, pick, more)
  if (pair === undefined) return
  const which = more % 3 === 0 ? 'refresh' : 'access'
  await server.expire(pair, which)
  story.state = rules.expire(story.state, pair, which)
}

const ageUse: Act = async (story, server, pick) => {
  const used = places(story.state.codes, ({ authorization }) => authorization !== undefined)
  const code = pick(used)
  if (code === undefined) return
  await server.ageUse(code)
  story.state = rules.ageUse(story.state, code)
}

const expireCode: Act = async (story, server, pick) => {
  const code = pick(places(story.state.codes))
  if (code === undefined) return
  await server.expireCode(code)
  story.state = rules.expireCode(story.state, code)
}

/** Another client of the school presents both tokens: it can neither revoke nor refresh them. */
const otherClient: Act = async (story, server, pick, more) => {
  const pair = pickPair(story, pick, more)
  if (pair === undefined) return
  const { client } = authorizationOf(story.state, pair)
  const thief = presentClients(story).find(
    (other) => other !== client && story.schoolOfClient[other] === story.schoolOfClient[client],
  )
  if (thief === undefined) return
  const by = more % 2 === 0 ? 'access' : 'refresh'
  expect(outcomeOf(await server.revoke(thief, pair, by))).toBe('ok')
  expect(outcomeOf(await server.refresh(thief, pair))).toBe('invalid_grant')
}

/** The access token is sent to the other school: refused, and not its first use. */
const elsewhere: Act = async (story, server, pick, more) => {
  const pair = pickPair(story, pick, more)
  if (pair === undefined) return
  const { client } = authorizationOf(story.state, pair)
  const other = server.schools[story.schoolOfClient[client] === 0 ? 1 : 0]
  if (other !== undefined) expect(outcomeOf(await server.use(other, pair))).toBe('invalid_token')
}

function authorizationOf(state: State, pair: number) {
  return at(state.authorizations, at(state.pairs, pair).authorization)
}

export function firstStep(): fc.Arbitrary<StoryCommand> {
  return step('authorize', authorize)
}

/** Weights keep stories going: many refreshes and uses, few steps that end an authorization. */
export function storySteps(): fc.Arbitrary<StoryCommand> {
  return fc.oneof(
    { weight: 8, arbitrary: step('authorize', authorize) },
    { weight: 3, arbitrary: step('consent', consent) },
    { weight: 3, arbitrary: step('exchange', exchange('answered')) },
    { weight: 1, arbitrary: step('exchange, answer lost', exchange('lost')) },
    { weight: 1, arbitrary: step('exchange again', replay('answered')) },
    { weight: 14, arbitrary: step('refresh', refresh('answered')) },
    { weight: 4, arbitrary: step('refresh, answer lost', refresh('lost')) },
    { weight: 12, arbitrary: step('use', use('answered')) },
    { weight: 5, arbitrary: step('begin a write', beginWrite) },
    { weight: 5, arbitrary: step('finish a write', finishWrite) },
    { weight: 3, arbitrary: step('revoke', revoke('answered')) },
    { weight: 1, arbitrary: step('end the authorization', end) },
    { weight: 1, arbitrary: step('delete the client', deleteClient) },
    { weight: 1, arbitrary: step('delete the person', deletePerson) },
    { weight: 3, arbitrary: step('change the role', changeRole) },
    { weight: 3, arbitrary: step('give or take scopes', changeScopes) },
    { weight: 4, arbitrary: step('expire', expire) },
    { weight: 1, arbitrary: step('expire the code', expireCode) },
    { weight: 2, arbitrary: step('ten seconds after an exchange', ageUse) },
    { weight: 2, arbitrary: step('tokens of another client', otherClient) },
    { weight: 2, arbitrary: step('at the other school', elsewhere) },
  )
}

/** The same, and requests during which the server loses its connections to the database. */
export function disturbedSteps(): fc.Arbitrary<StoryCommand> {
  return fc.oneof(
    { weight: 60, arbitrary: storySteps() },
    { weight: 2, arbitrary: step('exchange, disturbed', exchange('disturbed')) },
    { weight: 1, arbitrary: step('exchange again, disturbed', replay('disturbed')) },
    { weight: 4, arbitrary: step('refresh, disturbed', refresh('disturbed')) },
    { weight: 3, arbitrary: step('use, disturbed', use('disturbed')) },
    { weight: 2, arbitrary: step('revoke, disturbed', revoke('disturbed')) },
  )
}

/** At the end, sends every token to the server once more. */
export async function tryEverything(story: Story, server: RealServer): Promise<void> {
  for (const place of places(story.writes, ({ isOpen }) => isOpen)) {
    const { pair, role } = at(story.writes, place)
    const { answer } = rules.finishWrite(story.state, pair, role)
    expect(await server.finishWrite(place)).toBe(answer)
  }
  for (const pair of [...story.held]) {
    const { client } = authorizationOf(story.state, pair)
    const refreshed = rules.refresh(story.state, pair)
    settle(story, server, refreshed, await server.refresh(client, pair), true)
    const school = at(server.schools, at(story.schoolOfClient, client))
    const used = rules.use(story.state, pair)
    settle(story, server, used, await server.use(school, pair), false)
  }
  await compareRows(story, server)
}

/** A failed assertion describes the difference, which is slow even if there is none. */
async function compareRows({ state }: Story, server: RealServer): Promise<void> {
  const rows = await server.rows()
  const expected = server.expectedRows(state, rows)
  if (!isDeepStrictEqual(rows, expected)) expect(rows).toEqual(expected)
}
