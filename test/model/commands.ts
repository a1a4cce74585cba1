import fc from 'fast-check'
import { expect } from 'vitest'
import type { Answer } from '../support/browser-like.ts'
import {
  isLive,
  type ModelClient,
  type ModelCode,
  type ModelMember,
  type ModelPair,
  ReferenceModel,
  type Refusal,
} from './reference-model.ts'
import { type Cast, outcomeOf, Stage } from './stage.ts'

/** The model, and what the clients of the story hold. */
export interface Story {
  readonly model: ReferenceModel
  readonly clients: readonly (ModelClient & { readonly school: number })[]
  readonly members: readonly (ModelMember & { readonly school: number })[]
  /** Pairs whose answer arrived; no client has the tokens of the others. */
  readonly held: ModelPair[]
}

/** At each school two public clients and a confidential one, and two members with their roles. */
export async function aStory(cast: Cast): Promise<{ model: Story; real: Stage }> {
  const real = new Stage(cast)
  const clients = [0, 0, 0, 1, 1, 1].map((school, n) => ({
    name: `client ${n}`,
    school,
    deleted: false,
  }))
  const members = cast.members.map(({ school }, n) => ({
    name: `member ${n}`,
    school: cast.schools.indexOf(school),
    hasRole: true,
  }))
  for (const [n, client] of clients.entries()) {
    const school = cast.schools[client.school]
    if (school !== undefined) await real.addClient(client, school, n % 3 === 2)
  }
  for (const [n, member] of members.entries()) {
    const who = cast.members[n]
    if (who !== undefined) await real.addMember(member, who)
  }
  return { model: { model: new ReferenceModel(), clients, members, held: [] }, real }
}

export type StoryCommand = fc.AsyncCommand<Story, Stage>
type Act = (story: Story, stage: Stage, pick: Pick, more: number) => Promise<void>
type Pick = <T>(from: readonly T[]) => T | undefined

/** A step that chooses what it acts on by a number, so that it means something in any state. */
function step(name: string, act: Act): fc.Arbitrary<StoryCommand> {
  return fc.tuple(fc.nat(999), fc.nat(11)).map(([n, more]) => ({
    check: () => true,
    async run(story, stage) {
      await act(story, stage, (from) => from[n % from.length], more)
      expect(await stage.rows()).toEqual(stage.expectedRows(story.model))
    },
    toString: () => `${name}(${n}, ${more})`,
  }))
}

/** In the order in which the server tells them. */
const SCOPES = ['account:read', 'account:write', 'email', 'openid', 'profile']

/** Mostly a pair that lives, so that stories go on; now and then any that the client ever got. */
function pickPair(held: readonly ModelPair[], pick: Pick, more: number): ModelPair | undefined {
  const live = held.filter(isLive)
  return pick(live.length === 0 || more % 5 === 0 ? held : live)
}

const consent: Act = async (story, stage, pick, more) => {
  await agree(story, stage, pick, more)
}

async function agree(
  { model, clients, members }: Story,
  stage: Stage,
  pick: Pick,
  more: number,
): Promise<ModelCode | undefined> {
  const client = pick(clients.filter(({ deleted }) => !deleted))
  const present = members.filter(({ school, hasRole }) => hasRole && school === client?.school)
  const member = present[more % present.length]
  if (client === undefined || member === undefined) return undefined
  const code = model.consent(client, member, SCOPES.slice(0, 2 + (more % 4)))
  await stage.consent(code)
  return code
}

async function trade(story: Story, stage: Stage, code: ModelCode | undefined, lost: boolean) {
  if (code === undefined) return
  const expected = story.model.exchange(code)
  await settle(story, stage, expected, await stage.exchange(code), lost)
}

const authorize: Act = async (story, stage, pick, more) => {
  await trade(story, stage, await agree(story, stage, pick, more), false)
}

const exchange =
  (lost: boolean): Act =>
  async (story, stage, pick) => {
    const unused = story.model.codes.filter(({ authorization }) => authorization === undefined)
    await trade(story, stage, pick(unused), lost)
  }

/** Any code, mostly one that was used: an honest retry and a thief look the same. */
const replay: Act = async (story, stage, pick) => {
  await trade(story, stage, pick(story.model.codes), false)
}

