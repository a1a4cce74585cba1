import { auth, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, expect } from 'vitest'
import document from '../../fixtures/client-documents/claude-code.json' with { type: 'json' }
import { verifies } from '../../spec/verifies.ts'
import { aWorld } from '../../support/world.ts'
import { consent, expireAccessTokens, keepDocument } from './consent.ts'
import { StoringProvider } from './oauth-provider.ts'
import { furnishDemoWorld } from './tool-endpoint.ts'

/** The first generation of the protocol's own client, which most applications still carry. */
const world = await aWorld({ documentHosts: ['claude.ai'] })
const address = await world.app.listen({ port: 0, host: '127.0.0.1' })
const schoolOf = await furnishDemoWorld(world, Number(new URL(address).port))
const demo = await schoolOf('demo')
const endpoint = new URL(`${demo.origin}/mcp`)
const opened: Client[] = []
afterAll(() => Promise.all(opened.map((client) => client.close())))

async function connect(provider?: StoringProvider) {
  const client = new Client({ name: 'a test', version: '1' })
  const transport = new StreamableHTTPClientTransport(
    endpoint,
    provider === undefined ? {} : { authProvider: provider },
  )
  // Its own type says `string | undefined` where its interface says optional.
  await client.connect(transport as Transport)
  opened.push(client)
  return { client, transport }
}

/** Which code the callback got, after `iss` was compared as RFC 9207 §2.4 wants it. */
async function codeFor(provider: StoringProvider, email: string): Promise<string> {
  const callback = await consent(world, demo, provider.takeOpened(), email)
  expect(callback.get('iss')).toBe(demo.origin)
  expect(callback.get('state')).toBe(provider.state())
  return String(callback.get('code'))
}

const GIVEN: Record<string, Record<string, unknown>> = {
  search: { query: 'a' },
  fetch: { id: 'page:terms' },
  get_course: { slug: 'practical-typescript' },
  my_course: { slug: 'practical-typescript' },
}

/** The client itself compares every answer with the declared schema, and throws. */
async function callEveryReading(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  for (const { name, annotations } of tools) {
    if (name === 'sign_in' || annotations?.readOnlyHint !== true) continue
    const result = await client.callTool({ name, arguments: GIVEN[name] ?? {} })
    expect(result.isError, name).not.toBe(true)
  }
}

const names = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

verifies(
  ['mcp.anonymous', 'mcp.revision.older'],
  'first generation of the client: connects without a token, lists and calls public tools',
  async () => {
    const { client } = await connect()
    expect(client.getServerVersion()).toMatchObject({ name: 'schoolgate' })
    expect(client.getInstructions()).toContain('sign_in')
    expect(await names(client)).toContain('sign_in')
    const called = await client.callTool({ name: 'list_courses', arguments: { limit: 3 } })
    expect(called.structuredContent).toHaveProperty('courses')
    await client.ping()
    await callEveryReading(client)
  },
)

verifies(
  ['mcp.operator', 'mcp.sign-in.roles', 'mcp.user-bound-token', 'cimd.url-as-client-id'],
  'first generation of the client: its metadata document, an owner’s consent, an operator’s call, a refresh',
  async () => {
    await keepDocument(world, document)
    const provider = new StoringProvider({
      clientMetadataUrl: document.client_id,
      clientName: document.client_name,
      issuer: demo.origin,
    })
    const first = await connect(provider)
    const signIn = { name: 'sign_in', arguments: { as: 'operator' } }
    await expect(first.client.callTool(signIn)).rejects.toThrow(UnauthorizedError)
    expect(provider.clientInformation()?.client_id).toBe(document.client_id)
    await first.transport.finishAuth(await codeFor(provider, 'owner@demo.test'))

    const { client } = await connect(provider)
    const listed = await names(client)
    expect(listed).toContain('read_teaching')
    expect(listed.filter((name) => name.startsWith('change_'))).toEqual([])
    const list = { action: 'courses.list', input: { limit: 2 } }
    const read = { name: 'read_teaching', arguments: list }
    expect((await client.callTool(read)).structuredContent).toMatchObject({
      result: { object: 'list' },
    })

    const stale = provider.tokens()?.access_token
    await expireAccessTokens(world)
    expect((await client.callTool(read)).isError).not.toBe(true)
    expect(provider.tokens()?.access_token).not.toBe(stale)
  },
)

verifies(
  ['mcp.sign-in.challenges', 'mcp.member-token', 'mcp.step-up.signed-in'],
  'first generation of the client: a client the school made, a member’s call, a refresh, a wider login',
  async () => {
    const provider = new StoringProvider({
      clientId: demo.publicClient.clientId,
      clientName: 'Demo',
      issuer: demo.origin,
    })
    const first = await connect(provider)
    const mine = { name: 'my_courses', arguments: {} }
    await expect(first.client.callTool(mine)).rejects.toThrow(UnauthorizedError)
    await first.transport.finishAuth(await codeFor(provider, 'ada@demo.test'))
    expect(provider.tokens()?.scope).toBe('account:read')

    const second = await connect(provider)
    expect((await second.client.callTool(mine)).structuredContent).toHaveProperty('courses')
    await callEveryReading(second.client)
    const stale = provider.tokens()?.access_token
    await expireAccessTokens(world)
    expect((await second.client.callTool(mine)).structuredContent).toHaveProperty('courses')
    expect(provider.tokens()?.access_token).not.toBe(stale)

    // This client answers a 403 with a refresh, which widens nothing; then the application asks anew.
    const write = { name: 'mark_all_notifications_read', arguments: {} }
    await expect(second.client.callTool(write)).rejects.toThrow('403 after trying upscoping')
    provider.forgetTokens()
    const scope = 'account:read account:write'
    expect(await auth(provider, { serverUrl: endpoint, scope })).toBe('REDIRECT')
    const code = await codeFor(provider, 'ada@demo.test')
    expect(await auth(provider, { serverUrl: endpoint, authorizationCode: code })).toBe(
      'AUTHORIZED',
    )
    const third = await connect(provider)
    const marked = await third.client.callTool(write)
    expect(marked.structuredContent).toMatchObject({ unreadNotificationCount: 0 })
  },
)
