import fc from 'fast-check'
import { expect } from 'vitest'
import type { Answer } from '../support/browser-like.ts'
import { outcomeOf, type Participants, RealServer } from './real-server.ts'
import {
  isLive,
  type ModelClient,
  type ModelCode,
  type ModelMember,
  type ModelPair,
  ReferenceModel,
  type Refusal,
} from './reference-model.ts'

/** The model, and the token pairs that the clients of this story have. */
export interface Story {
  readonly model: ReferenceModel
  readonly clients: readonly (ModelClient & { readonly school: number })[]
  readonly members: readonly (ModelMember & { readonly school: number })[]
  /** Pairs whose answer arrived; no client knows the tokens of a lost answer. */
  readonly held: ModelPair[]
}

/** At each school two public clients and a confidential one, and two members with their roles. */
export async function aStory(
  participants: Participants,
): Promise<{ model: Story; real: RealServer }> {
  const real = new RealServer(participants)
  const clients = [0, 0, 0, 1, 1, 1].map((school, n) => ({
    name: `client ${n}`,
    school,
    scopes: SCOPES,
    deleted: false,
  }))
  const members = participants.members.map(({ school }, n) => ({
    name: `member ${n}`,
    school: participants.schools.indexOf(school),
    hasRole: true,
  }))
  for (const [n, client] of clients.entries()) {
    const school = participants.schools[client.school]
    if (school !== undefined) await real.addClient(client, school, n % 3 === 2)
  }
  for (const [n, member] of members.entries()) {
    const who = participants.members[n]
    if (who !== undefined) await real.addMember(member, who)
  }
  return { model: { model: new ReferenceModel(), clients, members, held: [] }, real }
}

export type StoryCommand = fc.AsyncCommand<Story, RealServer>
type Act = (story: Story, server: RealServer, pick: Pick, more: number) => Promise<void>
type Pick = <T>(from: readonly T[]) => T | undefined

/** A step chooses its client, pair or code by a number, so that it is possible in any state. */
function step(name: string, act: Act): fc.Arbitrary<StoryCommand> {
  return fc.tuple(fc.nat(999), fc.nat(11)).map(([n, more]) => ({
    check: () => true,
    async run(story, server) {
      await act(story, server, (from) => from[n % from.length], more)
      expect(await server.rows()).toEqual(server.expectedRows(story.model))
    },
    toString: () => `${name}(${n}, ${more})`,
  }))
}

/** In the order of the server's answers. */
const SCOPES = ['account:read', 'account:write', 'email', 'openid', 'profile']

/** Mostly a live pair, so that the story continues; sometimes any pair that a client ever got. */
function pickPair(held: readonly ModelPair[], pick: Pick, more: number): ModelPair | undefined {
  const live = held.filter(isLive)
  return pick(live.length === 0 || more % 5 === 0 ? held : live)
}

const consent: Act = async (story, server, pick, more) => {
  await agree(story, server, pick, more)
}

async function agree(
  { model, clients, members }: Story,
  server: RealServer,
  pick: Pick,
  more: number,
): Promise<ModelCode | undefined> {
  const client = pick(clients.filter(({ deleted }) => !deleted))
  const present = members.filter(({ school, hasRole }) => hasRole && school === client?.school)
  const member = present[more % present.length]
  if (client === undefined || member === undefined) return undefined
  // A request for a scope that the client lost is refused before the page.
  const asked = SCOPES.slice(0, 2 + (more % 4)).filter((scope) => client.scopes.includes(scope))
  if (asked.length === 0) return undefined
  const code = model.consent(client, member, asked)
  await server.consent(code)
  return code
}

async function trade(story: Story, server: RealServer, code: ModelCode | undefined, lost: boolean) {
  if (code === undefined) return
  const expected = story.model.exchange(code)
  await settle(story, server, expected, await server.exchange(code), lost)
}

const authorize: Act = async (story, server, pick, more) => {
  await trade(story, server, await agree(story, server, pick, more), false)
}

const exchange =
  (lost: boolean): Act =>
  async (story, server, pick) => {
    const unused = story.model.codes.filter(({ authorization }) => authorization === undefined)
    await trade(story, server, pick(unused), lost)
  }

/** Any code, mostly a used one: a retry of the client and a thief's attempt look the same. */
const replay: Act = async (story, server, pick) => {
  await trade(story, server, pick(story.model.codes), false)
}

const refresh =
  (lost: boolean): Act =>
  async (story, server, pick, more) => {
    const pair = pickPair(story.held, pick, more)
    if (pair === undefined) return
    const granted = pair.authorization.scopes
    const asked = [undefined, undefined, granted.slice(0, 1 + (more % 3)), SCOPES][more % 4]
    const expected = story.model.refresh(pair, asked)
    await settle(story, server, expected, await server.refresh(pair, asked), lost)
  }

/** The server made the pair of a lost answer: its row exists, but no client knows its tokens. */
async function settle(
  story: Story,
  server: RealServer,
  expected: ModelPair | Refusal,
  answer: Answer,
  lost: boolean,
): Promise<void> {
  expect(outcomeOf(answer)).toBe(typeof expected === 'string' ? expected : 'ok')
  if (typeof expected === 'string') return
  await server.minted(expected, answer)
  expect(answer.json().scope).toBe(expected.scopes.join(' '))
  if (!lost) story.held.push(expected)
}

