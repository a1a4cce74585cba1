import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../support/admin-api.ts'
import { AdminBrowser } from '../support/admin-browser.ts'
import type { Answer } from '../support/browser-like.ts'
import { Visitor } from '../support/browser-like.ts'
import { postForm } from '../support/client-like.ts'
import { aToken, postGraphQL } from '../support/member-api.ts'
import { anOwner } from '../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'
import { post, request } from './mcp/tool-endpoint.ts'

/** Whatever a caller sends, an error repeats at most a line of it. */

const world = await sharedWorld()
let school: TestSchool
let operator: OperatorClient
let memberToken: string
let admin: AdminBrowser
let visitor: Visitor

beforeAll(async () => {
  school = await world.aSchool()
  operator = await anOperator(world, school)
  memberToken = await aToken(world, school, await world.aMember(school))
  admin = new AdminBrowser(await anOwner(world, school))
  visitor = new Visitor(world, school)
})

const LONG = 'Q'.repeat(60_000)
/** As long as a URL or a header may be. */
const SHORTER = 'Q'.repeat(7000)
const LINES = `Q${'\u2028Q\r\nQ\u0085'.repeat(20)}`

const ECHO = /Q{300}/

function expectShort(answer: Answer, most = 4000): void {
  expect(answer.statusCode).toBeGreaterThanOrEqual(200)
  expect(answer.statusCode).toBeLessThan(500)
  expect(answer.body.length, `${answer.statusCode} ${answer.body.slice(0, 300)}`).toBeLessThan(most)
  expect(answer.body).not.toMatch(ECHO)
  for (const [name, value] of Object.entries(answer.headers)) {
    expect(String(value).length, name).toBeLessThan(3000)
  }
}

