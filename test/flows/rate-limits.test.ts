import { beforeEach, describe, expect } from 'vitest'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { mintToken, parseToken } from '../../src/foundation/protocol/token-format.ts'
import { verifies } from '../spec/verifies.ts'
import { signedIn } from '../support/authorization.ts'
import type { Answer } from '../support/browser-like.ts'
import { postForm } from '../support/client-like.ts'
import { aCode } from '../support/oauth-world.ts'
import { standingClock } from '../support/standing-clock.ts'
import { aWorld, type TestClient } from '../support/world.ts'

const limits = {
  tokenPerSecond: 3,
  registrationPerMinute: 3,
  documentPerMinute: 3,
  toolCallsPerMinute: 3,
  apiCallsPerMinute: 1000,
  uploadBytes: 1_000_000,
}
const world = await aWorld({ limits })
const school = await world.aSchool()

beforeEach(standingClock)

/** More requests at once than any bucket here holds. Refused answers come last. */
async function burst(send: (time: number) => Promise<Answer>): Promise<Answer[]> {
  const answers = await Promise.all(Array.from({ length: 40 }, (_, time) => send(time)))
  return answers.sort((a, b) => a.statusCode - b.statusCode)
}

function expectTooMany(answer: Answer | undefined, policy: RegExp): void {
  expect(answer?.statusCode).toBe(429)
  expect(answer?.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: expect.stringMatching(/too many/i),
    error_uri: expect.stringMatching(/#temporarily_unavailable$/),
  })
  expect(Number(answer?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(answer?.headers['ratelimit-policy']).toMatch(policy)
  expect(answer?.headers.ratelimit).toMatch(/r=0;t=\d+/)
  expect(answer?.headers['access-control-allow-origin']).toBe('*')
  expect(answer?.headers['content-type']).toMatch(/^application\/json/)
}

const token = (client_id: string) =>
  postForm(world, school, '/api/oauth/token', { grant_type: 'refresh_token', client_id })

describe('too many requests', () => {
  verifies(
    ['token.rate-limit', 'house.limits.429'],
    'of one client from one address are 429 in the format of the endpoint; other clients are not affected',
    async () => {
      const answers = await burst(() => token('busy'))
      expect(answers[limits.tokenPerSecond - 1]?.statusCode).toBe(401)
      expect(answers[limits.tokenPerSecond]?.statusCode).toBe(429)
      expect(answers[0]?.headers['ratelimit-policy']).toBe('"token";q=3;w=1')
      expectTooMany(answers.at(-1), /^"token";q=3;w=1$/)
      expect((await token('quiet')).statusCode).toBe(401)
    },
  )

  verifies(
    'token.rate-limit',
    'with made-up client_ids are counted by IP address as well',
    async () => {
      const answers = await burst((time) => token(`made-up-${time}`))
      expect(answers[0]?.headers['ratelimit-policy']).toBe('"token";q=3;w=1')
      expectTooMany(answers.at(-1), /^"address";q=30;w=1$/)
    },
  )

  verifies(
    ['register.rate-limited', 'trouble.row-cap-locks-out'],
    'at the registration endpoint are 429 with Retry-After',
    async () => {
      const answers = await burst(() =>
        postForm(world, school, '/api/oauth/register', { client_name: 'Claude' }),
      )
      expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(3)
      expectTooMany(answers.at(-1), /^"registration";q=3;w=60$/)
    },
  )
})

describe('refreshes in a loop', () => {
  const POLICY = '"refresh";q=10;w=3600'
  let addresses = 0

  /** A person at a school with slow limits, with the requests of any client. */
  async function aSlowSchool() {
    const slow = await aWorld({ limits: { tokenPerSecond: 1 }, trust: parseTrustProxy('loopback') })
    const school = await slow.aSchool()
    const person = await slow.aMember(school)
    const some = await slow.aPublicClient(school)
    const { visitor } = await signedIn({ world: slow, school, client: some, person })
    /** Each from another address, because the limit of an address is reached first. */
    const send = ({ clientId }: TestClient, fields: Record<string, string>) =>
      postForm(
        slow,
        school,
        '/api/oauth/token',
        { client_id: clientId, resource: school.origin, ...fields },
        { 'x-forwarded-for': `198.51.100.${++addresses}` },
      )
    return {
      aClient: () => slow.aPublicClient(school),
      refresh: (client: TestClient, token: string) =>
        send(client, { grant_type: 'refresh_token', refresh_token: token }),
      async exchange(client: TestClient, more: Record<string, string> = {}) {
        const { code, pkce } = await aCode(slow, school, client, person, { visitor })
        const sent = { code, code_verifier: pkce.verifier, redirect_uri: client.redirectUri }
        return await send(client, { grant_type: 'authorization_code', ...sent, ...more })
      },
    }
  }

  verifies(
    'token.rate-limit.refreshes',
    'of one authorization are 429 after ten times the rate of requests; other authorizations go on',
    async () => {
      const { aClient, exchange, refresh } = await aSlowSchool()
      const client = await aClient()
      const first: string = (await exchange(client)).json().refresh_token
      let newest = first
      for (let time = 0; time < 10; time++) {
        const answer = await refresh(client, newest)
        expect(answer.statusCode).toBe(200)
        newest = answer.json().refresh_token
      }
      for (const token of [newest, first]) {
        const refused = await refresh(client, token)
        expect(refused.statusCode).toBe(429)
        expect(refused.headers['ratelimit-policy']).toBe(POLICY)
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1)
      }
      const other = (await exchange(client)).json()
      expect((await refresh(client, other.refresh_token)).statusCode).toBe(200)
    },
  )

  verifies(
    'token.rate-limit.refreshes',
    'are not used up for a client by another one that names its refresh token while it exchanges codes',
    async () => {
      const { aClient, exchange, refresh } = await aSlowSchool()
      const victim = await aClient()
      const thief = await aClient()
      const token: string = (await exchange(victim)).json().refresh_token
      // The row is named in the token, so a forged one counts for the same chain.
      const forged = mintToken('refresh', parseToken('refresh', token)?.id ?? '').value
      for (let time = 0; time < 11; time++) {
        const answer = await exchange(thief, { refresh_token: forged })
        expect(answer.statusCode).toBe(200)
      }
      expect((await refresh(victim, token)).statusCode).toBe(200)
    },
  )
})
