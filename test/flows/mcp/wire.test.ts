import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aWorld, sharedWorld } from '../../support/world.ts'
import { MODERN, post, postModern, type Rpc, request, toolNames } from './tool-endpoint.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const host = new URL(school.origin).host

const initialize = (protocolVersion: string): object =>
  request('initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'a client', version: '1' },
  })

describe('the handshake era', () => {
  for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
    verifies('mcp.revision.older', `${version} is used for a client that requests it`, async () => {
      const answer = await post(world, school, initialize(version))
      expect(answer.statusCode).toBe(200)
      expect(answer.json().result).toMatchObject({
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'schoolgate' },
      })
      const headers = { 'mcp-protocol-version': version }
      const list = await post(world, school, request('tools/list'), { headers })
      expect(list.json().result.tools.length).toBeGreaterThan(4)
    })
  }

  test('an unknown version is answered with our newest, not with an error', async () => {
    const answer = await post(world, school, initialize('2024-11-05'))
    expect(answer.json().result.protocolVersion).toBe('2025-11-25')
  })

  test('instructions say what a signed-in person can do', async () => {
    const { result } = (await post(world, school, initialize('2025-11-25'))).json()
    expect(result.instructions).toContain('sign_in')
  })

  test('an unknown version header is 400', async () => {
    const headers = { 'mcp-protocol-version': '1999-01-01' }
    const answer = await post(world, school, request('tools/list'), { headers })
    expect(answer.statusCode).toBe(400)
  })

  test('without a version header the oldest is assumed', async () => {
    expect(await toolNames(world, school)).toContain('sign_in')
  })

  test('ping is answered', async () => {
    expect((await post(world, school, request('ping'))).json().result).toEqual({})
  })

  verifies(
    'mcp.stateless',
    'no session is created, and a session id in the request is ignored',
    async () => {
      const answer = await post(world, school, initialize('2025-11-25'))
      expect(answer.headers['mcp-session-id']).toBeUndefined()
      const headers = { 'mcp-session-id': 'made-up', 'last-event-id': '7' }
      expect(await toolNames(world, school, { headers })).toContain('sign_in')
    },
  )
})

