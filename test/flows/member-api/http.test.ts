import { auditServer } from 'graphql-http'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aToken, postGraphQL } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
let token = ''
beforeAll(async () => {
  token = await aToken(world, school, ada)
})
const OK = { query: '{ viewer { id } }' }
const JSON_TYPE = 'application/json; charset=utf-8'
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8'

verifies(
  [
    'member.endpoint',
    'member.json-body',
    'member.query-and-mutation',
    'member.answer',
    'viewer.root',
  ],
  'queries and mutations are posted as JSON and answered with data, or with data and errors',
  async () => {
    const query = await postGraphQL(world, school, token, OK)
    expect(query.statusCode).toBe(200)
    expect(query.headers['content-type']).toBe(JSON_TYPE)
    expect(query.headers['cache-control']).toBe('no-store')
    expect(query.json()).toMatchObject({ data: { viewer: { id: ada.id } } })
    expect(query.json()).not.toHaveProperty('errors')
    const mutation = await postGraphQL(world, school, token, {
      query: 'mutation M($id: ID!) { markNotificationRead(id: $id) { unreadNotificationCount } }',
      variables: { id: '0' },
      operationName: 'M',
    })
    expect(mutation.json()).toMatchObject({ data: { markNotificationRead: null } })
    expect(mutation.json().errors).toHaveLength(1)
  },
)

describe('status and media type', () => {
  const BROKEN = [
    '{ not closed',
    '{ nothing }',
    'subscription { viewer { id } }',
    'query ($n: Int!) { viewer { payments(first: $n) { totalCount } } }',
  ]

  verifies('member.http.application-json', 'application/json is always 200', async () => {
    for (const accept of ['application/json', '*/*', undefined]) {
      for (const query of BROKEN) {
        const answer = await postGraphQL(world, school, token, { query }, accept ? { accept } : {})
        expect(answer.statusCode).toBe(200)
        expect(answer.headers['content-type']).toBe(JSON_TYPE)
        expect(answer.json().errors).not.toHaveLength(0)
        expect(answer.json().errors[0].extensions.code).toMatch(/^graphql_|^bad_argument$/)
        expect(answer.json()).not.toHaveProperty('data')
      }
    }
  })

  verifies(
    'member.http.graphql-response-json',
    'application/graphql-response+json is 400 for a document that did not run, 200 for one that did',
    async () => {
      const accept = 'application/graphql-response+json'
      for (const query of BROKEN) {
        const answer = await postGraphQL(world, school, token, { query }, { accept })
        expect(answer.statusCode).toBe(400)
        expect(answer.headers['content-type']).toBe(RESPONSE_TYPE)
        expect(answer.json()).not.toHaveProperty('data')
      }
      const ran = { query: '{ viewer { payments(first: -1) { totalCount } } }' }
      const answer = await postGraphQL(world, school, token, ran, { accept })
      expect(answer.statusCode).toBe(200)
      expect(answer.json().data).toEqual({ viewer: null })
    },
  )

  verifies('member.http.post-only', 'other methods are 405 with Allow: POST', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const) {
      const answer = await world.app.inject({
        method,
        url: '/member/graphql?query={__typename}',
        headers: {
          host: new URL(school.origin).host,
          authorization: `Bearer ${token}`,
          ...(method === 'GET' || method === 'HEAD' ? {} : { 'content-type': 'text/plain' }),
        },
        ...(method === 'GET' || method === 'HEAD' ? {} : { payload: 'x' }),
      })
      expect(answer.statusCode).toBe(405)
      expect(answer.headers.allow).toBe('POST')
    }
  })

  verifies('member.http.415', 'a form, a plain text and a body without type are 415', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/graphql']) {
      const answer = await postGraphQL(world, school, token, 'query={__typename}', {
        'content-type': type,
      })
      expect(answer.statusCode).toBe(415)
      expect(answer.json().errors[0].message).toMatch(/Content-Type/)
    }
    const bare = await world.app.inject({
      method: 'POST',
      url: '/member/graphql',
      headers: { host: new URL(school.origin).host, authorization: `Bearer ${token}` },
    })
    expect(bare.statusCode).toBe(415)
  })

  verifies('member.http.406', 'an Accept header without a supported type is 406', async () => {
    for (const accept of ['text/html', 'application/xml', 'application/json;q=0']) {
      const answer = await postGraphQL(world, school, token, OK, { accept })
      expect(answer.statusCode).toBe(406)
      expect(answer.json().errors[0].message).toMatch(/application\/json/)
    }
  })

  test('the type with the higher preference is answered', async () => {
    const accept = 'application/graphql-response+json, application/json;q=0.9'
    const answer = await postGraphQL(world, school, token, OK, { accept })
    expect(answer.headers['content-type']).toBe(RESPONSE_TYPE)
  })
})

