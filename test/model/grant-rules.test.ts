import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { consumeCode, exchangeValues } from '../../src/domain/grants/exchange-code.ts'
import { EXCHANGE_RULEBOOK } from '../../src/domain/grants/exchange-rules.ts'
import {
  findBrokenRule,
  type GrantFacts,
  mintOrRefuse,
  type Rulebook,
  type TokenRequest,
} from '../../src/domain/grants/grant-rule.ts'
import { mintChild, refreshValues } from '../../src/domain/grants/refresh-pair.ts'
import { REFRESH_RULEBOOK } from '../../src/domain/grants/refresh-rules.ts'
import { freshTokens } from '../../src/domain/grants/token-pair.ts'
import { auditOf } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'
import { anExchange, aRefresh, EXCHANGE_WAYS, REFRESH_WAYS, type Ways } from './broken-rules.ts'
import { effort, timeout } from './effort.ts'

const world = await aWorld()
const school = await world.aSchool()
const { db } = school
const found = await world.context.directory.find(school.origin)
if (found === undefined) throw new Error('the school is unknown')
const asSeen = found

/** The rules that a request breaks, by index in the list, and the way in which each is broken. */
type Broken = readonly { readonly rule: number; readonly way: number }[]

/** Breaks later rules first: if two ways change one parameter, the earlier rule stays broken. */
async function breakRules<S>(ways: Ways<S>, names: readonly string[], broken: Broken, scene: S) {
  for (const { rule, way } of [...broken].sort((one, other) => other.rule - one.rule)) {
    const choices = ways[names[rule] ?? ''] ?? []
    await choices[way % choices.length]?.(scene)
  }
}

/** If the statement refuses, the list names the first broken rule; otherwise a pair is issued. */
async function expectAgreement<Request extends TokenRequest, Values, Facts extends GrantFacts>(
  rulebook: Rulebook<Request, Values, Facts>,
  request: Request,
  values: Values,
  mint: () => Promise<unknown>,
  broken: Broken,
): Promise<void> {
  const first = [...broken].sort((one, other) => one.rule - other.rule)[0]
  const expected = first === undefined ? undefined : rulebook.rules[first.rule]?.name
  const explained = await findBrokenRule(rulebook, db, request, values)
  expect(explained?.rule.name).toBe(expected)
  const outcome = await mintOrRefuse(rulebook, db, request, values, mint)
  expect(outcome.kind).toBe(expected === undefined ? 'granted' : 'refused')
  if (outcome.kind === 'refused') expect(outcome.error).toEqual(explained?.error)
}

interface Grant {
  readonly names: readonly string[]
  readonly ways: Readonly<Record<string, readonly unknown[]>>
  /** Breaks these rules of a valid request and compares the two statements. */
  readonly check: (broken: Broken) => Promise<void>
}

function namesOf({ rules }: { readonly rules: readonly { readonly name: string }[] }): string[] {
  return rules.map(({ name }) => name)
}

const GRANTS: Readonly<Record<string, Grant>> = {
  refresh: {
    names: namesOf(REFRESH_RULEBOOK),
    ways: REFRESH_WAYS,
    async check(broken) {
      const scene = await aRefresh(world, school, asSeen)
      await breakRules(REFRESH_WAYS, this.names, broken, scene)
      const values = refreshValues(db, scene.request)
      const mint = () => mintChild(db, values, 'a request')
      await expectAgreement(REFRESH_RULEBOOK, scene.request, values, mint, broken)
    },
  },
  'code exchange': {
    names: namesOf(EXCHANGE_RULEBOOK),
    ways: EXCHANGE_WAYS,
    async check(broken) {
      const scene = await anExchange(world, school, asSeen)
      await breakRules(EXCHANGE_WAYS, this.names, broken, scene)
      const tokens = freshTokens()
      const values = exchangeValues(db, scene.request, tokens.pairId)
      const mint = () => consumeCode(db, values, tokens, 'a request')
      await expectAgreement(EXCHANGE_RULEBOOK, scene.request, values, mint, broken)
    },
  },
}

for (const [name, grant] of Object.entries(GRANTS)) {
  describe(`the rules of a ${name}`, () => {
    test('all have a way to break them in this test', () => {
      expect(Object.keys(grant.ways).sort()).toEqual([...grant.names].sort())
    })

    test('accept a request that breaks none', () => grant.check([]))

    for (const [rule, ruleName] of grant.names.entries()) {
      test(`refuse by "${ruleName}" in each way to break it`, async () => {
        const ways = grant.ways[ruleName]?.length ?? 0
        for (let way = 0; way < ways; way++) await grant.check([{ rule, way }])
      })
    }

    test(
      'refuse by the earlier of two broken rules',
      async () => {
        for (const [later] of grant.names.entries()) {
          for (let rule = 0; rule < later; rule++) {
            await grant.check([
              { rule, way: 0 },
              { rule: later, way: 0 },
            ])
          }
        }
      },
      timeout,
    )

    test(
      'refuse by the first of any number of broken rules',
      async () => {
        const rule = fc.nat(grant.names.length - 1)
        const broken = fc.uniqueArray(fc.record({ rule, way: fc.nat(5) }), {
          selector: (one) => one.rule,
        })
        await fc.assert(
          fc.asyncProperty(broken, (chosen) => grant.check(chosen)),
          { numRuns: 30 * effort, seed: 6749 },
        )
      },
      timeout,
    )
  })
}

describe('a refused request whose rules all hold when they are checked again', () => {
  /** The rows change between the two statements, in the first `times` attempts. */
  async function settle(times: number) {
    const { request } = await aRefresh(world, school, asSeen)
    const values = refreshValues(db, request)
    let refused = 0
    return await mintOrRefuse(REFRESH_RULEBOOK, db, request, values, async () =>
      refused++ < times ? undefined : await mintChild(db, values, 'a request'),
    )
  }

  test('is executed once more', async () => {
    expect((await settle(1)).kind).toBe('granted')
  })

  test('is answered with "try again" if that fails too, without an audit entry', async () => {
    const outcome = await settle(2)
    if (outcome.kind === 'granted') throw new Error('granted')
    expect([outcome.error.code, outcome.error.status, outcome.error.retryAfter]).toEqual([
      'temporarily_unavailable',
      503,
      1,
    ])
    const rows = await auditOf(school, () => settle(2))
    expect(rows.filter(({ action }) => action === 'token.refused')).toEqual([])
  })
})
