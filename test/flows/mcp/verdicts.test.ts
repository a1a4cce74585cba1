import { afterAll, describe, expect, test } from 'vitest'
import { SchoolDirectory } from '../../../src/domain/schools/school-directory.ts'
import { openDatabase } from '../../../src/foundation/db/database.ts'
import { verifies } from '../../spec/verifies.ts'
import type { Answer } from '../../support/browser-like.ts'
import { aPair, revoke } from '../../support/client-like.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'
import { post, postModern, request, toolNames, useTool } from './tool-endpoint.ts'

const world = await aWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const member = await world.aMember(school)
const PUBLIC = [
  'get_school',
  'search',
  'fetch',
  'list_courses',
  'get_course',
  'list_events',
  'list_membership_plans',
  'list_digital_products',
  'list_posts',
  'list_pages',
  'sign_in',
]

function expectRefusal(answer: Answer, at: TestSchool = school): void {
  expect(answer.statusCode).toBe(401)
  expect(answer.json()).toMatchObject({ error: 'invalid_token' })
  expect(answer.headers['www-authenticate']).toContain(
    `Bearer resource_metadata="${at.origin}/.well-known/oauth-protected-resource/mcp", error="invalid_token"`,
  )
}

describe('without a token', () => {
  verifies(
    ['mcp.errors.no-token', 'mcp.anonymous', 'mcp.sign-in.listed', 'mcp.post'],
    'a caller is served, and sees only the public tools',
    async () => {
      expect(await toolNames(world, school)).toEqual(PUBLIC)
      expect(await useTool(world, school, 'get_school')).toMatchObject({ url: school.origin })
    },
  )

  test('the revision without a handshake is served in the same way', async () => {
    const answer = await postModern(world, school, 'tools/call', { name: 'get_school' })
    expect(answer.statusCode).toBe(200)
    expect(answer.json().result.structuredContent).toMatchObject({ url: school.origin })
  })
})

describe('with a token', () => {
  verifies(
    ['mcp.user-bound-token', 'mcp.member-token'],
    'of a person, the caller is served',
    async () => {
      const { access_token: token } = await aPair(world, school, client, member)
      const names = await toolNames(world, school, { token })
      expect(names).toContain('get_school')
      expect(names).not.toContain('sign_in')
    },
  )

  for (const [what, authorization] of Object.entries({
    'of garbage': 'Bearer nonsense',
    'of another scheme': 'Basic bWFyeTpsYW1i',
    'without a value': 'Bearer ',
    'that is empty': '',
  })) {
    verifies(
      ['mcp.errors.bad-token', 'mcp.bad-token.never-anonymous', 'mcp.metadata.own'],
      `an Authorization header ${what} is 401 with a challenge, never an anonymous answer`,
      async () => {
        expectRefusal(
          await post(world, school, request('tools/list'), { headers: { authorization } }),
        )
      },
    )
  }

  for (const [what, body] of Object.entries({
    'no JSON': '{',
    nothing: '',
    'a batch': [request('tools/list')],
    'a public tool': request('tools/call', { name: 'get_school' }),
    'no such tool': request('tools/call', { name: 'nothing_of_ours' }),
    'a notification': { jsonrpc: '2.0', method: 'notifications/initialized' },
  })) {
    verifies('mcp.errors.bad-token', `that is bad, it is 401 with any body: ${what}`, async () =>
      expectRefusal(await post(world, school, body, { token: 'nonsense' })),
    )
  }

  test('in the query string, the token is ignored', async () => {
    const { access_token } = await aPair(world, school, client, member)
    const answer = await world.app.inject({
      method: 'POST',
      url: `/mcp?access_token=${access_token}`,
      headers: { host: new URL(school.origin).host, 'content-type': 'application/json' },
      payload: request('tools/list'),
    })
    expect(answer.json().result.tools.map(({ name }: { name: string }) => name)).toEqual(PUBLIC)
  })

  verifies('mcp.errors.bad-token', 'that is revoked, it is 401 at once', async () => {
    const { access_token: token } = await aPair(world, school, client, member)
    expect((await post(world, school, request('ping'), { token })).statusCode).toBe(200)
    await revoke(world, school, client, token)
    expectRefusal(await post(world, school, request('ping'), { token }))
  })

  verifies('mcp.other-origin', 'of another origin, the 401 names the called origin', async () => {
    const elsewhere = await world.aSchool()
    await world.aMember(elsewhere, ['student'], member)
    const { access_token: token } = await aPair(world, school, client, member)
    const answer = await post(world, elsewhere, request('tools/list'), { token })
    expectRefusal(answer, elsewhere)
    expect(answer.body).toContain('different organization')
    expect(answer.body).not.toContain(school.origin)
  })

  verifies(
    ['mcp.errors.no-owner', 'mcp.no-owner.401', 'mcp.by-user-id'],
    'without a resource owner, it is refused as not bound to a user',
    async () => {
      const { access_token: token } = await aPair(world, school, client, member)
      await school.db.update('authorizations').set({ user_id: null }).execute()
      const answer = await post(world, school, request('tools/list'), { token })
      expectRefusal(answer)
      expect(answer.json().error_description).toContain('not bound to a user')
    },
  )
})

describe('the database is unavailable', () => {
  /** No server listens on this port. */
  const away = openDatabase({
    connection: { host: '127.0.0.1', port: 1, user: 'nobody', database: 'nothing' },
    poolSize: 2,
    statementTimeoutMs: 1000,
  })
  afterAll(() => away.close())

  verifies(
    ['mcp.errors.no-verdict', 'mcp.errors.no-verdict.no-challenge'],
    'a good token gets 503 and no challenge, so that the client keeps it and retries',
    async () => {
      const broken = await aWorld({
        db: away.db,
        directory: new SchoolDirectory(world.database.db),
      })
      const { access_token: token } = await aPair(world, school, client, member)
      const answer = await post(broken, school, request('tools/list'), { token })
      expect(answer.statusCode).toBe(503)
      expect(answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
      expect(answer.headers['www-authenticate']).toBeUndefined()
      expect(answer.headers['retry-after']).toBeDefined()
    },
  )

  for (const token of ['nonsense', undefined]) {
    test(`a school that is not cached: 503 and no challenge, ${token ?? 'without a token'}`, async () => {
      const broken = await aWorld({ db: away.db, directory: new SchoolDirectory(away.db) })
      const answer = await post(broken, school, request('tools/list'), { token })
      expect(answer.statusCode).toBe(503)
      expect(answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
      expect(answer.headers['www-authenticate']).toBeUndefined()
      expect(answer.headers['access-control-allow-origin']).toBe('*')
    })
  }

  test('the answer of a tool tells the model to try again, without the cause', async () => {
    const broken = await aWorld({ db: away.db, directory: new SchoolDirectory(world.database.db) })
    const call = request('tools/call', { name: 'list_courses' })
    const { result } = (await post(broken, school, call)).json()
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('Try the same call again')
    expect(result.content[0].text).not.toMatch(/ECONN|127\.0\.0\.1/)
  })
})
