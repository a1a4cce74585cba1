import { expect, test } from 'vitest'
import { CROWDED } from '../../src/foundation/db/time-outs.ts'
import { aPair, userinfo } from '../support/client-like.ts'
import { getFrom } from '../support/oauth-world.ts'
import { connect } from '../support/postgres.ts'
import { aWorld } from '../support/world.ts'

test('strangers who wait for a slow table: further ones are refused at the door, members and other schools are served', async () => {
  const world = await aWorld({
    databaseSettings: { statementTimeoutMs: 600_000 },
    line: { turnMs: Number.POSITIVE_INFINITY, waitMs: 50 },
  })
  const [school, other] = [await world.aSchool(), await world.aSchool()]
  const client = await world.aPublicClient(school)
  const { access_token } = await aPair(world, school, client, await world.aMember(school))
  const home = () => getFrom(world, school, '/', { accept: 'text/html' })
  const waiting = () => world.database.pools.stranger.waitingOf(school.id)
  const holder = await connect(world.database.connection)
  try {
    await holder.query('begin; lock table courses in access exclusive mode')
    const crowd = Array.from({ length: 2 * CROWDED }, home)
    await expect.poll(waiting).toBeGreaterThanOrEqual(CROWDED)

    const refused = await home()
    expect(refused.statusCode).toBe(503)
    expect(refused.headers['retry-after']).toBe('2')
    expect((await userinfo(world, school, access_token)).statusCode).toBe(200)
    expect((await getFrom(world, other, '/oauth/jwks')).statusCode).toBeLessThan(500)

    await holder.query('rollback')
    const statuses = (await Promise.all(crowd)).map(({ statusCode }) => statusCode)
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  } finally {
    await holder.end()
  }
  expect((await home()).statusCode).toBe(200)
})
