import { describe, expect, test } from 'vitest'
import { anOperator } from '../support/admin-api.ts'
import { aPkce, authorizeParameters, Visitor } from '../support/browser-like.ts'
import { aToken } from '../support/member-api.ts'
import { signedIn } from '../support/operator-like.ts'
import { aWorld } from '../support/world.ts'
import { postModern } from './mcp/tool-endpoint.ts'

const world = await aWorld()
const school = await world.aSchool()

/**
 * How many statements a request sends when its school is cached. The bounds of all endpoints are in
 * `test/fixtures/statements-per-request.json`; these tests say what some of the statements are for.
 */
async function cost(work: () => Promise<{ readonly statusCode: number }>): Promise<number> {
  const warm = await work()
  expect(warm.statusCode).toBeLessThan(400)
  return (await world.database.statementsOf(work)).length
}

describe('statements per request', () => {
  test('the tool endpoint: none without a token, one for the token and its owner', async () => {
    expect(await cost(() => postModern(world, school, 'tools/list'))).toBe(0)
    for (const token of [
      await aToken(world, school, await world.aMember(school)),
      (await anOperator(world, school)).accessToken,
    ]) {
      expect(
        await cost(() => postModern(world, school, 'tools/list', {}, { token })),
      ).toBeLessThanOrEqual(1)
    }
  })

  test('an authorization: the client, the session and, once allowed, the code and its entry', async () => {
    const client = await world.aPublicClient(school)
    const stranger = new Visitor(world, school)
    const asked = `/oauth/authorize?${authorizeParameters(school, client, aPkce())}`
    expect(await cost(() => stranger.get(asked))).toBeLessThanOrEqual(1)
    const visitor = await signedIn(world, school, await world.aMember(school))
    expect(await cost(() => visitor.get(asked))).toBeLessThanOrEqual(2)
    const page = await visitor.get(String((await visitor.get(asked)).headers.location))
    expect(await cost(() => visitor.decide(page, 'allow'))).toBeLessThanOrEqual(4)
  })

  test('a sign-in: the throttle before and after, the person and the session', async () => {
    const ada = await world.aMember(school)
    const enter = async () => {
      const visitor = new Visitor(world, school)
      return await visitor.signIn(await visitor.get('/sign-in'), ada)
    }
    expect(await cost(enter)).toBeLessThanOrEqual(8)
  })

  test('a repeated write: the stored answer instead of a second post', async () => {
    const operator = await anOperator(world, school)
    const headers = { 'idempotency-key': 'once' }
    const create = () => operator.post('/posts', { slug: 'once', title: 'A post' }, headers)
    expect(await cost(create)).toBeLessThanOrEqual(6)
  })

  test('a list of the Admin API: as many with fifty rows as with one', async () => {
    const operator = await anOperator(world, school)
    const few = await cost(() => operator.get('/members?limit=1'))
    for (let more = 0; more < 50; more++) await world.aMember(school)
    expect(await cost(() => operator.get('/members?limit=50'))).toBeLessThanOrEqual(few)
  })
})
