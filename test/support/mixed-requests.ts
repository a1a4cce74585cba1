import { expect } from 'vitest'
import { plainServer } from '../net/test-server.ts'
import { anOperator } from './admin-api.ts'
import { type Answer, aPkce, authorizeParameters, Visitor } from './browser-like.ts'
import { aPair, refresh, revoke, userinfo } from './client-like.ts'
import { addExamples, publishExamples } from './example-school.ts'
import { aToken, postGraphQL } from './member-api.ts'
import { anOwner } from './operator-like.ts'
import { CALLBACK, type TestSchool, type World } from './world.ts'

/** One kind of request to a school, which can be sent any number of times. */
export interface Road {
  readonly name: string
  readonly status: number
  send(): Promise<Answer>
}

/**
 * A server of client metadata documents, a new one at each path. Paths with "slow" wait for the
 * release.
 */
export async function documentHost(): Promise<{ url(name: string): string; release(): void }> {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let port = 0
  port = await plainServer(async (request, response) => {
    if (request.url?.includes('slow')) await released
    const client_id = `http://127.0.0.1:${port}${request.url}`
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ client_id, client_name: 'Tool', redirect_uris: [CALLBACK] }))
  })
  return { url: (name) => `http://127.0.0.1:${port}/${name}.json`, release: () => release() }
}

const NDJSON = { 'content-type': 'application/x-ndjson' }
const PERIOD = 'from=2026-01-01&to=2026-12-31&interval=day'
const CATALOGUE = '{ viewer { id enrolledCourses(first: 20) { nodes { id title } } } }'

/**
 * Every road to a school: pages, tools, both APIs, tokens, sign-ins, documents, imports, exports,
 * analytics.
 */
export async function roadsTo(
  world: World,
  school: TestSchool,
  documents: { url(name: string): string },
): Promise<readonly Road[]> {
  await addExamples(world, school)
  await publishExamples(school)
  const member = await world.aMember(school)
  const owner = await anOwner(world, school)
  const operator = await anOperator(world, school)
  const client = await world.aPublicClient(school)
  const pair = await aPair(world, school, client, member)
  const token = await aToken(world, school, member)
  const stranger = new Visitor(world, school)
  let number = 0
  const next = (): string => `${school.subdomain}-${++number}`
  const tool = (name: string, given: object, bearer?: string) =>
    world.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        host: new URL(school.origin).host,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      payload: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name, arguments: given },
      }),
    })
  const road = (name: string, status: number, send: () => Promise<Answer>): Road => ({
    ...{ name, status, send },
  })
  const authorize = (clientId: string) =>
    stranger.get(
      `/oauth/authorize?${authorizeParameters(school, { ...client, clientId }, aPkce(), { scope: 'openid courses:read' })}`,
    )
  return [
    road('home', 200, () => stranger.get('/')),
    road('a post', 200, () => stranger.get('/posts/hello')),
    road('discovery', 200, () => stranger.get('/.well-known/openid-configuration')),
    road('search', 200, () => tool('search', { query: 'hello' })),
    road('a public list', 200, () => tool('list_posts', { search: 'hello' })),
    road('sign in', 303, async () => {
      const visitor = new Visitor(world, school)
      return await visitor.signIn(await visitor.get('/sign-in'), member)
    }),
    road('authorize', 303, () => authorize(documents.url(next()))),
    road('refresh', 200, () => refresh(world, school, client, pair.refresh_token)),
    road('userinfo', 200, () => userinfo(world, school, pair.access_token)),
    road('revoke', 200, () => revoke(world, school, client, 'no-token')),
    road('the Member API', 200, () => postGraphQL(world, school, token, { query: CATALOGUE })),
    road("an operator's tool", 200, () =>
      tool('read_teaching', { action: 'courses.list', input: {} }, operator.accessToken),
    ),
    road('a list', 200, () => operator.get('/courses')),
    road('a search in a list', 200, () => operator.get('/posts?search=hello')),
    road('analytics', 200, () => operator.get(`/analytics/revenue?${PERIOD}`)),
    road('a page of the admin area', 200, () => owner.get('/admin/students')),
    road('a write', 201, () => {
      const slug = next()
      const key = { 'idempotency-key': slug }
      return operator.post('/posts', { slug, title: slug }, key)
    }),
    road('an import', 200, () => {
      const body = `${JSON.stringify({ slug: next(), title: 'Imported' })}\n`
      return operator.send('POST', '/pages/import', { body, headers: NDJSON })
    }),
    road('a dry run', 200, () => {
      const body = `${JSON.stringify({ slug: next(), title: 'Imported' })}\n`
      return operator.send('POST', '/pages/import?dry_run=true', { body, headers: NDJSON })
    }),
    road('an export', 200, () => operator.get('/posts/export')),
  ]
}

/** Fails with what was answered if the status is not the expected one. */
export async function follow(road: Road): Promise<Answer> {
  const answer = await road.send()
  expect(answer.statusCode, `${road.name}: ${answer.body.slice(0, 300)}`).toBe(road.status)
  if (answer.body.includes('"isError":true')) {
    throw new Error(`${road.name}: ${answer.body.slice(0, 300)}`)
  }
  return answer
}
