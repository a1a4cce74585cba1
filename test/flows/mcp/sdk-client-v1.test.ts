import { auth, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, expect } from 'vitest'
import document from '../../fixtures/client-documents/claude-code.json' with { type: 'json' }
import { verifies } from '../../spec/verifies.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { consent, expireAccessTokens, storeDocument } from './consent.ts'
import { StoringProvider } from './oauth-provider.ts'
import { demoSchoolsAt } from './tool-endpoint.ts'

/** The first version of the official SDK client, which most applications still use. */
const world = await aDemoWorld({ documentHosts: ['claude.ai'] })
const address = await world.app.listen({ port: 0, host: '127.0.0.1' })
const schoolOf = await demoSchoolsAt(world, Number(new URL(address).port))
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
  // The class of the SDK declares `string | undefined` where its interface declares an optional
  // member.
  await client.connect(transport as Transport)
  opened.push(client)
  return { client, transport }
}

/** The code that the callback got, after the check of `iss` (RFC 9207 §2.4). */
async function codeFor(provider: StoringProvider, email: string): Promise<string> {
  const callback = await consent(world, demo, provider.takeOpened(), email)
  expect(callback.get('iss')).toBe(demo.origin)
  expect(callback.get('state')).toBe(provider.state())
  return String(callback.get('code'))
}

const ARGUMENTS: Record<string, Record<string, unknown>> = {
  search: { query: 'a' },
  fetch: { id: 'page:terms' },
  get_course: { slug: 'practical-typescript' },
  my_course: { slug: 'practical-typescript' },
}

/**
 * Calls every read-only tool. The client throws if an answer does not match the declared schema.
 */
async function callEveryReadOnlyTool(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  for (const { name, annotations } of tools) {
    if (name === 'sign_in' || annotations?.readOnlyHint !== true) continue
    const result = await client.callTool({ name, arguments: ARGUMENTS[name] ?? {} })
    expect(result.isError, name).not.toBe(true)
  }
}

const names = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

verifies(
  ['mcp.anonymous', 'mcp.revision.older'],
  'first version of the client: connects without a token, lists and calls public tools',
  async () => {
    const { client } = await connect()
    expect(client.getServerVersion()).toMatchObject({ name: 'schoolgate' })
    expect(client.getInstructions()).toContain('sign_in')
    expect(await names(client)).toContain('sign_in')
    const called = await client.callTool({ name: 'list_courses', arguments: { limit: 3 } })
    expect(called.structuredContent).toHaveProperty('courses')
    await client.ping()
    await callEveryReadOnlyTool(client)
  },
)

verifies(
  ['mcp.operator', 'mcp.sign-in.roles', 'mcp.user-bound-token', 'cimd.url-as-client-id'],
  'first version of the client: metadata document, consent of an owner, operator call, refresh',
  async () => {
    await storeDocument(world, document)
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
  'first version of the client: client created by the school, member call, refresh, login with more scopes',
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
    await callEveryReadOnlyTool(second.client)
    const stale = provider.tokens()?.access_token
    await expireAccessTokens(world)
    expect((await second.client.callTool(mine)).structuredContent).toHaveProperty('courses')
    expect(provider.tokens()?.access_token).not.toBe(stale)

    // This client refreshes after a 403, which adds no scope. Then the application starts a new
    // login.
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
