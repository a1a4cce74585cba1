import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { anOperator, sendTo } from '../../support/admin-api.ts'
import { aPair } from '../../support/client-like.ts'
import { aWorld, sharedWorld, type TestSchool, type World } from '../../support/world.ts'

let world: World
let school: TestSchool

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
})

const challengeOf = (answer: { headers: Record<string, unknown> }): string =>
  String(answer.headers['www-authenticate'])

describe('which callers may use the REST API', () => {
  verifies(
    ['admin-api.operator-clients', 'admin-api.path-version'],
    'an operator client reads courses under /api/v1',
    async () => {
      const operator = await anOperator(world, school, { scopes: 'courses:read' })
      const answer = await operator.get('/courses')
      expect(answer.statusCode).toBe(200)
      expect(answer.json()).toEqual({ object: 'list', data: [], has_more: false, next: null })
    },
  )

  verifies(
    'admin-api.bad-token',
    'no token and a made-up token are 401 with a challenge',
    async () => {
      for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
        const answer = await sendTo(world, school, 'GET', '/courses', { headers })
        expect(answer.statusCode).toBe(401)
        expect(answer.headers['content-type']).toContain('application/problem+json')
        expect(answer.json()).toMatchObject({ status: 401, error: 'invalid_token' })
        expect(challengeOf(answer)).toContain('error="invalid_token"')
        expect(challengeOf(answer)).toContain(
          `resource_metadata="${school.origin}/.well-known/oauth-protected-resource"`,
        )
      }
    },
  )

  verifies(
    'admin-api.operator-tokens-only',
    'a member token is refused, also that of an owner',
    async () => {
      const owner = await world.aMember(school, ['owner'])
      const client = await world.aPublicClient(school)
      const pair = await aPair(world, school, client, owner)
      const answer = await sendTo(world, school, 'GET', '/courses', {
        headers: { authorization: `Bearer ${pair.access_token}` },
      })
      expect(answer.statusCode).toBe(403)
      expect(answer.json()).toMatchObject({
        error: 'insufficient_scope',
        code: 'insufficient_scope',
      })
    },
  )

  verifies('admin-api.role-at-call', 'an owner who lost the role is refused at once', async () => {
    const operator = await anOperator(world, school, { scopes: 'courses:read' })
    expect((await operator.get('/courses')).statusCode).toBe(200)
    await school.db
      .update('school_members')
      .set({ roles: ['student'] })
      .where('user_id', '=', operator.person.id)
      .execute()
    expect((await operator.get('/courses')).statusCode).toBe(401)
  })

  verifies(
    'admin-api.scope-missing',
    'a missing scope is 403, and the challenge names every scope of the call',
    async () => {
      const operator = await anOperator(world, school, { scopes: 'posts:read' })
      const answer = await operator.get('/courses')
      expect(answer.statusCode).toBe(403)
      expect(challengeOf(answer)).toContain('error="insufficient_scope"')
      expect(challengeOf(answer)).toContain('scope="courses:read"')
      expect(answer.json()).toMatchObject({ status: 403, error: 'insufficient_scope' })
    },
  )

  verifies(
    'admin-api.write-is-not-read',
    'a write scope creates an object and does not read it',
    async () => {
      const operator = await anOperator(world, school, { scopes: 'courses:write' })
      const made = await operator.post('/courses', { slug: 'written', title: 'Written' })
      expect(made.statusCode).toBe(201)
      expect((await operator.get(`/courses/${made.json().id}`)).statusCode).toBe(403)
      expect((await operator.get('/courses')).statusCode).toBe(403)
    },
  )

  verifies(
    'admin-api.cors',
    'scripts of other sites may call it and read refusals and preflights',
    async () => {
      const preflight = await sendTo(world, school, 'OPTIONS', '/courses', {
        headers: { origin: 'https://elsewhere.test', 'access-control-request-method': 'PATCH' },
      })
      expect(preflight.statusCode).toBe(204)
      expect(preflight.headers['access-control-allow-methods']).toContain('PATCH')
      const refused = await sendTo(world, school, 'GET', '/courses', {
        headers: { origin: 'https://elsewhere.test' },
      })
      expect(refused.headers['access-control-allow-origin']).toBe('*')
      expect(refused.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
    },
  )

  verifies(
    'admin-api.rate-limit-headers',
    'every answer, also a refusal, shows the rate limit of the caller',
    async () => {
      const operator = await anOperator(world, school, { scopes: 'courses:read' })
      const answers = [
        await operator.get('/courses'),
        await operator.get('/courses/no-id'),
        await operator.get('/nothing'),
        await operator.send('PUT', '/courses'),
        await operator.post('/courses', {}),
        await sendTo(world, school, 'GET', '/courses'),
      ]
      expect(answers.map((answer) => answer.statusCode)).toEqual([200, 404, 404, 405, 403, 401])
      for (const answer of answers) {
        expect(answer.headers.ratelimit).toMatch(/^"(app|address)";r=\d+;t=\d+$/)
        expect(answer.headers['ratelimit-policy']).toMatch(/^"(app|address)";q=\d+;w=60$/)
      }
    },
  )

  test('an app that calls too often gets 429 with Retry-After, and other apps are not affected', async () => {
    const limits = { ...world.context.limits, apiCallsPerMinute: 3 }
    const busy = await aWorld({ limits })
    const there = await busy.aSchool()
    const storm = await anOperator(busy, there, { scopes: 'courses:read' })
    const calm = await anOperator(busy, there, { scopes: 'courses:read' })
    const statuses = []
    for (let calls = 0; calls < 4; calls++) statuses.push((await storm.get('/courses')).statusCode)
    expect(statuses).toEqual([200, 200, 200, 429])
    const refused = await storm.get('/courses')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.json().code).toBe('too_many_requests')
    expect((await calm.get('/courses')).statusCode).toBe(200)
  })
})