const refresh =
  (lost: boolean): Act =>
  async (story, stage, pick, more) => {
    const pair = pickPair(story.held, pick, more)
    if (pair === undefined) return
    const asked = [undefined, undefined, pair.scopes.slice(0, 1 + (more % 3)), SCOPES][more % 4]
    const expected = story.model.refresh(pair, asked)
    await settle(story, stage, expected, await stage.refresh(pair, asked), lost)
  }

/** A lost answer was given all the same: the row is there, only the client never hears of it. */
async function settle(
  story: Story,
  stage: Stage,
  expected: ModelPair | Refusal,
  answer: Answer,
  lost: boolean,
): Promise<void> {
  expect(outcomeOf(answer)).toBe(typeof expected === 'string' ? expected : 'ok')
  if (typeof expected === 'string') return
  await stage.minted(expected, answer)
  expect(answer.json().scope).toBe(expected.scopes.join(' '))
  if (!lost) story.held.push(expected)
}

const use: Act = async ({ model, held }, stage, pick, more) => {
  const pair = pickPair(held, pick, more)
  if (pair !== undefined) expect(outcomeOf(await stage.use(pair))).toBe(model.use(pair))
}

const revoke: Act = async ({ model, held }, stage, pick, more) => {
  const pair = pickPair(held, pick, more)
  const by = more % 2 === 0 ? 'access' : 'refresh'
  if (pair !== undefined) {
    expect(outcomeOf(await stage.revoke(pair, by))).toBe(model.revoke(pair, by))
  }
}

const end: Act = async ({ model }, stage, pick) => {
  const authorization = pick(model.authorizations)
  if (authorization === undefined) return
  model.end(authorization)
  await stage.end(authorization)
}

const deleteClient: Act = async ({ model, clients }, stage, pick) => {
  const client = pick(clients.filter(({ deleted }) => !deleted))
  if (client === undefined) return
  model.deleteClient(client)
  await stage.deleteClient(client)
}

const changeRole: Act = async ({ members }, stage, pick) => {
  const member = pick(members)
  if (member === undefined) return
  member.hasRole = !member.hasRole
  await stage.changeRole(member)
}

const expire: Act = async ({ held }, stage, pick, more) => {
  const pair = pickPair(held, pick, more)
  if (pair === undefined) return
  const which = more % 3 === 0 ? 'refresh' : 'access'
  pair[`${which}Expired`] = true
  await stage.expire(pair, which)
}

const expireCode: Act = async ({ model }, stage, pick) => {
  const code = pick(model.codes)
  if (code === undefined) return
  code.expired = true
  await stage.expireCode(code)
}

/** Another client of the school has got hold of both tokens: they are worth nothing to it. */
const stranger: Act = async ({ held, clients }, stage, pick, more) => {
  const pair = pickPair(held, pick, more)
  const thief = clients.find(
    (client) =>
      !client.deleted &&
      client !== pair?.authorization.client &&
      client.school === clients.find((own) => own === pair?.authorization.client)?.school,
  )
  if (pair === undefined || thief === undefined) return
  const by = more % 2 === 0 ? 'access' : 'refresh'
  expect(outcomeOf(await stage.revoke(pair, by, thief))).toBe('ok')
  expect(outcomeOf(await stage.refresh(pair, undefined, thief))).toBe('invalid_grant')
}

/** The access token is shown to the other school: refused, and that was no use of it. */
const elsewhere: Act = async ({ held, clients }, stage, pick, more) => {
  const pair = pickPair(held, pick, more)
  const own = clients.find((client) => client === pair?.authorization.client)
  if (pair === undefined || own === undefined) return
  const other = stage.schools[own.school === 0 ? 1 : 0]
  expect(outcomeOf(await stage.use(pair, other))).toBe('invalid_token')
}

/** Weighed so that stories go on: refreshes and uses often, what ends everything seldom. */
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
    { weight: 4, arbitrary: step('expire', expire) },
    { weight: 1, arbitrary: step('expire the code', expireCode) },
    { weight: 2, arbitrary: step('a stranger', stranger) },
    { weight: 2, arbitrary: step('at the other school', elsewhere) },
  )
}

/** At the end every token is tried once more at the doors themselves. */
export async function tryEverything(story: Story, stage: Stage): Promise<void> {
  for (const pair of [...story.held]) {
    const expected = story.model.refresh(pair)
    await settle(story, stage, expected, await stage.refresh(pair), true)
    expect(outcomeOf(await stage.use(pair))).toBe(story.model.use(pair))
  }
  expect(await stage.rows()).toEqual(stage.expectedRows(story.model))
}
