import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { markFirstUse } from '../../src/domain/grants/token-pair.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, type Pair, postForm, refresh, revoke, userinfo } from '../support/client-like.ts'
import { agePair, isLive, pairIdOf, pairRow } from '../support/oauth-world.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool({ variant: 'older' })
const elsewhere = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)

const start = () => aPair(world, school, client, ada)
const childOf = async (pair: Pair): Promise<Pair> =>
  (await refresh(world, school, client, pair.refresh_token)).json()
const use = async (pair: Pair, at: TestSchool = school): Promise<number> =>
  (await userinfo(world, at, pair.access_token)).statusCode
const liveness = (...pairs: Pair[]) => Promise.all(pairs.map((pair) => isLive(world, pair)))

describe('first use', () => {
  verifies(
    'pair.refresh.first-use-retires-old',
    'of the new access token retires the old pair, and not a moment earlier',
    async () => {
      const old = await start()
      const young = await childOf(old)
      expect(await liveness(old, young)).toEqual([true, true])
      expect(await use(young)).toBe(200)
      expect(await liveness(old, young)).toEqual([false, true])
      expect(await use(old)).toBe(401)
    },
  )

  verifies(
    'pair.first-use.retires-ancestors',
    'of a grandchild also retires the unused generations between',
    async () => {
      const a = await start()
      const b = await childOf(a)
      const c = await childOf(b)
      expect(await use(c)).toBe(200)
      expect(await liveness(a, b, c)).toEqual([false, false, true])
    },
  )

  test('stops at the first used ancestor and does not change older ones', async () => {
    const a = await start()
    const b = await childOf(a)
    await use(b)
    // Made live again by SQL, to check that the walk stops at the used ancestor.
    await sql`update token_pairs set revoked_at = null where id = ${pairIdOf(a)}`.execute(
      world.database.db,
    )
    const c = await childOf(b)
    await use(c)
    expect(await liveness(a, b, c)).toEqual([true, false, true])
  })

  verifies(
    ['pair.refresh.siblings', 'pair.revoke.spares-siblings'],
    'retires the parent once; siblings do not revoke each other',
    async () => {
      const old = await start()
      const one = await childOf(old)
      const two = await childOf(old)
      const three = await childOf(old)
      expect([await use(one), await use(two), await use(three)]).toEqual([200, 200, 200])
      expect(await liveness(old, one, two, three)).toEqual([false, true, true, true])
      await revoke(world, school, client, two.refresh_token)
      expect(await liveness(one, two, three)).toEqual([true, false, true])
    },
  )

  verifies('trouble.null-parent', 'of a pair without a parent retires nothing', async () => {
    const bystander = await start()
    const pair = await start()
    expect(await use(pair)).toBe(200)
    expect(await liveness(bystander, pair)).toEqual([true, true])
  })

  verifies(
    ['pair.first-use.writes-once', 'trouble.update-per-request'],
    'is written once: later requests only read',
    async () => {
      const pair = await start()
      await use(pair)
      const { first_used_at } = await pairRow(world, pair)
      const statements = await world.database.statementsOf(async () => {
        for (let time = 0; time < 3; time++) await use(pair)
      })
      expect(statements).toHaveLength(3)
      for (const text of statements) expect(text).toMatch(/^\s*select/)
      expect((await pairRow(world, pair)).first_used_at).toEqual(first_used_at)
    },
  )

  verifies('pair.last-used', 'sets the time of last use of the authorization', async () => {
    const pair = await start()
    const lastUsed = async () => {
      const { authorization_id } = await pairRow(world, pair)
      const row = await school.db
        .from('authorizations')
        .select('last_used_at')
        .where('id', '=', authorization_id)
        .executeTakeFirstOrThrow()
      return row.last_used_at
    }
    expect(await lastUsed()).toBeNull()
    await use(pair)
    const first = await lastUsed()
    expect(first).toBeInstanceOf(Date)
    const young = await childOf(pair)
    await use(young)
    expect(Number(await lastUsed())).toBeGreaterThanOrEqual(Number(first))
  })
})

describe('what does not count as use', () => {
  const notUses: readonly [string, (young: Pair) => Promise<unknown>][] = [
    ['a call to another school', (young) => use(young, elsewhere)],
    [
      'introspection',
      (young) =>
        postForm(world, school, '/api/oauth/introspect', {
          token: young.access_token,
          client_id: client.clientId,
        }),
    ],
    ['another refresh', (young) => refresh(world, school, client, young.refresh_token)],
    ['a token cut short', (young) => userinfo(world, school, young.access_token.slice(0, -1))],
    ['the refresh token at an API', (young) => userinfo(world, school, young.refresh_token)],
    [
      'a token in the query string',
      (young) =>
        world.app.inject({
          url: `/api/oauth/userinfo?access_token=${young.access_token}`,
          headers: { host: new URL(school.origin).host },
        }),
    ],
  ]
  for (const [what, attempt] of notUses) {
    verifies('pair.first-use.not-these', `${what} retires no pair`, async () => {
      const old = await start()
      const young = await childOf(old)
      await attempt(young)
      expect((await pairRow(world, young)).first_used_at).toBeNull()
      expect(await isLive(world, old)).toBe(true)
    })
  }

  test('an expired access token is 401 and retires no pair', async () => {
    const old = await start()
    const young = await childOf(old)
    await agePair(world, young, '2 hours')
    expect(await use(young)).toBe(401)
    expect((await pairRow(world, young)).first_used_at).toBeNull()
    expect(await isLive(world, old)).toBe(true)
  })

  test('a request is refused if the authorization ends between the check and the first-use mark', async () => {
    const pair = await start()
    const { authorization_id } = await pairRow(world, pair)
    await school.db
      .update('authorizations')
      .set({ revoked_at: new Date() })
      .where('id', '=', authorization_id)
      .execute()
    expect(await markFirstUse(school.db, pairIdOf(pair))).toBe(false)
    expect((await pairRow(world, pair)).first_used_at).toBeNull()
  })

  test('the first-use mark of another school does not change the pair', async () => {
    const pair = await start()
    expect(await markFirstUse(elsewhere.db, pairIdOf(pair))).toBe(false)
    expect((await pairRow(world, pair)).first_used_at).toBeNull()
  })
})