describe('revision 2026-07-28', () => {
  verifies('mcp.revision.modern', 'server/discover returns versions and capabilities', async () => {
    const { result } = (await postModern(world, school, 'server/discover')).json()
    expect(result).toMatchObject({
      supportedVersions: [MODERN],
      capabilities: { tools: {} },
      resultType: 'complete',
      cacheScope: 'private',
    })
    expect(result._meta['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'schoolgate' })
  })

  verifies(
    'mcp.cache-scope.private',
    'an anonymous list of tools has cacheScope private and ttlMs 0',
    async () => {
      const { result } = (await postModern(world, school, 'tools/list')).json()
      expect(result).toMatchObject({ cacheScope: 'private', ttlMs: 0, resultType: 'complete' })
    },
  )

  test('every list of tools is the same, in the same order', async () => {
    const first = await postModern(world, school, 'tools/list')
    const second = await postModern(world, school, 'tools/list')
    expect(second.body).toBe(first.body)
  })

  for (const [what, headers] of Object.entries({
    'another tool in Mcp-Name': { 'mcp-name': 'get_school' },
    'no Mcp-Name': { 'mcp-name': undefined },
    'another method in Mcp-Method': { 'mcp-method': 'tools/list' },
    'no Mcp-Method': { 'mcp-method': undefined },
    'no version': { 'mcp-protocol-version': undefined },
    'broken base64 in Mcp-Name': { 'mcp-name': '=?base64?%%%?=' },
  })) {
    test(`${what} is refused as a mismatch before the tool is checked`, async () => {
      const call = { name: 'sign_in', arguments: {} }
      const answer = await postModern(world, school, 'tools/call', call, { headers })
      expect(answer.statusCode).toBe(400)
      expect(answer.json<Rpc>().error?.code).toBe(-32020)
      expect(answer.headers['www-authenticate']).toBeUndefined()
    })
  }

  test('Mcp-Name may be written in base64', async () => {
    const name = 'get_school'
    const headers = { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` }
    const answer = await postModern(world, school, 'tools/call', { name }, { headers })
    expect(answer.statusCode).toBe(200)
  })

  test('an unsupported version is 400 and names the supported ones', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2099-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'mcp-protocol-version': '2099-01-01' }
    const answer = await postModern(world, school, 'tools/list', { _meta }, { headers })
    expect(answer.statusCode).toBe(400)
    expect(answer.json<Rpc>().error).toMatchObject({
      code: -32022,
      data: { supported: [MODERN], requested: '2099-01-01' },
    })
  })

  test('a version header without the envelope is 400 and names what is missing', async () => {
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' }
    const answer = await post(world, school, request('tools/list'), { headers })
    expect(answer.statusCode).toBe(400)
    expect(answer.json<Rpc>().error?.code).toBe(-32602)
  })

  for (const [method, params] of Object.entries({
    'prompts/list': {},
    'resources/list': {},
    'subscriptions/listen': {},
    ping: {},
    'logging/setLevel': { level: 'debug' },
    initialize: {},
  })) {
    test(`${method}, which is not offered, is 404 with the request's id`, async () => {
      const answer = await postModern(world, school, method, params)
      expect(answer.statusCode).toBe(404)
      expect(answer.json<Rpc>()).toMatchObject({ id: 1, error: { code: -32601 } })
    })
  }
})

describe('messages', () => {
  test('the first tool of the list works without arguments and token', async () => {
    const [first = ''] = await toolNames(world, school)
    const answer = await modernCall(first)
    expect(answer.statusCode).toBe(200)
    expect(answer.json().result.isError).not.toBe(true)
  })

  test('an unsupported method of the handshake era is an error in the message, with status 200', async () => {
    for (const method of ['prompts/list', 'resources/list', 'subscriptions/listen', 'x']) {
      const answer = await post(world, school, request(method))
      expect(answer.statusCode).toBe(200)
      expect(answer.json<Rpc>()).toMatchObject({ id: 1, error: { code: -32601 } })
    }
  })

  for (const [era, send] of Object.entries({ handshake: legacyCall, modern: modernCall })) {
    test(`${era}: a tool that does not exist is -32602`, async () => {
      const { error } = (await send('nothing_of_ours')).json<Rpc>()
      expect(error?.code).toBe(-32602)
    })
  }

  test('wrong arguments are a tool error that the model can read and correct', async () => {
    const call = { name: 'list_courses', arguments: { limit: 5000, colour: 'red' } }
    const { result } = (await post(world, school, request('tools/call', call))).json()
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('limit')
    expect(result.content[0].text).toContain('colour')
  })

  for (const [what, params, message] of [
    ['no name', {}, 'params.name does not fit tools/call: This is required.'],
    ['a number as name', { name: 7 }, 'params.name does not fit tools/call: Write a text.'],
    [
      'a list of arguments',
      { name: 'list_courses', arguments: [] },
      'params.arguments does not fit tools/call: Write an object.',
    ],
  ] as const) {
    test(`a call with ${what} is refused in words that name the member`, async () => {
      const answer = await post(world, school, request('tools/call', params))
      expect(answer.statusCode).toBe(400)
      expect(answer.json<Rpc>()).toMatchObject({ id: 1, error: { code: -32602, message } })
    })
  }

  test('an unknown cursor is refused, an empty one is the beginning', async () => {
    const bad = await post(world, school, request('tools/list', { cursor: 'made-up' }))
    expect(bad.json<Rpc>().error?.code).toBe(-32602)
    const empty = await post(world, school, request('tools/list', { cursor: '' }))
    expect(empty.json().result.tools.length).toBeGreaterThan(4)
  })

  for (const [what, body] of Object.entries({
    'with a protected call inside': [request('tools/call', { name: 'sign_in' })],
    'that is empty': [],
    'of two': [request('ping'), request('ping')],
  })) {
    verifies('mcp.batches', `a batch ${what} is refused`, async () => {
      const answer = await post(world, school, body)
      expect(answer.statusCode).toBe(400)
      expect(answer.json<Rpc>()).toMatchObject({ id: null, error: { code: -32600 } })
    })
  }

  test('an id of null, a number as body and keys for prototype pollution are refused', async () => {
    const nameless = await post(world, school, { ...request('ping'), id: null })
    expect(nameless.json<Rpc>().error?.code).toBe(-32600)
    expect((await post(world, school, '7')).json<Rpc>().error?.code).toBe(-32600)
    const poisoned = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"a":1}}}'
    expect((await post(world, school, poisoned)).statusCode).toBe(400)
  })

  test('a notification is accepted without an answer', async () => {
    const answer = await post(world, school, {
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    })
    expect(answer.statusCode).toBe(202)
    expect(answer.body).toBe('')
  })

  test('a call without an id runs nothing', async () => {
    const statements = await world.database.statementsOf(async () => {
      const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_courses' } }
      expect((await post(world, school, call)).statusCode).toBe(202)
    })
    expect(statements.filter((text) => text.includes('from courses'))).toEqual([])
  })

  verifies(
    'mcp.json-responses',
    'answers are JSON, also for clients that prefer streams',
    async () => {
      for (const accept of [
        'application/json, text/event-stream',
        'text/event-stream;q=1, application/json;q=0.5',
        'application/json',
        '*/*',
        undefined,
      ]) {
        const answer = await post(world, school, request('tools/list'), { headers: { accept } })
        expect(answer.headers['content-type']).toMatch(/^application\/json/)
        expect(answer.json().result).toBeDefined()
      }
    },
  )
})