describe('60 kB of a name', () => {
  const tool = (params: object, token?: string) =>
    post(world, school, request('tools/call', params), { token })

  verifies('house.limits.echo', 'in a message at the tool endpoint', async () => {
    const token = operator.accessToken
    for (const known of [undefined, token]) {
      const send = (body: unknown) => post(world, school, body, { token: known })
      expectShort(await send(request(LONG)))
      expectShort(await send({ ...request('ping'), id: LONG }))
      expectShort(await send({ ...request('ping'), jsonrpc: LONG }))
      expectShort(await send(request('initialize', { protocolVersion: 7, [LONG]: 1 })))
      expectShort(await send(request('tools/list', { cursor: LONG })))
      expectShort(await send(request('tools/list', { _meta: LONG })))
      expectShort(await send(LONG))
      expectShort(await send(`"${LONG}"`))
      expectShort(await send(`{"${LONG}`))
      expectShort(await tool({ name: LONG }, known))
      expectShort(await tool({ name: 'search', arguments: { [LONG]: 1 } }, known))
      expectShort(await tool({ name: 'search', arguments: { query: LONG } }, known))
      expectShort(await tool({ name: 'fetch', arguments: { id: LONG } }, known))
      expectShort(await tool({ name: 'search', arguments: { query: 'x', limit: LONG } }, known))
    }
    const create = (input: unknown) =>
      tool({ name: 'change_publishing', arguments: { action: 'posts.create', input } }, token)
    expectShort(await create({ [LONG]: 1 }))
    expectShort(await create({ slug: LONG, title: LONG }))
    expectShort(await tool({ name: 'change_publishing', arguments: { action: LONG } }, token))
  })

  verifies('house.limits.echo', 'in headers of the tool endpoint', async () => {
    for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'accept', 'origin']) {
      const headers = { [name]: SHORTER }
      expectShort(await post(world, school, request('tools/list'), { headers }), 60_000)
    }
  })

  verifies('house.limits.echo', 'in a request of the REST API', async () => {
    expectShort(await operator.post('/posts', { [LONG]: 1 }))
    expectShort(await operator.post('/posts', { slug: LONG, title: LONG }))
    expectShort(await operator.post('/posts', LONG))
    expectShort(await operator.post('/posts', { title: { [LONG]: { [LONG]: 1 } } }))
    expectShort(
      await operator.post('/orders', { coupon_codes: Array(5000).fill(LONG.slice(0, 9)) }),
    )
    expectShort(
      await operator.post('/forms', { slug: 'x', title: 'x', fields: Array(5000).fill(7) }),
    )
    expectShort(await operator.post('/posts', {}, { 'idempotency-key': SHORTER }))
    expectShort(await operator.post('/posts', {}, { 'content-type': SHORTER }))
    expectShort(await operator.patch(`/posts/${crypto.randomUUID()}`, {}, { 'if-match': SHORTER }))
    expectShort(await operator.get(`/posts?${SHORTER}=1`))
    expectShort(await operator.get(`/posts?sort=${SHORTER}`))
    expectShort(await operator.get(`/posts?after=${SHORTER}`))
    expectShort(await operator.get(`/posts?search=${SHORTER}`))
    expectShort(await operator.get(`/${SHORTER}`))
    expectShort(await operator.get(`/posts/${SHORTER.slice(0, 500)}`))
  })

  verifies('house.limits.echo', 'in a file of an import', async () => {
    const send = (body: string, type: string) =>
      operator.send('POST', '/posts/import', { body, headers: { 'content-type': type } })
    expectShort(await send(`slug,${LONG}\n1,2\n`, 'text/csv'))
    expectShort(await send(`slug,title\n${LONG},${LONG}\n`, 'text/csv'))
    expectShort(await send(`{"${LONG}":1}\n{"slug":"${LONG}"}\n`, 'application/x-ndjson'))
    expectShort(await send(LONG, 'application/x-ndjson'))
    expectShort(await send(`"${LONG}`, 'text/csv'))
  })

  verifies('house.limits.echo', 'in a request of the Member API', async () => {
    const ask = (query: string, rest: object = {}) =>
      postGraphQL(world, school, memberToken, { query, ...rest })
    const name = LONG.slice(0, 40_000)
    expectShort(await ask(`{ ${name} }`))
    expectShort(await ask(`{ viewer { ${name} } }`))
    expectShort(await ask(`{ ...${name} }`))
    expectShort(await ask(`query ($a: ${name}) { __typename }`))
    expectShort(await ask(`query ($a: Int) { viewer(${name}: $a) { id } }`))
    expectShort(await ask(`{ viewer { notifications(first: "${name}") { nodes { id } } } }`))
    expectShort(await ask(`"${name}`))
    expectShort(await ask(name))
    expectShort(await ask('{ __typename }', { operationName: LONG }))
    expectShort(await ask('{ __typename }', { variables: LONG }))
    const first = 'query ($n: Int) { viewer { notifications(first: $n) { nodes { id } } } }'
    expectShort(await ask(first, { variables: { n: LONG } }))
    expectShort(await ask(first, { variables: { n: { [LONG]: LONG } } }))
    const id = 'mutation ($id: ID!) { markNotificationRead(id: $id) { notification { id } } }'
    expectShort(await ask(id, { variables: { id: LONG } }))
    expectShort(await ask(id, { variables: { id: [LONG] } }))
  })

  verifies('house.limits.echo', 'in a form of an OAuth endpoint', async () => {
    for (const path of ['token', 'revoke', 'introspect', 'register']) {
      const send = (form: string | Record<string, string>) =>
        postForm(world, school, `/api/oauth/${path}`, form)
      for (const name of ['grant_type', 'client_id', 'scope', 'token', 'resource', 'client_name']) {
        expectShort(await send({ grant_type: 'refresh_token', client_id: 'x', [name]: SHORTER }))
      }
      expectShort(await send(`${LONG}=1`))
      expectShort(await send(`${SHORTER}=1&${SHORTER}=2`))
      expectShort(await send({ grant_type: LINES, client_id: LINES, client_name: LINES }))
    }
    const register = await world.app.inject({
      method: 'POST',
      url: '/api/oauth/register',
      headers: { host: new URL(school.origin).host, 'content-type': 'application/json' },
      payload: JSON.stringify({ client_name: LONG }),
    })
    expectShort(register)
  })

  verifies(
    'house.limits.echo',
    'in an authorization request, and in the pages around it',
    async () => {
      const page = 30_000
      for (const name of ['client_id', 'redirect_uri', 'scope', 'response_type', 'prompt']) {
        expectShort(await visitor.get(`/oauth/authorize?${name}=${SHORTER}`), page)
      }
      expectShort(await visitor.get(`/sign-in?request=${SHORTER}`), page)
      expectShort(await visitor.get(`/consent?request=${SHORTER}`), page)
      expectShort(await visitor.get(`/oauth/logout?post_logout_redirect_uri=${SHORTER}`), page)
      expectShort(await visitor.get(`/oauth/logout?id_token_hint=${SHORTER}`), page)
      expectShort(await visitor.get(`/posts/${SHORTER.slice(0, 500)}`), page)
      expectShort(await visitor.get(`/${SHORTER}`), page)
      expectShort(await visitor.get('/', { host: `${SHORTER}.test` }), page)
      expectShort(await visitor.post('/sign-in', { email: LONG, password: LONG }), page)
    },
  )

  verifies('house.limits.echo', 'in a list or a form of the admin area', async () => {
    const page = 60_000
    expectShort(await admin.get(`/admin/posts?search=${SHORTER}`), page)
    expectShort(await admin.get(`/admin/posts?sort=${SHORTER}&state=${SHORTER}`), page)
    expectShort(await admin.get(`/admin/posts?after=${SHORTER}`), page)
    expectShort(await admin.get(`/admin/posts/${SHORTER.slice(0, 500)}`), page)
  })
})
