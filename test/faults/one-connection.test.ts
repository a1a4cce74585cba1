import { expect, test } from 'vitest'
import { documentHost, follow, roadsTo } from '../support/mixed-requests.ts'
import { aWorld } from '../support/world.ts'

test('with one connection for each class of work every request is answered: none waits for a second one', async () => {
  const world = await aWorld({
    loopbackDocuments: true,
    documentHosts: ['127.0.0.1'],
    databaseSettings: { poolSize: 1 },
  })
  const school = await world.aSchool()
  const roads = await roadsTo(world, school, await documentHost())
  for (const road of roads) await follow(road)
  // Each waits for the others here, and would wait for itself if it held one connection and asked
  // for another.
  await Promise.all(roads.map(follow))
  expect(world.database.pools.interactive.counts).toMatchObject({ total: 1, waiting: 0 })
})