describe('HTTP', () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'] as const) {
    verifies('mcp.get-and-delete', `${method} is 405 with the allowed method`, async () => {
      const answer = await world.app.inject({ method, url: '/mcp', headers: { host } })
      expect(answer.statusCode).toBe(405)
      expect(answer.headers.allow).toBe('POST')
    })
  }

  test('a slash at the end of the path changes nothing', async () => {
    const headers = { host, 'content-type': 'application/json' }
    const payload = request('tools/call', { name: 'my_courses' })
    const answer = await world.app.inject({ method: 'POST', url: '/mcp/', headers, payload })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toContain('scope="account:read"')
    const got = await world.app.inject({ method: 'GET', url: '/mcp/', headers: { host } })
    expect(got.statusCode).toBe(405)
  })

  for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined]) {
    test(`a body of type ${type} is 415: a page could send it without a preflight`, async () => {
      const headers = { 'content-type': type }
      const answer = await post(world, school, request('ping'), { headers })
      expect(answer.statusCode).toBe(415)
    })
  }

  test('a compressed body is 415, not a JSON error', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const answer = await post(world, school, request('ping'), { headers })
    expect(answer.statusCode).toBe(415)
    expect(answer.json<Rpc>().error?.message).toContain('Content-Encoding')
  })

  test('an Accept header without JSON is 406', async () => {
    const headers = { accept: 'text/event-stream' }
    expect((await post(world, school, request('ping'), { headers })).statusCode).toBe(406)
  })

  test('a body beyond the limit is 413', async () => {
    const body = request('ping', { filler: 'x'.repeat(1_100_000) })
    expect((await post(world, school, body)).statusCode).toBe(413)
  })

  test('answers are not cacheable', async () => {
    const answer = await post(world, school, request('tools/list'))
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  for (const origin of [
    'https://client.example',
    'http://localhost:6274',
    'vscode-webview://abc',
  ]) {
    verifies('mcp.cors', `a page of ${origin} may call and read`, async () => {
      const answer = await post(world, school, request('tools/list'), { headers: { origin } })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    })
  }

  verifies('mcp.cors', 'a preflight is answered without a token', async () => {
    const answer = await world.app.inject({
      method: 'OPTIONS',
      url: '/mcp',
      headers: {
        host,
        origin: 'https://client.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
      },
    })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers['access-control-allow-headers']).toMatch(/Mcp-Name/)
  })

  verifies('mcp.cors', 'pages can read refusals and their challenges', async () => {
    const headers = { origin: 'https://client.example', authorization: 'Bearer nonsense' }
    const answer = await post(world, school, request('tools/list'), { headers })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
  })

  for (const origin of [
    'null',
    'https://a.example/path',
    'https://a.example, https://b.example',
    'x',
  ]) {
    test(`an Origin of ${origin} is not a site and is 403`, async () => {
      const answer = await post(world, school, request('tools/list'), { headers: { origin } })
      expect(answer.statusCode).toBe(403)
    })
  }

  test('DNS rebinding: a host that is not a school is 404, with any other headers', async () => {
    const headers = { host: 'evil.example', origin: 'http://evil.example' }
    expect((await post(world, school, request('tools/list'), { headers })).statusCode).toBe(404)
  })

  for (const path of [
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration/mcp',
    '/mcp/.well-known/openid-configuration',
  ]) {
    test(`${path}, which some clients try, is a JSON 404`, async () => {
      const headers = { host, accept: '*/*' }
      const answer = await world.app.inject({ url: path, headers })
      expect(answer.statusCode).toBe(404)
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
    })
  }
})

verifies('mcp.rate-limit', 'tool calls beyond the limit are 429; lists still work', async () => {
  const limits = { ...world.context.limits, toolCallsPerMinute: 3 }
  const limited = await aWorld({ limits })
  const small = await limited.aSchool()
  const call = request('tools/call', { name: 'get_school' })
  for (const left of ['2', '1', '0']) {
    const answer = await post(limited, small, call)
    expect(answer.headers.ratelimit).toContain(`r=${left}`)
  }
  const refused = await post(limited, small, call)
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBeDefined()
  expect(refused.json<Rpc>().error?.message).toContain('Try again in')
  expect(await toolNames(limited, small)).toContain('sign_in')
})

function legacyCall(name: string) {
  return post(world, school, request('tools/call', { name }))
}

function modernCall(name: string) {
  return postModern(world, school, 'tools/call', { name })
}