const use: Act = async ({ model, held }, server, pick, more) => {
  const pair = pickPair(held, pick, more)
  if (pair !== undefined) expect(outcomeOf(await server.use(pair))).toBe(model.use(pair))
}

const revoke: Act = async ({ model, held }, server, pick, more) => {
  const pair = pickPair(held, pick, more)
  const by = more % 2 === 0 ? 'access' : 'refresh'
  if (pair !== undefined) {
    expect(outcomeOf(await server.revoke(pair, by))).toBe(model.revoke(pair, by))
  }
}

const end: Act = async ({ model }, server, pick) => {
  const authorization = pick(model.authorizations)
  if (authorization === undefined) return
  model.end(authorization)
  await server.end(authorization)
}

const deleteClient: Act = async ({ model, clients }, server, pick) => {
  const client = pick(clients.filter(({ deleted }) => !deleted))
  if (client === undefined) return
  model.deleteClient(client)
  await server.deleteClient(client)
}

/** An operator narrows or widens the application, down to one scope and up to all. */
const changeScopes: Act = async ({ clients }, server, pick, more) => {
  const client = pick(clients.filter(({ deleted }) => !deleted))
  if (client === undefined) return
  client.scopes = SCOPES.slice(more % SCOPES.length)
  await server.changeScopes(client)
}

const changeRole: Act = async ({ members }, server, pick) => {
  const member = pick(members)
  if (member === undefined) return
  member.hasRole = !member.hasRole
  await server.changeRole(member)
}

const expire: Act = async ({ held }, server, pick, more) => {
  const pair = pickPair(held, pick, more)
  if (pair === undefined) return
  const which = more % 3 === 0 ? 'refresh' : 'access'
  pair[`${which}Expired`] = true
  await server.expire(pair, which)
}

const expireCode: Act = async ({ model }, server, pick) => {
  const code = pick(model.codes)
  if (code === undefined) return
  code.expired = true
  await server.expireCode(code)
}

/** Another client of the school presents both tokens: it can neither revoke nor refresh them. */
const otherClient: Act = async ({ held, clients }, server, pick, more) => {
  const pair = pickPair(held, pick, more)
  const thief = clients.find(
    (client) =>
      !client.deleted &&
      client !== pair?.authorization.client &&
      client.school === clients.find((own) => own === pair?.authorization.client)?.school,
  )
  if (pair === undefined || thief === undefined) return
  const by = more % 2 === 0 ? 'access' : 'refresh'
  expect(outcomeOf(await server.revoke(pair, by, thief))).toBe('ok')
  expect(outcomeOf(await server.refresh(pair, undefined, thief))).toBe('invalid_grant')
}

/** The access token is sent to the other school: refused, and not its first use. */
const elsewhere: Act = async ({ held, clients }, server, pick, more) => {
  const pair = pickPair(held, pick, more)
  const own = clients.find((client) => client === pair?.authorization.client)
  if (pair === undefined || own === undefined) return
  const other = server.schools[own.school === 0 ? 1 : 0]
  expect(outcomeOf(await server.use(pair, other))).toBe('invalid_token')
}

/** Weights keep stories going: many refreshes and uses, few steps that end an authorization. */
export function storySteps(): fc.Arbitrary<StoryCommand> {
  return fc.oneof(
    { weight: 8, arbitrary: step('authorize', authorize) },
    { weight: 3, arbitrary: step('consent', consent) },
    { weight: 3, arbitrary: step('exchange', exchange(false)) },
    { weight: 1, arbitrary: step('exchange, answer lost', exchange(true)) },
    { weight: 1, arbitrary: step('exchange again', replay) },
    { weight: 14, arbitrary: step('refresh', refresh(false)) },
    { weight: 4, arbitrary: step('refresh, answer lost', refresh(true)) },
    { weight: 12, arbitrary: step('use', use) },
    { weight: 3, arbitrary: step('revoke', revoke) },
    { weight: 1, arbitrary: step('end the authorization', end) },
    { weight: 1, arbitrary: step('delete the client', deleteClient) },
    { weight: 2, arbitrary: step('give or take the role', changeRole) },
    { weight: 3, arbitrary: step('give or take scopes', changeScopes) },
    { weight: 4, arbitrary: step('expire', expire) },
    { weight: 1, arbitrary: step('expire the code', expireCode) },
    { weight: 2, arbitrary: step('tokens of another client', otherClient) },
    { weight: 2, arbitrary: step('at the other school', elsewhere) },
  )
}

/** At the end, sends every token to the server once more. */
export async function tryEverything(story: Story, server: RealServer): Promise<void> {
  for (const pair of [...story.held]) {
    const expected = story.model.refresh(pair)
    await settle(story, server, expected, await server.refresh(pair), true)
    expect(outcomeOf(await server.use(pair))).toBe(story.model.use(pair))
  }
  expect(await server.rows()).toEqual(server.expectedRows(story.model))
}