describe('a body that is not a request', () => {
  const bad = [
    ['not JSON', '{'],
    ['an array, as batches are', [OK]],
    ['no query', { variables: {} }],
    ['a query that is no string', { query: 1 }],
    ['variables that are no object', { ...OK, variables: 'x' }],
    ['a name that is no string', { ...OK, operationName: 1 }],
    ['extensions that are no object', { ...OK, extensions: [] }],
  ] as const
  for (const [what, body] of bad) {
    test(`${what}: 400 with a message that says what is wrong`, async () => {
      const answer = await postGraphQL(world, school, token, body)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().errors[0]).toMatchObject({ extensions: { code: 'bad_request' } })
      expect(answer.json()).not.toHaveProperty('data')
    })
  }

  verifies('member.limits.body', 'a body of more than 1 MiB', async () => {
    const answer = await postGraphQL(world, school, token, {
      query: `{ __typename } # ${'x'.repeat(1024 * 1024)}`,
    })
    expect(answer.statusCode).toBe(413)
  })

  test('an operation that does not exist, or no name for one of several', async () => {
    const query = 'query A { __typename } query B { viewer { id } }'
    const send = async (operationName: string | null) =>
      (await postGraphQL(world, school, token, { query, operationName })).json()
    expect((await send('B')).data).toEqual({ viewer: { id: ada.id } })
    expect((await send('A')).data).toEqual({ __typename: 'Query' })
    expect((await send('C')).errors[0].message).toMatch(/no operation called C/)
    expect((await send(null)).errors[0].message).toMatch(/operationName/)
  })

  test('the error of wrong variables says which and why, interpreted and compiled', async () => {
    const query = 'query ($n: Int) { viewer { payments(first: $n) { totalCount } } }'
    for (let i = 0; i < 3; i++) {
      await postGraphQL(world, school, token, { query, variables: { n: 1 } })
      const answer = await postGraphQL(world, school, token, { query, variables: { n: 'one' } })
      expect(answer.json().errors[0].message).toMatch(/\$n.*Int cannot represent non-integer/)
    }
  })
})

verifies('member.http.cors', 'pages of any origin may call it, errors included', async () => {
  const headers = { origin: 'https://app.example' }
  for (const sent of [token, undefined]) {
    const answer = await postGraphQL(world, school, sent, OK, headers)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
  }
  const preflight = await world.app.inject({
    method: 'OPTIONS',
    url: '/member/graphql',
    headers: {
      host: new URL(school.origin).host,
      ...headers,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
  expect(preflight.statusCode).toBe(204)
  expect(preflight.headers['access-control-allow-headers']).toContain('Authorization')
})

/** GET is optional in the specification, and we accept only POST. */
const WANT_GET = ['5A70', 'D6D5', '6A70']

test('the audits of GraphQL over HTTP report no error', async () => {
  const results = await auditServer({
    url: `${school.origin}/member/graphql`,
    fetchFn: async (url: string, init: RequestInit = {}) => {
      const answer = await world.app.inject({
        method: (init.method ?? 'GET') as 'POST',
        url: new URL(url).pathname + new URL(url).search,
        headers: {
          ...Object.fromEntries(new Headers(init.headers)),
          host: new URL(school.origin).host,
          authorization: `Bearer ${token}`,
        },
        ...(init.body === undefined ? {} : { payload: String(init.body) }),
      })
      return new Response(answer.body, {
        status: answer.statusCode,
        headers: { 'content-type': String(answer.headers['content-type']) },
      })
    },
  })
  expect(results.length).toBeGreaterThanOrEqual(61)
  const found = results.filter(({ status, id }) => status !== 'ok' && !WANT_GET.includes(id))
  expect(found.map(({ id, name, status }) => `${status} ${id} ${name}`)).toEqual([])
})
