import fc from 'fast-check'
import { expect } from 'vitest'
import { endAuthorization } from '../../src/domain/grants/authorizations.ts'
import { type Answer, aPkce } from '../support/browser-like.ts'
import { exchange, type Pair, refresh, revoke, userinfo } from '../support/client-like.ts'
import { anIssuedCode } from '../support/issued-code.ts'
import { ageUse, pairIdOf } from '../support/oauth-world.ts'
import type { TestClient, TestPerson, TestSchool, World } from '../support/world.ts'
import { must, outcomeOf } from './real-server.ts'

const KINDS = {
  refresh: 40,
  use: 36,
  revokeByRefresh: 4,
  revokeByAccess: 4,
  end: 1,
  replay: 1,
  open: 4,
} as const

export interface StormAct {
  readonly kind: keyof typeof KINDS
  readonly n: number
}

export function stormActs(): fc.Arbitrary<StormAct> {
  const kinds = Object.entries(KINDS).map(([kind, weight]) => ({
    weight,
    arbitrary: fc.constant(kind as keyof typeof KINDS),
  }))
  return fc.record({ kind: fc.oneof(...kinds), n: fc.nat(9999) })
}

/** Between the request and its answer, the change may or may not have happened. */
interface Change {
  requested: boolean
  done: boolean
}

const noChange = (): Change => ({ requested: false, done: false })

interface Family {
  readonly authorizationId: string
  readonly code: string
  readonly verifier: string
  readonly end: Change
  readonly pairs: PairNode[]
}

interface PairNode {
  readonly id: string
  readonly tokens: Pair
  readonly parent: PairNode | undefined
  readonly use: Change
  readonly revocation: Change
}

/**
 * Sends many requests for a few authorizations at once. Their order is not known, but every answer
 * must fit some order: a token that ended before the request was sent is refused, one that no other
 * request touched by the time of the answer is served, and no answer is a 5xx.
 */
export class Storm {
  readonly #world: World
  readonly #school: TestSchool
  readonly #client: TestClient
  readonly #person: TestPerson
  readonly #families: Family[] = []

  constructor(world: World, school: TestSchool, client: TestClient, person: TestPerson) {
    this.#world = world
    this.#school = school
    this.#client = client
    this.#person = person
  }

  async act({ kind, n }: StormAct): Promise<void> {
    const open = this.#families.filter(({ end }) => !end.requested)
    const family = open[n % open.length]
    if (family === undefined || kind === 'open') return await this.#open()
    // Mostly the newest pairs: the old ones are revoked already.
    const node = must(family.pairs.at(-1 - (n % Math.min(family.pairs.length, 10))))
    switch (kind) {
      case 'refresh':
        return await this.#refresh(family, node)
      case 'use':
        return await this.#use(family, node)
      case 'revokeByRefresh':
        return await this.#revoke(node, node.tokens.refresh_token)
      case 'revokeByAccess':
        return await this.#revoke(node, node.tokens.access_token)
      case 'end':
        return await this.#end(family)
      case 'replay':
        return await this.#replay(family)
    }
  }

