import { describe, expect, test } from 'vitest'
import { anOperator } from '../support/admin-api.ts'
import { aPkce, authorizeParameters, Visitor } from '../support/browser-like.ts'
import { aPair, postForm } from '../support/client-like.ts'
import { aCourse, anEnrollment } from '../support/learning.ts'
import { aToken } from '../support/member-api.ts'
import { signedIn } from '../support/operator-like.ts'
import { aWorld, type TestSchool } from '../support/world.ts'
import { callTool, post, postModern, request } from './mcp/tool-endpoint.ts'

const world = await aWorld()
const school = await world.aSchool()
const older = await world.aSchool({ variant: 'older' })

const get = (at: TestSchool, url: string) =>
  world.app.inject({ url, headers: { host: new URL(at.origin).host } })

/**
 * How many statements an endpoint sends once its school is known. A round trip more is a request that
 * costs more for ever, and this notices it whatever machine it runs on.
 */
async function cost(work: () => Promise<{ readonly statusCode: number }>): Promise<number> {
  const warm = await work()
  expect(warm.statusCode).toBeLessThan(400)
  return (await world.database.statementsOf(work)).length
}

describe('statements per request', () => {
  for (const url of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource',
    '/.well-known/jwks.json',
    '/openapi.json',
    '/docs',
    '/sign-in',
    '/healthz',
  ]) {
    test(`${url}: none`, async () => {
      expect(await cost(() => get(school, url))).toBe(0)
    })
  }

  test('introspection: 1', async () => {
    const client = await world.aPublicClient(older)
    const pair = await aPair(world, older, client, await world.aMember(older))
    const fields = { client_id: client.clientId, token: pair.access_token }
    expect(await cost(() => postForm(world, older, '/api/oauth/introspect', fields))).toBe(1)
  })

  test('the tool endpoint: none for a stranger, in either era', async () => {
    expect(await cost(() => postModern(world, school, 'tools/list'))).toBe(0)
    expect(await cost(() => post(world, school, request('tools/list')))).toBe(0)
    const asked = async () => {
      await callTool(world, school, 'get_school')
      return { statusCode: 200 }
    }
    expect(await cost(asked)).toBe(0)
  })

  test('registration of a vendor platform: 1', async () => {
    const register = () =>
      world.app.inject({
        method: 'POST',
        url: '/api/oauth/register',
        headers: { host: new URL(school.origin).host },
        payload: { client_name: 'Claude' },
      })
    expect(await cost(register)).toBe(1)
  })

  test('an authorization: the client, the session and, once allowed, the code and its entry', async () => {
    const client = await world.aPublicClient(school)
    const stranger = new Visitor(world, school)
    const asked = `/oauth/authorize?${authorizeParameters(school, client, aPkce())}`
    expect(await cost(() => stranger.get(asked))).toBe(1)
    const visitor = await signedIn(world, school, await world.aMember(school))
    expect(await cost(() => visitor.get(asked))).toBe(2)
    const consent = String((await visitor.get(asked)).headers.location)
    expect(await cost(() => visitor.get(consent))).toBe(2)
    const page = await visitor.get(consent)
    expect(await cost(() => visitor.decide(page, 'allow'))).toBe(4)
  })

  test('a sign-in: the throttle before and after, the person and the session', async () => {
    const ada = await world.aMember(school)
    const enter = async () => {
      const visitor = new Visitor(world, school)
      return await visitor.signIn(await visitor.get('/sign-in'), ada)
    }
    expect(await cost(enter)).toBe(4)
  })

  test('the tool endpoint: who calls, and what the tool reads', async () => {
    const ada = await world.aMember(school)
    await anEnrollment(school, ada, await aCourse(school))
    const token = await aToken(world, school, ada)
    const { accessToken } = await anOperator(world, school)
    const called = (name: string, given: object, by?: string) => async () => {
      expect((await callTool(world, school, name, given, { token: by })).isError).toBeFalsy()
      return { statusCode: 200 }
    }
    expect(await cost(called('list_courses', {}))).toBe(1)
    expect(await cost(called('my_account', {}, token))).toBe(1)
    // The outline of a course is kept, the progress is not.
    expect(await cost(called('my_courses', {}, token))).toBe(3)
    expect(await cost(called('read_teaching', { action: 'courses.list' }, accessToken))).toBe(2)
  })

  test('the Admin API: who calls, and the page', async () => {
    const operator = await anOperator(world, school)
    const { accessToken: token } = operator
    expect(await cost(() => postModern(world, school, 'tools/list', {}, { token }))).toBe(1)
    expect(await cost(() => operator.get('/members?limit=50'))).toBe(2)
    expect(await cost(() => operator.get('/courses'))).toBe(2)
    expect(await cost(() => operator.get(`/members/${operator.person.id}`))).toBe(2)
  })

  test('a write of the Admin API: who calls, and a transaction with its audit entry', async () => {
    const operator = await anOperator(world, school)
    let made = 0
    const create = (key?: string) => () => {
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
      return operator.post('/posts', { slug: `post-${key ?? ++made}`, title: 'A post' }, headers)
    }
    expect(await cost(create())).toBe(6)
    const { id } = (await create()()).json()
    expect(await cost(() => operator.patch(`/posts/${id}`, { title: 'Another' }))).toBe(6)
    // The answer that is kept comes back instead of a second post.
    expect(await cost(create('once'))).toBe(5)
  })

  test('a page: who looks, and each thing that it shows', async () => {
    const stranger = new Visitor(world, school)
    expect(await cost(() => stranger.get('/'))).toBe(4)
    const course = await aCourse(school)
    expect(await cost(() => stranger.get(`/courses/${course.slug}`))).toBe(1)
    const owner = await signedIn(world, school, await world.aMember(school, ['owner']))
    for (const [page, statements] of Object.entries({
      '/': 5,
      '/account': 3,
      '/account/apps': 2,
      '/admin': 11,
      '/admin/courses': 3,
      '/admin/audit': 2,
    })) {
      expect(await cost(() => owner.get(page)), page).toBe(statements)
    }
  })
})
