import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)

/** How many statements `work` sends to PostgreSQL; each is a round trip and a commit. */
const cost = async (work: () => Promise<unknown>): Promise<number> =>
  (await world.database.statementsOf(work)).length

describe('round trips to the database', () => {
  test('of a bearer check: 2 at the first use, then 1', async () => {
    const pair = await aPair(world, school, client, ada)
    expect(await cost(() => userinfo(world, school, pair.access_token))).toBe(2)
    expect(await cost(() => userinfo(world, school, pair.access_token))).toBe(1)
    expect(await cost(() => userinfo(world, school, pair.access_token))).toBe(1)
  })

  test('of a value that is not a token: none', async () => {
    expect(await cost(() => userinfo(world, school, 'garbage'))).toBe(0)
    expect(await cost(() => userinfo(world, school))).toBe(0)
  })

  verifies('trouble.loads-every-tenant', 'do not grow with a hundred more schools', async () => {
    for (let more = 0; more < 100; more++) await world.aSchool({ signing: 'none' })
    const pair = await aPair(world, school, client, ada)
    await userinfo(world, school, pair.access_token)
    expect(await cost(() => userinfo(world, school, pair.access_token))).toBe(1)
    expect(await cost(() => refresh(world, school, client, pair.refresh_token))).toBe(1)
  })
})