  async #open(): Promise<void> {
    const pkce = aPkce()
    const code = await anIssuedCode(this.#school.db, {
      clientId: this.#client.clientId,
      userId: this.#person.id,
      resource: this.#school.origin,
      redirectUri: this.#client.redirectUri,
      codeChallenge: pkce.challenge,
    })
    const answer = await this.#exchange(code, pkce.verifier)
    expect(outcomeOf(answer)).toBe('ok')
    const tokens: Pair = answer.json()
    const { authorization_id } = await this.#world.database.db
      .selectFrom('token_pairs')
      .select('authorization_id')
      .where('id', '=', pairIdOf(tokens))
      .executeTakeFirstOrThrow()
    this.#families.push({
      authorizationId: authorization_id,
      code,
      verifier: pkce.verifier,
      end: noChange(),
      pairs: [newNode(tokens, undefined)],
    })
  }

  async #refresh(family: Family, node: PairNode): Promise<void> {
    await this.#expectFit(family, node, 'invalid_grant', async () => {
      const { refresh_token } = node.tokens
      const answer = await refresh(this.#world, this.#school, this.#client, refresh_token)
      if (answer.statusCode === 200) family.pairs.push(newNode(answer.json(), node))
      return answer
    })
  }

  async #use(family: Family, node: PairNode): Promise<void> {
    node.use.requested = true
    await this.#expectFit(family, node, 'invalid_token', async () => {
      const answer = await userinfo(this.#world, this.#school, node.tokens.access_token)
      if (answer.statusCode === 200) node.use.done = true
      return answer
    })
  }

  /** Compares an answer with what is certain before the request and possible after it. */
  async #expectFit(
    family: Family,
    node: PairNode,
    refusal: string,
    send: () => Promise<Answer>,
  ): Promise<void> {
    const wasRevoked = isRevoked(family, node, 'done')
    const outcome = outcomeOf(await send())
    const mayBeRevoked = isRevoked(family, node, 'requested')
    if (wasRevoked) expect(outcome).toBe(refusal)
    else if (!mayBeRevoked) expect(outcome).toBe('ok')
    else expect(['ok', refusal]).toContain(outcome)
  }

  async #revoke(node: PairNode, token: string): Promise<void> {
    node.revocation.requested = true
    const answer = await revoke(this.#world, this.#school, this.#client, token)
    expect(outcomeOf(answer)).toBe('ok')
    node.revocation.done = true
  }

  async #end(family: Family): Promise<void> {
    family.end.requested = true
    await endAuthorization(this.#school.db, family.authorizationId)
    family.end.done = true
  }

  async #replay(family: Family): Promise<void> {
    family.end.requested = true
    await ageUse(this.#world, family.code)
    const answer = await this.#exchange(family.code, family.verifier)
    expect(outcomeOf(answer)).toBe('invalid_grant')
    family.end.done = true
  }

  async #exchange(code: string, verifier: string): Promise<Answer> {
    return await exchange(this.#world, this.#school, this.#client, code, verifier)
  }

  /**
   * After all answers: the revoked pairs are exactly those that a request revoked, and the
   * ancestors of revoked and used pairs.
   */
  async check(): Promise<void> {
    for (const family of this.#families) {
      const rows = await this.#rows(family)
      const expected = new Set<string>()
      for (const node of family.pairs) {
        const { used } = must(rows.get(node.id))
        if (node.use.done) expect(used).toBe(true)
        if (used) expect(node.use.requested).toBe(true)
        if (node.revocation.done) expected.add(node.id)
        if (node.revocation.done || used) for (const { id } of ancestors(node)) expected.add(id)
      }
      const revoked = [...rows].filter(([, row]) => row.revoked).map(([id]) => id)
      expect(revoked.toSorted()).toEqual([...expected].toSorted())
      expect([...rows.values()].every(({ ended }) => ended === family.end.done)).toBe(true)
      await this.#tryTokens(family, must(family.pairs.at(-1)))
    }
  }

  async #tryTokens(family: Family, node: PairNode): Promise<void> {
    await this.#refresh(family, node)
    await this.#use(family, node)
  }

  async #rows(family: Family) {
    const rows = await this.#world.database.db
      .selectFrom('token_pairs as p')
      .innerJoin('authorizations as a', 'a.id', 'p.authorization_id')
      .where('a.id', '=', family.authorizationId)
      .select(['p.id', 'p.first_used_at', 'p.revoked_at', 'a.revoked_at as ended_at'])
      .execute()
    return new Map(
      rows.map((row) => [
        row.id,
        {
          used: row.first_used_at !== null,
          revoked: row.revoked_at !== null,
          ended: row.ended_at !== null,
        },
      ]),
    )
  }
}

function newNode(tokens: Pair, parent: PairNode | undefined): PairNode {
  return { id: pairIdOf(tokens), tokens, parent, use: noChange(), revocation: noChange() }
}

function* ancestors(node: PairNode): Generator<PairNode> {
  for (let up = node.parent; up !== undefined; up = up.parent) yield up
}

/** By the changes that are done for certain, or by all that were requested so far. */
function isRevoked(family: Family, node: PairNode, by: keyof Change): boolean {
  if (family.end[by] || node.revocation[by]) return true
  return family.pairs.some(
    (other) =>
      (other.revocation[by] || other.use[by]) && [...ancestors(other)].some((up) => up === node),
  )
}
