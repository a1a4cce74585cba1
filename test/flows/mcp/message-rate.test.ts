import { expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { anOperator } from '../../support/admin-api.ts'
import type { Answer } from '../../support/browser-like.ts'
import { aPair, refresh } from '../../support/client-like.ts'
import { aWorld } from '../../support/world.ts'
import { post, type Rpc, request } from './tool-endpoint.ts'

const CALLS = 3
const MESSAGES = 2 * CALLS
const limits = { toolCallsPerMinute: CALLS }

const METHODS = [
  'ping',
  'tools/list',
  'initialize',
  'server/discover',
  'notifications/initialized',
  'no/such/method',
]

/**
 * The first answer that is 429. A slow machine gets a little more than the limit, because it grows
 * with time.
 */
async function untilRefused(send: () => Promise<Answer>, tries = 100 * CALLS): Promise<Answer> {
  for (let sent = 0; sent < tries; sent++) {
    const answer = await send()
    if (answer.statusCode === 429) return answer
  }
  throw new Error('nothing was refused')
}

/** So few that a bucket which nothing was taken from would not be empty. */
const FEW = 5

for (const method of METHODS) {
  verifies(
    'mcp.rate-limit.all',
    `${method} of a stranger is 429 beyond the limit, before its body is read`,
    async () => {
      const world = await aWorld({ limits })
      const school = await world.aSchool()
      const send = (body: unknown) => post(world, school, body)
      for (let sent = 0; sent < MESSAGES; sent++) {
        expect((await send(request(method))).statusCode).not.toBe(429)
      }
      // A body that would be 400 or 413 if it were read.
      for (const body of ['{', 'x'.repeat(2_000_000)]) {
        const refused = await untilRefused(() => send(body), FEW)
        expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
        expect(refused.headers['ratelimit-policy']).toBe(`"strangers";q=${MESSAGES};w=60`)
        expect(refused.headers.ratelimit).toMatch(/^"strangers";r=0;t=\d+$/)
        const { id, error } = refused.json<Rpc>()
        expect(id).toBeNull()
        expect(error).toMatchObject({ code: 429, message: expect.stringContaining('Try again in') })
      }
      const elsewhere = await world.aSchool()
      await untilRefused(() => post(world, elsewhere, request(method)), FEW)
    },
  )
}

verifies(
  'mcp.rate-limit.all',
  'a caller with a token is not limited by strangers at the same address',
  async () => {
    const world = await aWorld({ limits })
    const school = await world.aSchool()
    const { accessToken: token } = await anOperator(world, school)
    await untilRefused(() => post(world, school, request('ping')))
    expect((await post(world, school, request('tools/list'), { token })).statusCode).toBe(200)
  },
)

verifies(
  'mcp.rate-limit.all',
  'a caller whose token was good lately is not limited by bad tokens from the same address',
  async () => {
    const world = await aWorld({ limits })
    const school = await world.aSchool()
    const { accessToken: token } = await anOperator(world, school)
    const send = (by: string) => post(world, school, request('ping'), { token: by })
    expect((await send(token)).statusCode).toBe(200)
    await untilRefused(() => send('sg_at_made-up'))
    for (let sent = 0; sent < 5; sent++) expect((await send(token)).statusCode).toBe(200)
  },
)

verifies(
  'mcp.rate-limit.all',
  'a caller who has just got a token is not limited by bad tokens from the same address',
  async () => {
    const world = await aWorld({ limits })
    const school = await world.aSchool()
    const send = (by: string) => post(world, school, request('ping'), { token: by })
    await untilRefused(() => send('sg_at_made-up'))
    const client = await world.aPublicClient(school)
    const member = await world.aMember(school)
    const { refresh_token } = await aPair(world, school, client, member)
    const { access_token: token } = (await refresh(world, school, client, refresh_token)).json()
    for (let sent = 0; sent < 5; sent++) expect((await send(token)).statusCode).toBe(200)
  },
)

verifies(
  'mcp.rate-limit.all',
  'messages of a good token are counted by its authorization',
  async () => {
    const world = await aWorld({ limits })
    const school = await world.aSchool()
    const { accessToken: busy } = await anOperator(world, school)
    const { accessToken: quiet } = await anOperator(world, school)
    const send = (token: string) => post(world, school, request('ping'), { token })
    const refused = await untilRefused(() => send(busy))
    expect(refused.headers['ratelimit-policy']).toBe(`"messages";q=${10 * CALLS};w=60`)
    expect((await send(quiet)).statusCode).toBe(200)
  },
)

verifies(
  'mcp.rate-limit.all',
  'bad tokens from one address are counted per school, before they are checked',
  async () => {
    const world = await aWorld({ limits })
    const school = await world.aSchool()
    const other = await world.aSchool()
    const send = () => post(world, school, request('ping'), { token: 'sg_at_made-up' })
    for (let sent = 0; sent < 10 * CALLS; sent++) expect((await send()).statusCode).toBe(401)
    let last: readonly string[] = ['none was sent yet']
    await untilRefused(async () => {
      const answers: Answer[] = []
      last = await world.database.statementsOf(async () => answers.push(await send()))
      return answers[0] as Answer
    })
    expect(last).toEqual([])
    const there = await post(world, other, request('ping'), { token: 'sg_at_made-up' })
    expect(there.statusCode).toBe(401)
  },
)
