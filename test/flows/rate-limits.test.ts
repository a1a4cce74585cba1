import { describe, expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import type { Answer } from '../support/browser-like.ts'
import { postForm } from '../support/client-like.ts'
import { aWorld } from '../support/world.ts'

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

/** Sends far more requests at once than a bucket refills meanwhile. Refused answers come last. */
async function burst(send: (time: number) => Promise<Answer>): Promise<Answer[]> {
  const answers = await Promise.all(Array.from({ length: 200 }, (_, time) => send(time)))
  return answers.sort((a, b) => a.statusCode - b.statusCode)
}

function expectTooMany(answer: Answer | undefined, policy: RegExp): void {
  expect(answer?.statusCode).toBe(429)
  expect(answer?.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: expect.stringMatching(/too many/i),
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
