import fc from 'fast-check'
import { expect } from 'vitest'
import { endAuthorization } from '../../src/domain/grants/authorizations.ts'
import { issueCode } from '../../src/domain/grants/codes.ts'
import { type Answer, aPkce } from '../support/browser-like.ts'
import { exchange, type Pair, refresh, revoke, userinfo } from '../support/client-like.ts'
import { pairIdOf } from '../support/oauth-world.ts'
import type { TestClient, TestPerson, TestSchool, World } from '../support/world.ts'
import { must, outcomeOf } from './stage.ts'

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

/** What was asked for, and what was answered: between the two, anything may be true. */
interface Deed {
  asked: boolean
  done: boolean
}

const nothing = (): Deed => ({ asked: false, done: false })

interface Family {
  readonly authorizationId: string
  readonly code: string
  readonly verifier: string
  readonly end: Deed
  readonly pairs: Kin[]
}

interface Kin {
  readonly id: string
  readonly tokens: Pair
  readonly parent: Kin | undefined
  readonly use: Deed
  readonly revocation: Deed
}

/**
 * Sends many requests for a few authorizations at once. Their order is not known, but every answer must
 * fit some order: a token that ended before the request was sent is refused, one that no other request
 * touched by the time of the answer is served, and no answer is a 5xx.
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
    const open = this.#families.filter(({ end }) => !end.asked)
    const family = open[n % open.length]
    if (family === undefined || kind === 'open') return await this.#open()
    // Mostly the young ones: the old are dead, and stay so.
    const kin = must(family.pairs.at(-1 - (n % Math.min(family.pairs.length, 10))))
    switch (kind) {
      case 'refresh':
        return await this.#refresh(family, kin)
      case 'use':
        return await this.#use(family, kin)
      case 'revokeByRefresh':
        return await this.#revoke(kin, kin.tokens.refresh_token)
      case 'revokeByAccess':
        return await this.#revoke(kin, kin.tokens.access_token)
      case 'end':
        return await this.#end(family)
      case 'replay':
        return await this.#replay(family)
    }
  }

  async #open(): Promise<void> {
    const pkce = aPkce()
    const code = await issueCode(this.#school.at, {
      clientId: this.#client.clientId,
      userId: this.#person.id,
      audience: 'member',
      scopes: ['account:read', 'openid'],
      resource: this.#school.origin,
      redirectUri: this.#client.redirectUri,
      codeChallenge: pkce.challenge,
      nonce: undefined,
      authenticatedAt: new Date(),
      device: 'a storm',
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
      end: nothing(),
      pairs: [newKin(tokens, undefined)],
    })
  }

  async #refresh(family: Family, kin: Kin): Promise<void> {
    await this.#fits(family, kin, 'invalid_grant', async () => {
      const { refresh_token } = kin.tokens
      const answer = await refresh(this.#world, this.#school, this.#client, refresh_token)
      if (answer.statusCode === 200) family.pairs.push(newKin(answer.json(), kin))
      return answer
    })
  }

  async #use(family: Family, kin: Kin): Promise<void> {
    kin.use.asked = true
    await this.#fits(family, kin, 'invalid_token', async () => {
      const answer = await userinfo(this.#world, this.#school, kin.tokens.access_token)
      if (answer.statusCode === 200) kin.use.done = true
      return answer
    })
  }

  /** Holds an answer against what is certain before the request, and possible after it. */
  async #fits(
    family: Family,
    kin: Kin,
    refusal: string,
    send: () => Promise<Answer>,
  ): Promise<void> {
    const wasDead = isDead(family, kin, 'done')
    const outcome = outcomeOf(await send())
    const mayBeDead = isDead(family, kin, 'asked')
    if (wasDead) expect(outcome).toBe(refusal)
    else if (!mayBeDead) expect(outcome).toBe('ok')
    else expect(['ok', refusal]).toContain(outcome)
  }

  async #revoke(kin: Kin, token: string): Promise<void> {
    kin.revocation.asked = true
    const answer = await revoke(this.#world, this.#school, this.#client, token)
    expect(outcomeOf(answer)).toBe('ok')
    kin.revocation.done = true
  }

  async #end(family: Family): Promise<void> {
    family.end.asked = true
    await endAuthorization(this.#school.at, family.authorizationId)
    family.end.done = true
  }

  async #replay(family: Family): Promise<void> {
    family.end.asked = true
    const answer = await this.#exchange(family.code, family.verifier)
    expect(outcomeOf(answer)).toBe('invalid_grant')
    family.end.done = true
  }

  async #exchange(code: string, verifier: string): Promise<Answer> {
    return await exchange(this.#world, this.#school, this.#client, code, verifier)
  }

  /**
   * Now that it is calm: revoked are exactly the pairs that were revoked by request, and the
   * ancestors of those and of the used ones. Nothing was lost, and nothing more was taken.
   */
  async check(): Promise<void> {
    for (const family of this.#families) {
      const rows = await this.#rows(family)
      const expected = new Set<string>()
      for (const kin of family.pairs) {
        const { used } = must(rows.get(kin.id))
        if (kin.use.done) expect(used).toBe(true)
        if (used) expect(kin.use.asked).toBe(true)
        if (kin.revocation.done) expected.add(kin.id)
        if (kin.revocation.done || used) for (const { id } of ancestors(kin)) expected.add(id)
      }
      const revoked = [...rows].filter(([, row]) => row.revoked).map(([id]) => id)
      expect(revoked.toSorted()).toEqual([...expected].toSorted())
      expect([...rows.values()].every(({ ended }) => ended === family.end.done)).toBe(true)
      await this.#knock(family, must(family.pairs.at(-1)))
    }
  }

  async #knock(family: Family, kin: Kin): Promise<void> {
    await this.#refresh(family, kin)
    await this.#use(family, kin)
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

function newKin(tokens: Pair, parent: Kin | undefined): Kin {
  return { id: pairIdOf(tokens), tokens, parent, use: nothing(), revocation: nothing() }
}

function* ancestors(kin: Kin): Generator<Kin> {
  for (let up = kin.parent; up !== undefined; up = up.parent) yield up
}

/** By what was done for certain, or by all that was asked for so far. */
function isDead(family: Family, kin: Kin, by: keyof Deed): boolean {
  if (family.end[by] || kin.revocation[by]) return true
  return family.pairs.some(
    (other) =>
      (other.revocation[by] || other.use[by]) && [...ancestors(other)].some((up) => up === kin),
  )
}
