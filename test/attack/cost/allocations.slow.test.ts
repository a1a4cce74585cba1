import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { postModern } from '../../flows/mcp/tool-endpoint.ts'
import { aPair, refresh, userinfo } from '../../support/client-like.ts'
import { aListeningSchool } from '../../support/listening-school.ts'
import { postGraphQL } from '../../support/member-api.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await aListeningSchool(world)
const client = await world.aPublicClient(school)
const pair = await aPair(world, school, client, await world.aMember(school))
const headers = { host: new URL(school.origin).host }
const DISCOVERY = { url: '/.well-known/openid-configuration', headers }

const bare = Fastify()
bare.get('/', async () => ({ constant: true }))
afterAll(() => bare.close())

const ROUNDS = 41
const REQUESTS = 10

type Work = () => Promise<{ readonly statusCode: number }>

/**
 * Bytes that a request leaves on the heap, as the median of many rounds: garbage collection spoils
 * some rounds, and other work in the process makes some too large.
 */
async function bytesOf(work: Work): Promise<number> {
  for (let warm = 0; warm < 100; warm++) expect((await work()).statusCode).toBe(200)
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.memoryUsage().heapUsed
    for (let request = 0; request < REQUESTS; request++) await work()
    rounds.push((process.memoryUsage().heapUsed - before) / REQUESTS)
  }
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN
}

// The limit is a multiple of what plain Fastify leaves for a constant: a fifth above the measured
// value.
test.each<readonly [string, Work, number]>([
  ['discovery', () => world.app.inject(DISCOVERY), 1.8],
  ['UserInfo', () => userinfo(world, school, pair.access_token), 3],
  ['refresh', () => refresh(world, school, client, pair.refresh_token), 4.2],
  [
    'viewer{id}',
    () => postGraphQL(world, school, pair.access_token, '{"query":"{viewer{id}}"}'),
    3.5,
  ],
  ['tools/list', () => postModern(world, school, 'tools/list'), 21],
])('%s leaves no more behind than it needs to', async (_name, work, most) => {
  const floor = await bytesOf(() => bare.inject({ url: '/', headers }))
  expect((await bytesOf(work)) / floor).toBeLessThan(most)
})
